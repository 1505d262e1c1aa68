. "$LIB"
rkhs sample -o X.npy 'circles(n=60)' --seed 3
rkhs sample --seed=3 'circles(n=60)' -oX2.npy && cmp X.npy X2.npy
rkhs sample 'circles(n=60)' --output=X3.npy --seed 4 --seed 3 && cmp X.npy X3.npy
rkhs fit --quiet 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o a.rkhs
rkhs fit -q -k 'rbf(sigma=1)' -o b.rkhs -- 'kpca(dim=2)' X.npy && cmp a.rkhs b.rkhs
rkhs fit 'kpca(dim=2)' X.npy -k'rbf(sigma=1)' -qoc.rkhs --memory 1G --threads 1 && cmp a.rkhs c.rkhs
cp X.npy ./-odd.npy
rkhs transform -o Z.npy -- a.rkhs -odd.npy && shape Z.npy
for memory in 100M 100MB 100MiB 0.1G 100000000; do
    rkhs gram 'rbf(gamma=1)' X.npy -o K.npy --memory $memory || echo "$memory refused"
done
ls
