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
refuses 1 '656 rows' '700 columns' '44 rows' -- gram --merge p0.npy p2.npy -o N.npy
refuses 1 'row 2' 'column 1' 0.96491507502854668 p1.npy 'row 1' 'column 2' 0.57356521653058401 \
    -- gram --merge p1.npy p0.npy p2.npy -o N.npy
refuses 1 '744 rows' '700 columns' 44 -- gram --merge p0.npy p1.npy p2.npy p1.npy -o N.npy
refuses 1 X.npy '3 columns' p0.npy 700 -- gram --merge p0.npy X.npy -o N.npy
refuses 2 '--merge PART...' -- gram --merge -o N.npy
refuses 2 p1.npy overwritten -- gram --merge p0.npy p1.npy p2.npy -o p1.npy
refuses 1 N.csv --merge .npy -- gram --merge p0.npy p1.npy p2.npy -o N.csv
refuses 2 --rows --merge -- gram --merge p0.npy p1.npy p2.npy -o N.npy --rows 1:2
refuses 2 --merge --format --output-format --label-column -- gram --merge p0.npy p1.npy p2.npy -o N.npy --format csv
refuses 1 X.npy '700 rows' '0 to 699' '--rows 600:701' -- gram rbf X.npy --rows 600:701 -o N.npy
refuses 1 X.npy '700 rows' '0 to 699' '--rows 700:' -- gram rbf X.npy --rows 700: -o N.npy
refuses 2 '--rows 5:5' TO FROM -- gram rbf X.npy --rows 5:5 -o N.npy
refuses 2 --rows FROM:TO "'5-7'" -- gram rbf X.npy --rows 5-7 -o N.npy
refuses 2 --rows FROM:TO "'99999999999999999999:'" -- gram rbf X.npy --rows 99999999999999999999: -o N.npy
refuses 2 --rows X.npy A -- gram rbf X.npy X.npy --rows 5:7 -o N.npy
refuses 1 '400 x 700' '2.2 MB' '1.0 MB' --memory -- gram rbf X.npy --rows 0:400 -o N.npy --memory 1M
