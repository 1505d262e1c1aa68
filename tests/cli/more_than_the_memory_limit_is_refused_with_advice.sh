. "$LIB"
rkhs sample 'swiss_roll(n=5000)' -o X.npy
try fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -o m.rkhs --memory 100M
try gram 'rbf(sigma=1)' X.npy -o K.npy --memory 100M
try fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -o m.rkhs --memory 10k | sed 's/[0-9.]* [a-zA-Z]* more are needed, [0-9.]* [a-zA-Z]* are in use/N more are needed, N are in use/'
rkhs fit 'kpca(dim=2, gram=nystrom(m=200))' X.npy --kernel 'rbf(sigma=median)' -o m.rkhs --memory 100M -q && ls m.rkhs
