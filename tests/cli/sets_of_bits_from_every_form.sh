. "$LIB"
# the same 4 sets of 11 bits as text, as a table, as bytes and packed
printf '#FPS1\n#num_bits=11\n0504\ta\n0704\tb\n0000\tc\nff02\td\n' >x.fps
printf '1,0,1,0,0,0,0,0,0,0,1\n1,1,1,0,0,0,0,0,0,0,1\n0,0,0,0,0,0,0,0,0,0,0\n1,1,1,1,1,1,1,1,0,1,0\n' >x.csv
sed 's/,/\t/g' x.csv >x.tsv
bytes() { # bytes FILE COLUMNS HEX: an array of bytes
    "$PYTHON" - "$@" <<'PY'
import sys
path, columns, data = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data) // columns}, {columns}), }}"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
open(path, "wb").write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)
PY
}
bytes x.npy 11 "$(tr -d ',\n' <x.csv | sed 's/./0&/g')"
bytes little.npy 2 050407040000ff02
bytes big.npy 2 a020e0200000ff40
rkhs gram tanimoto x.fps --output-format csv | cat
rkhs gram tanimoto x.fps -o K.npy
for name in x.csv x.tsv x.npy; do rkhs gram tanimoto $name | cmp - K.npy; done
rkhs gram tanimoto little.npy --format 'npy(packed=little, bits=11)' | cmp - K.npy
rkhs gram tanimoto big.npy --format 'npy(packed=big, bits=11)' | cmp - K.npy
rkhs gram tanimoto x.fps x.csv | cmp - K.npy
cat x.fps | rkhs gram tanimoto - | cmp - K.npy
# kernels on numbers take bits
for kernel in linear 'poly(degree=2)' 'rbf(gamma=0.1)' 'laplacian(sigma=2)' cosine; do
    rkhs gram "$kernel" x.csv -o A.npy
    rkhs gram "$kernel" x.fps -o B.npy
    near A.npy B.npy 1e-14
done
# fit, transform, inverse; the kernel of a file of bits is tanimoto
says '4 objects' tanimoto '3 dimensions' 100.0% -- fit 'kpca(dim=3)' x.fps -o m.rkhs -z Z.npy
rkhs transform m.rkhs x.csv -o T.npy && near Z.npy T.npy 1e-12
rkhs inverse m.rkhs Z.npy -o back.csv && cmp back.csv x.csv
rkhs fit 'kpca(dim=2, gram=nystrom(landmarks=3))' x.csv --kernel tanimoto -o n.rkhs -z Y.npy -q
rkhs transform n.rkhs x.fps -o T.npy && near Y.npy T.npy 1e-12
npy targets.npy 1 1 2 3 4
rkhs fit krr x.fps --target targets.npy -o k.rkhs -q && rkhs info k.rkhs | grep '^kernel'
