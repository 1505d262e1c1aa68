. "$LIB"
rkhs sample 'swiss_roll(n=700)' -o X.npy
rkhs gram 'rbf(sigma=median)' X.npy -o K.npy
rkhs gram 'rbf(sigma=median)' X.npy --rows :256 -o p0.npy --threads 1
rkhs gram 'rbf(sigma=median)' X.npy --rows 256:300 -o p1.npy --threads 2
rkhs gram 'rbf(sigma=median)' X.npy --rows 300: -o p2.npy --threads 3
rkhs gram --merge p0.npy p1.npy p2.npy -o M.npy
cmp M.npy K.npy && echo merged
rkhs gram --merge - p1.npy p2.npy <p0.npy | cmp - K.npy && echo merged through pipes
rkhs gram 'rbf(sigma=median)' X.npy --rows : | cmp - K.npy && echo all rows
shape p0.npy p1.npy p2.npy M.npy
# 3.9 MB and less memory than that
rkhs fit kpca --kernel precomputed M.npy -o m.rkhs -z Z.npy --memory 4.1M --threads 1 -q
rkhs fit kpca --kernel 'rbf(sigma=median)' X.npy -z W.npy -q
near Z.npy W.npy 1e-8
rkhs transform m.rkhs p2.npy -o T.npy --memory 4.1M --threads 1
shape T.npy
echo
try gram --merge p0.npy p2.npy -o N.npy
try gram --merge p1.npy p0.npy p2.npy -o N.npy
try gram --merge p0.npy p1.npy p2.npy p1.npy -o N.npy
try gram --merge p0.npy X.npy -o N.npy
try gram --merge -o N.npy
try gram --merge p0.npy p1.npy p2.npy -o p1.npy
try gram --merge p0.npy p1.npy p2.npy -o N.csv
try gram --merge p0.npy p1.npy p2.npy -o N.npy --rows 1:2
try gram --merge p0.npy p1.npy p2.npy -o N.npy --format csv
try gram rbf X.npy --rows 600:701 -o N.npy
try gram rbf X.npy --rows 700: -o N.npy
try gram rbf X.npy --rows 5:5 -o N.npy
try gram rbf X.npy --rows 5-7 -o N.npy
try gram rbf X.npy --rows 99999999999999999999: -o N.npy
try gram rbf X.npy X.npy --rows 5:7 -o N.npy
try gram rbf X.npy --rows 0:400 -o N.npy --memory 1M
