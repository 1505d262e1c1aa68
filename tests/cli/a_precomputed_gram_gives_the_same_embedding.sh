. "$LIB"
rkhs sample 'circles(n=120)' -o X.npy
rkhs sample 'circles(n=15)' --seed 9 -o N.npy
rkhs gram 'rbf(sigma=1.5)' X.npy -o K.npy
rkhs gram 'rbf(sigma=1.5)' N.npy X.npy -o KN.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1.5)' X.npy -o a.rkhs -z A.npy -q
rkhs fit 'kpca(dim=2)' --kernel precomputed K.npy -o b.rkhs -z B.npy -q
near A.npy B.npy 1e-8
rkhs transform a.rkhs N.npy -o AN.npy
rkhs transform b.rkhs KN.npy -o BN.npy
near AN.npy BN.npy 1e-8
shape K.npy KN.npy AN.npy
refuses 1 N.npy '2 columns' 120 -- transform b.rkhs N.npy -o C.npy
npy indefinite.npy 3 1 2 0 2 1 0 0 0 1
says 'positive semi-definite' -1 negative / '3 objects' \
    -- fit 'kpca(dim=1)' --kernel precomputed indefinite.npy -z C.npy
refuses 1 -1 1.66667 negative=clip negative=flip \
    -- fit 'kpca(dim=1, negative=refuse)' --kernel precomputed indefinite.npy -z D.npy
refuses 1 N.npy square '15 x 2' -- fit 'kpca(dim=1)' --kernel precomputed N.npy -z C.npy
