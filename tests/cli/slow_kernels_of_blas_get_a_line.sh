. "$LIB"
# OpenBLAS that does not know the processor: one line names the variable that helps
grep -qs avx2 /proc/cpuinfo || { echo "this processor has no AVX2"; exit 77; }
ldd "$RKHS" | awk '/liblapack/ { print $3 }' | xargs readlink -f | grep -q openblas || { echo "LAPACK is not that of OpenBLAS"; exit 77; }
rkhs sample 'circles(n=1000)' -o X.npy
export OPENBLAS_CORETYPE=Prescott
says Prescott OPENBLAS_CORETYPE / '1000 objects' -- fit 'kpca(dim=2, solver=dense)' --kernel 'rbf(sigma=1)' X.npy -z Z.npy
says -- fit 'kpca(dim=2, solver=dense)' --kernel 'rbf(sigma=1)' X.npy -z Z.npy -q
# without LAPACK there is nothing to say
says '1000 objects' -- fit 'kpca(dim=2, solver=lanczos)' --kernel 'rbf(sigma=1)' X.npy -z Z.npy
rkhs sample 'circles(n=500)' -o X.npy
says '500 objects' -- fit 'kpca(dim=2, solver=dense)' --kernel 'rbf(sigma=1)' X.npy -z Z.npy
# nor with kernels that suit
rkhs sample 'circles(n=1000)' -o X.npy
OPENBLAS_CORETYPE=Haswell says '1000 objects' -- fit 'kpca(dim=2, solver=dense)' --kernel 'rbf(sigma=1)' X.npy -z Z.npy
