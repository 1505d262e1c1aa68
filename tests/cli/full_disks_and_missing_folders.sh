. "$LIB"
rkhs sample 'circles(n=300)' -o X.npy --labels-out y.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q
try sample 'circles(n=300)' -o /dev/full
try fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -o /dev/full
try fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -z Z2.npy -o /dev/full
try gram 'rbf(sigma=1)' X.npy -o /dev/full
try transform m.rkhs X.npy -o /dev/full
try inverse m.rkhs Z.npy -o /dev/full
try plot Z.npy -o /dev/full
for command in 'list kernels' 'help' 'info m.rkhs' 'gram rbf(sigma=1) X.npy' 'plot Z.npy'; do
    "$RKHS" $command >/dev/full
    echo "$command: exit $?"
done 2>&1
(ulimit -f 64; try gram 'rbf(sigma=1)' X.npy -o K.npy)
try gram 'rbf(sigma=1)' X.npy -o nowhere/K.npy
try fit 'kpca(dim=2)' X.npy -o nowhere/m.rkhs
try plot Z.npy -o X.npy/p.svg
mkdir taken.npy
try gram 'rbf(sigma=1)' X.npy -o taken.npy
try plot Z.npy -o taken.npy
