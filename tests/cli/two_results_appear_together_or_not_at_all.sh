. "$LIB"
rkhs sample 'circles(n=30)' -o X.npy
echo old >Z.npy
echo old >m.rkhs
cp Z.npy old
# Z.npy would have less than a kilobyte, the model has more.
(ulimit -f 1 && refuses 1 m.rkhs 'File too large' -- fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy)
cmp Z.npy old && cmp m.rkhs old && ls -A
rm Z.npy
(ulimit -f 1 && refuses 1 m.rkhs 'File too large' -- fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy)
ls -A
(ulimit -f 1 && refuses 1 Y.csv 'File too large' -- sample 'circles(n=60)' -o Y.csv --labels-out y.csv)
chmod 640 m.rkhs
ln -s m.rkhs link.rkhs
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o link.rkhs -z Z.npy -q
stat -c '%a %F %n' link.rkhs m.rkhs
rkhs transform m.rkhs X.npy -o T.npy && near Z.npy T.npy 1e-12
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o n.rkhs -z - -q | cmp - Z.npy && cmp m.rkhs n.rkhs
chmod 400 m.rkhs
[ "$(id -u)" -eq 0 ] || rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q 2>/dev/null && echo done
ls -A
# Two names of one file that is not there yet: refused, and nothing is written.
ln -s later.npy same.npy
refuses 1 same.npy later.npy -- sample 'circles(n=12)' -o later.npy --labels-out same.npy -q
refuses 1 ./later.npy later.npy -- sample 'circles(n=12)' -o later.npy --labels-out ./later.npy -q
[ ! -e later.npy ] && echo "nothing was written"
