. "$LIB"
rkhs sample 'circles(n=30)' -o X.npy --labels-out y.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q
npy three.npy 3 1 2 3 4 5 6
npy one.npy 1 1 2 3
refuses 1 three.npy '3 columns' 2 -- transform m.rkhs three.npy -o T.npy
refuses 1 one.npy '1 column' 2 -- transform m.rkhs one.npy -o T.npy
refuses 1 three.npy '3 columns' m.rkhs '2 dimensions' -- inverse m.rkhs three.npy -o I.npy
refuses 1 X.npy three.npy '2 columns' 3 -- gram 'rbf(sigma=1)' X.npy three.npy -o K.npy
npy two.npy 2 1 2 3 4
refuses 1 two.npy y.npy '30 labels' '2 rows' -- score 'knn(k=1)' --z two.npy --labels y.npy
refuses 1 y.npy '30 labels' two.npy '2 points' -- plot two.npy --labels y.npy -o p.svg
