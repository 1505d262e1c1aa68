. "$LIB"
# The whole screen of a model; its numbers are results, which other tests check.
rkhs sample 'circles(n=380)' -o X.npy
rkhs fit 'kpca(dim=2)' X.npy -o m.rkhs -q
rkhs info m.rkhs | sed 's/[0-9][-0-9.e]*/N/g'
