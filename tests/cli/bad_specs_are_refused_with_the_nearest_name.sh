. "$LIB"
rkhs sample 'circles(n=30)' -o X.npy --labels-out y.npy
# bad MODEL KERNEL CODE WORD...
bad() { refuses "${@:3}" -- fit "$1" --kernel "$2" X.npy -o m.rkhs; }
bad 'kpca(dim=0)' 'rbf(sigma=1)' 1 kpca dim 'at least 1' 'not 0' 2
bad 'kpca(dim=-2)' 'rbf(sigma=1)' 1 kpca dim 'at least 1' 'not -2' 2
bad 'kpca(dim=two)' 'rbf(sigma=1)' 1 kpca dim number two
bad 'kpca(dim=31)' 'rbf(sigma=1)' 1 X.npy kpca 'dim = 31' '30 rows'
bad 'kpac(dim=2)' 'rbf(sigma=1)' 1 model "'kpac'" kpca 'rkhs list models'
bad 'kpca(dims=2)' 'rbf(sigma=1)' 1 kpca "'dims'" 'mean dim' gram solver negative
bad 'kpca(dim=2' 'rbf(sigma=1)' 1 "'kpca(dim=2'" "','" "')'" 'position 11' end
bad 'kpca(dim=2)' 'rbf(sigma=-1)' 1 rbf sigma 'above 0' 'not -1' median
bad 'kpca(dim=2)' 'rbf(sigma=0)' 1 rbf sigma 'above 0' 'not 0' median
bad 'kpca(dim=2)' 'rbff' 1 kernel "'rbff'" rbf 'rkhs list kernels'
bad 'kpca(dim=2)' 'rbf(sigam=1)' 1 rbf "'sigam'" 'mean sigma' gamma
bad 'kpca(dim=2)' 'rbf(sigma=mediann)' 1 rbf sigma number mediann 'mean median'
bad 'kpca(dim=2)' 'rbf(sigma=medain)' 1 rbf sigma number medain 'mean median'
bad 'kpca(dim=2)' 'rbf(sigma=knn(0))' 1 rbf sigma=knn k 'above 0' 'not 0' 10
bad 'kpca(dim=2)' 'rbf(sigma=median(3))' 1 rbf sigma=median brackets
bad 'kpca(dim=2, negative=flp)' 'rbf' 1 kpca negative 'clip|flip|refuse' flp 'mean flip'
bad 'kpca(dim=2)' 'sum(rbf, linear)' 1 "'sum'" 'rbf + linear'
bad 'kpca(dim=2)' 'product(rbf(sigma=1), linear)' 1 "'product'" 'rbf(...)*linear'
bad 'kpca(dim=2)' 'scale(2, rbf)' 1 "'scale'" '2*rbf'
bad 'kpca(dim=2)' 'sum' 1 "'sum'" 'a + b'
bad 'kpca(dim=2)' 'rbf(sigma=1) + ' 1 "'rbf(sigma=1) + '" name 'position 16' end
bad 'kpca(dim=2)' '' 2 --kernel empty KERNEL
bad 'kpca(dim=2, gram=nystrom(landmarks=0))' 'rbf' 1 nystrom landmarks 'at least 1' 'not 0' 500
bad 'kpca(dim=2, gram=nystrm(landmarks=5))' 'rbf' 1 "'nystrm'" nystrom 'rkhs list grams'
bad 'kpca(dim=2)' 'precomputed' 1 X.npy square '30 x 2'
refuses 1 y.npy X.npy '1 columns' 2 -- gram 'rbf(gamma=1)' y.npy X.npy -o K.npy
refuses 1 circle circles 'rkhs list samples' -- sample 'circle(n=5)' -o S.npy
refuses 1 circles n 'at least 3' 0 380 -- sample 'circles(n=0)' -o S.npy
refuses 1 kn knn 'rkhs list scores' -- score 'kn(k=5)' --z X.npy --labels y.npy
refuses 1 knn labels --labels -- score 'knn(k=5)' --z X.npy
refuses 1 knn k 'at least 1' 0 5 -- score 'knn(k=0)' --z X.npy --labels y.npy
refuses 1 kpca labels -- fit 'kpca(dim=2)' X.npy --labels y.npy -o m.rkhs
refuses 1 K.xyz .npy .csv --output-format -- gram rbf X.npy -o K.xyz
refuses 1 X.npy 'rkhs fit -o' -- transform X.npy m.rkhs -o Z.npy
