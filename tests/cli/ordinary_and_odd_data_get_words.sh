. "$LIB"
# constant columns and duplicate rows are ordinary
npy constant.npy 3 1 5 2 3 5 4 5 5 7 1 5 2 1 5 2 8 5 1
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' constant.npy -z Z.npy -q && shape Z.npy
# columns of very different range: one line of advice, not with --quiet
npy ranges.npy 2 1 1000 2 5000 3 90000 4 20000 5 7 6 88
says 'column 2' 9e+04 'column 1' 'only 5' scale / '6 objects' \
    -- fit 'kpca(dim=1)' --kernel 'rbf(sigma=median)' ranges.npy -z A.npy
says -- fit 'kpca(dim=1)' --kernel 'rbf(sigma=median)' ranges.npy -z B.npy -q
cmp A.npy B.npy
# the model's own kernel, more words with --verbose
rkhs sample 'circles(n=50)' -o X.npy
rkhs fit 'kpca(dim=2)' X.npy -o m.rkhs --verbose 2>words && test "$(wc -l <words)" -ge 1 && echo "words with --verbose"
says '50 objects' -- fit 'kpca(dim=2)' X.npy -o m.rkhs
# an array of three dimensions: one line says how it is taken
"$PYTHON" - <<'PY'
import array, struct
values = array.array("d", [i * i % 7 for i in range(60)])
header = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3, 4), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
open("images.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes())
PY
says images.npy '5 x 3 x 4' '5 objects' '12 numbers' / '5 objects' \
    -- fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' images.npy -z Z.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' images.npy -z Z.npy -q && shape Z.npy
# a kernel that overflows on good data is named, not the data
npy large.npy 2 1e100 2 3 4 5 6
refuses 1 large.npy 'poly(degree=5)' inf 'row 1' 'column 1' 1e150 -- gram 'poly(degree=5)' large.npy -o K.npy
refuses 1 'poly(degree=5, gamma=0.5, coef0=1)' -- fit 'kpca(dim=1)' --kernel 'poly(degree=5)' large.npy -z K.npy -q
# an iteration too few
says converge '1 iteration' ridge 'max_iter' / '50 objects' \
    -- fit 'krr(solver=cg(max_iter=1), ridge=1e-9)' X.npy --target X.npy --kernel 'rbf(sigma=1)' -z Z.npy
