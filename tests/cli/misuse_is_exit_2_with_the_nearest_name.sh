. "$LIB"
rkhs sample 'circles(n=20)' -o X.npy
try fitt 'kpca(dim=2)' X.npy
try zzzz
try help plto
try --quiet fit
try fit 'kpca(dim=2)' X.npy --kernal rbf -o m.rkhs
try fit 'kpca(dim=2)' X.npy -w -o m.rkhs
try fit 'kpca(dim=2)' X.npy --labels-out y.npy -o m.rkhs
try fit
try fit 'kpca(dim=2)'
try fit 'kpca(dim=2)' X.npy extra -o m.rkhs
try fit 'kpca(dim=2)' X.npy
try fit 'kpca(dim=2)' X.npy -o
try fit 'kpca(dim=2)' X.npy -o --quiet
try fit 'kpca(dim=2)' X.npy -o Z.npy
try fit 'kpca(dim=2)' X.npy -o X.npy.rkhs -z ./X.npy
try fit 'kpca(dim=2)' X.npy -o - -z -
try fit 'kpca(dim=2)' X.npy -o m.rkhs -z m.rkhs
try fit 'kpca(dim=2)' X.npy -o m.rkhs --labels y.npy --target t.npy
try fit 'kpca(dim=2)' X.npy --output= --quiet
try fit 'kpca(dim=2)' X.npy -o m.rkhs --quiet=yes
try fit 'kpca(dim=2)' X.npy -o m.rkhs --threads many
try fit 'kpca(dim=2)' X.npy -o m.rkhs --threads -1
try fit 'kpca(dim=2)' X.npy -o m.rkhs --seed=-1
try fit 'kpca(dim=2)' X.npy -o m.rkhs --memory 8X
try fit 'kpca(dim=2)' X.npy -o m.rkhs --memory 0
try gram rbf X.npy -o X.npy
try fit X.npy 'kpca(dim=2)' -o m.rkhs
try gram X.npy rbf -o K.npy
try score 'knn(k=5)'
try gram rbf - - -o K.npy
try score 'knn(k=5)' --z - --labels -
try plot
try info
try sample 'circles(n=5)' -o - --labels-out -
