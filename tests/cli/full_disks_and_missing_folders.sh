. "$LIB"
rkhs sample 'circles(n=300)' -o X.npy --labels-out y.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q
refuses 1 /dev/full 'No space' -- sample 'circles(n=300)' -o /dev/full
refuses 1 /dev/full 'No space' -- fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -o /dev/full
refuses 1 /dev/full 'No space' -- fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -z Z2.npy -o /dev/full
refuses 1 /dev/full 'No space' -- gram 'rbf(sigma=1)' X.npy -o /dev/full
refuses 1 /dev/full 'No space' -- transform m.rkhs X.npy -o /dev/full
refuses 1 /dev/full 'No space' -- inverse m.rkhs Z.npy -o /dev/full
refuses 1 /dev/full 'No space' -- plot Z.npy -o /dev/full
for command in 'list kernels' 'help' 'info m.rkhs' 'gram rbf(sigma=1) X.npy' 'plot Z.npy'; do
    said=$("$RKHS" $command 2>&1 >/dev/full) && echo "$command succeeds"
    names "$said" 'standard output' && names "$said" 'No space' || echo "$command: $said"
done
(ulimit -f 64; refuses 1 K.npy 'File too large' -- gram 'rbf(sigma=1)' X.npy -o K.npy)
refuses 1 nowhere/K.npy 'mkdir -p nowhere' -- gram 'rbf(sigma=1)' X.npy -o nowhere/K.npy
refuses 1 nowhere/m.rkhs 'mkdir -p nowhere' -- fit 'kpca(dim=2)' X.npy -o nowhere/m.rkhs
refuses 1 X.npy/p.svg 'X.npy is not a folder' -- plot Z.npy -o X.npy/p.svg
mkdir taken.npy
refuses 1 taken.npy folder -- gram 'rbf(sigma=1)' X.npy -o taken.npy
refuses 1 taken.npy folder -- plot Z.npy -o taken.npy
