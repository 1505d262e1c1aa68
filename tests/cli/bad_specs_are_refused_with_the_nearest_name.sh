. "$LIB"
rkhs sample 'circles(n=30)' -o X.npy --labels-out y.npy
fit() { try fit "$1" --kernel "$2" X.npy -o m.rkhs; }
fit 'kpca(dim=0)' 'rbf(sigma=1)'
fit 'kpca(dim=-2)' 'rbf(sigma=1)'
fit 'kpca(dim=two)' 'rbf(sigma=1)'
fit 'kpca(dim=31)' 'rbf(sigma=1)'
fit 'kpac(dim=2)' 'rbf(sigma=1)'
fit 'kpca(dims=2)' 'rbf(sigma=1)'
fit 'kpca(dim=2' 'rbf(sigma=1)'
fit 'kpca(dim=2)' 'rbf(sigma=-1)'
fit 'kpca(dim=2)' 'rbf(sigma=0)'
fit 'kpca(dim=2)' 'rbff'
fit 'kpca(dim=2)' 'rbf(sigam=1)'
fit 'kpca(dim=2)' 'rbf(sigma=mediann)'
fit 'kpca(dim=2)' 'rbf(sigma=medain)'
fit 'kpca(dim=2)' 'rbf(sigma=knn(0))'
fit 'kpca(dim=2)' 'rbf(sigma=median(3))'
fit 'kpca(dim=2, negative=flp)' 'rbf'
fit 'kpca(dim=2)' 'sum(rbf, linear)'
fit 'kpca(dim=2)' 'product(rbf(sigma=1), linear)'
fit 'kpca(dim=2)' 'scale(2, rbf)'
fit 'kpca(dim=2)' 'sum'
fit 'kpca(dim=2)' 'rbf(sigma=1) + '
fit 'kpca(dim=2)' ''
fit 'kpca(dim=2, gram=nystrom(m=0))' 'rbf'
fit 'kpca(dim=2, gram=nystrm(m=5))' 'rbf'
fit 'kpca(dim=2)' 'precomputed'
try gram 'rbf(gamma=1)' y.npy X.npy -o K.npy
try sample 'circle(n=5)' -o S.npy
try sample 'circles(n=0)' -o S.npy
try score 'kn(k=5)' --z X.npy --labels y.npy
try score 'knn(k=5)' --z X.npy
try score 'knn(k=0)' --z X.npy --labels y.npy
try fit 'kpca(dim=2)' X.npy --labels y.npy -o m.rkhs
try gram rbf X.npy -o K.xyz
try transform X.npy m.rkhs -o Z.npy
