. "$LIB"
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' "$DATA/iris.csv" --label-column species -o a.rkhs -z a.npy --quiet
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' "$DATA/iris.csv" --label-column 4 -o b.rkhs -z b.npy --quiet
cmp a.rkhs b.rkhs && cmp a.npy b.npy
shape a.npy
rkhs transform a.rkhs "$DATA/iris.csv" --label-column species -o c.npy
near a.npy c.npy 1e-8
rkhs plot a.npy --labels "$DATA/iris.csv" --label-column species -o a.svg
picture a.svg
grep -o '>[a-z]*</text>' a.svg | sort
rkhs score 'knn(k=5)' --z a.npy --labels "$DATA/iris.csv" --label-column species | sed 's/0\.9[0-9]*/0.9.../'
rkhs score 'knn(k=5)' --z a.npy --x "$DATA/iris.csv" --label-column species --json | sed 's/0\.9[0-9]*/0.9.../'
tr , '\t' <"$DATA/iris.csv" >iris.tsv
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' iris.tsv --label-column species -o t.rkhs -q && cmp a.rkhs t.rkhs
tail -n +2 "$DATA/iris.csv" >bare.csv
# Without the names all else is the same.
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' bare.csv --label-column 4 -o n.rkhs -z n.npy -q && near a.npy n.npy 0
refuses 1 "$DATA/digits.npy" CSV TSV --label-column --labels \
    -- fit 'kpca(dim=2)' "$DATA/digits.npy" --label-column 3 -o x.rkhs
refuses 1 iris.tsv "'specie'" "'species'" 'line 1' '0 to 4' \
    -- fit 'kpca(dim=2)' iris.tsv --label-column specie -o x.rkhs
refuses 1 iris.tsv 'column 9' '0 to 4' -- fit 'kpca(dim=2)' iris.tsv --label-column 9 -o x.rkhs
refuses 1 iris.tsv 'line 2' 'column 5' "'species'" "'setosa'" --label-column -- fit 'kpca(dim=2)' iris.tsv -o x.rkhs
