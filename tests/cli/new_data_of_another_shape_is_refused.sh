. "$LIB"
rkhs sample 'circles(n=30)' -o X.npy --labels-out y.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q
npy three.npy 3 1 2 3 4 5 6
npy one.npy 1 1 2 3
try transform m.rkhs three.npy -o T.npy
try transform m.rkhs one.npy -o T.npy
try inverse m.rkhs three.npy -o I.npy
try gram 'rbf(sigma=1)' X.npy three.npy -o K.npy
npy two.npy 2 1 2 3 4
try score 'knn(k=1)' --z two.npy --labels y.npy
try plot two.npy --labels y.npy -o p.svg
