. "$LIB"
rkhs sample 'circles(n=200, noise=0.1)' -o X.npy
rkhs sample 'circles(n=200, noise=0.1)' --seed 1 -o same.npy
npy far.npy 2 100 100 0 5 -3 3
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=2)' X.npy -o m.rkhs -q
nothing=('1 of the 3' 'kernel values' 'row 1') # what is said of objects that share nothing with those of the model
for by in error both; do
    says "${nothing[@]}" -- anomaly m.rkhs far.npy --by $by -o far-$by.npy && shape far-$by.npy
    rkhs anomaly m.rkhs same.npy --by $by --output-format csv -o - | sort -g | tail -n 20 | head -n 1 >high
    says "${nothing[@]}" \
        -- anomaly m.rkhs far.npy --by $by --output-format csv | awk -v high="$(cat high)" '{print ($1 > high ? "stranger" : "no") " by '$by'"}'
done
says "${nothing[@]}" -- anomaly m.rkhs far.npy --by density -o d.csv && wc -l <d.csv
# The default is the error, from a file or a pipe, on any number of threads.
says "${nothing[@]}" -- anomaly m.rkhs far.npy --threads 1 | cmp - far-error.npy
says "${nothing[@]}" -- anomaly m.rkhs - --format npy --threads 3 <far.npy | cmp - far-error.npy
# A Gram has no k(x,x) of new objects: density.
rkhs gram 'rbf(sigma=2)' X.npy -o K.npy
rkhs gram 'rbf(sigma=2)' far.npy X.npy -o new.npy
rkhs fit 'kpca(dim=2)' --kernel precomputed K.npy -o g.rkhs -q
says "${nothing[@]}" -- anomaly g.rkhs new.npy -o g.npy && shape g.npy
says "${nothing[@]}" -- anomaly m.rkhs far.npy --by density -o d.npy && near d.npy g.npy 1e-8
refuses 1 new.npy error 'k(x,x)' precomputed density -- anomaly g.rkhs new.npy --by error -o no.npy
# Strings too.
printf '%s\n' 'the cat sat on the mat' 'the cat sat on a mat' 'a cat sat on the mat' 'the cat on the mat' 'a cat on a mat' >a.txt
printf '%s\n' 'the cat sat on mat' 'xyzzy plugh' >b.txt
rkhs fit 'kpca(dim=2)' a.txt -o s.rkhs -q
says '1 of the 2' 'kernel values' 'row 2' \
    -- anomaly s.rkhs b.txt --output-format csv | awk 'NR == 1 {first = $1} NR == 2 {print ($1 > first ? "stranger" : "no")}'
# Refusals.
npy t.npy 1 $(seq 200)
rkhs fit krr X.npy --target t.npy -o krr.rkhs -q
npy narrow.npy 1 1 2 3
npy nan.npy 2 1 nan 2 3
: >empty.npy
refuses 1 krr predicts -- anomaly krr.rkhs far.npy -o no.npy
refuses 1 narrow.npy '1 column' 2 -- anomaly m.rkhs narrow.npy -o no.npy
refuses 1 nan.npy 'row 1' 'column 2' NaN -- anomaly m.rkhs nan.npy -o no.npy
refuses 1 empty.npy empty -- anomaly m.rkhs empty.npy -o no.npy
refuses 1 b.txt rbf dense sparse bits 'not string' -- anomaly m.rkhs b.txt --format lines -o no.npy
refuses 1 "'eror'" error density both -- anomaly m.rkhs far.npy --by eror -o no.npy
refuses 2 far.npy overwritten -- anomaly m.rkhs far.npy -o far.npy
refuses 2 'X is missing' 'rkhs anomaly MODEL X' -- anomaly m.rkhs -o no.npy
refuses 1 X.npy 'rkhs fit -o' -- anomaly X.npy far.npy -o no.npy
