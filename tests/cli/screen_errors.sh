. "$LIB"
# One error of each kind, whole: a command, an option, a spec, a value in a file, a file that is not there, data that do not fit a model,
# a result that cannot be written. Other tests check the exit code and the words that matter: see `refuses` in lib.bash.
rkhs sample 'circles(n=20)' -o X.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -q
printf 'a,b\n1,2\n3,four\n' >text.csv
npy three.npy 3 1 2 3 4 5 6
try fitt 'kpca(dim=2)' X.npy
try fit 'kpca(dim=2)' X.npy --kernal rbf -o n.rkhs
try fit 'kpca(dims=2)' X.npy -o n.rkhs
try fit 'kpca(dim=2)' text.csv -o n.rkhs
try transform m.rkhs missing.csv -o Z.npy
try transform m.rkhs three.npy -o Z.npy
try gram rbf X.npy -o /dev/full
