. "$LIB"
rkhs sample 'circles(n=100)' >X.npy
rkhs sample 'circles(n=100)' -o - | cmp - X.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' - -z - -q --format npy <X.npy | cmp - Z.npy
rkhs transform m.rkhs X.npy >T.npy
rkhs transform m.rkhs - <X.npy | cmp - T.npy
rkhs transform m.rkhs - <X.npy -o - | rkhs inverse m.rkhs - >I.npy && rkhs inverse m.rkhs T.npy | cmp - I.npy
rkhs sample 'circles(n=100)' --format csv >X.csv
rkhs transform m.rkhs - --format csv <X.csv | cmp - T.npy
gzip -k X.npy X.csv
rkhs transform m.rkhs X.npy.gz | cmp - T.npy
rkhs transform m.rkhs X.csv.gz | cmp - T.npy
rkhs transform m.rkhs - <X.npy.gz | cmp - T.npy
rkhs transform m.rkhs X.npy --output-format csv >T.csv && rkhs transform m.rkhs X.npy -o T2.csv && cmp T.csv T2.csv
rkhs gram 'rbf(sigma=1)' X.npy | cmp - <(rkhs gram 'rbf(sigma=1)' X.csv X.npy)
rkhs plot Z.npy | head -c 4
rkhs plot Z.npy -o - | cmp - <(rkhs plot - <Z.npy)
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o - -q | cmp - m.rkhs
rkhs transform - X.npy <m.rkhs | cmp - T.npy
rkhs sample 'circles(n=100)' --labels-out - -o X3.npy | rkhs plot Z.npy --labels - | cmp - <(rkhs sample 'circles(n=100)' --labels-out y.npy >/dev/null; rkhs plot Z.npy --labels y.npy)
cp m.rkhs other && rkhs info other | head -1
rkhs list | head -1 >/dev/null
wc -l <T.csv
