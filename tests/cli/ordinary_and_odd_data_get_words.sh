. "$LIB"
# constant columns and duplicate rows are ordinary
npy constant.npy 3 1 5 2 3 5 4 5 5 7 1 5 2 1 5 2 8 5 1
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' constant.npy -z Z.npy -q && shape Z.npy
# columns of very different range: one line of advice, not with --quiet
npy ranges.npy 2 1 1000 2 5000 3 90000 4 20000 5 7 6 88
rkhs fit 'kpca(dim=1)' --kernel 'rbf(sigma=median)' ranges.npy -z A.npy 2>words
grep -v '^rkhs fit:' words
rkhs fit 'kpca(dim=1)' --kernel 'rbf(sigma=median)' ranges.npy -z B.npy -q 2>&1
cmp A.npy B.npy
# the model's own kernel, more words with --verbose
rkhs sample 'circles(n=50)' -o X.npy
rkhs fit 'kpca(dim=2)' X.npy -o m.rkhs --verbose 2>words && test "$(wc -l <words)" -ge 1 && echo "words with --verbose"
rkhs fit 'kpca(dim=2)' X.npy -o m.rkhs 2>&1 | wc -l
