. "$LIB"
rkhs sample -q 'cubes(n=40)' -o X.npy
rkhs sample -q 'cubes(n=40)' --seed 1 -o P.npy
rkhs sample -q 'cubes(n=40, noise=0.5)' --seed 2 -o N.npy
for i in $(seq 0 39); do echo "$i,$(((i + 8) % 40)),$(((i + 3) % 40))"; done >T.csv
cut -d, -f1,2 T.csv >pairs.csv

echo 'Given, drawn, in files: -z has the rows of X.'
rkhs fit -q contrastive X.npy --triplets T.csv -z t.csv -o t.rkhs
rkhs fit -q spectral X.npy --triplets pairs.csv -z p.csv
rkhs fit -q 'contrastive(dim=2)' X.npy --augment 'noise(0.3)' -z a.csv
rkhs fit -q 'contrastive(dim=2, augment=noise(0.3))' X.npy -z b.csv
rkhs fit -q 'contrastive()' X.npy --positive P.npy --negative N.npy -z f.csv -o f.rkhs
rkhs fit -q contrastive X.npy --positive P.npy -z g.csv
wc -l t.csv p.csv a.csv b.csv f.csv g.csv | sed 's/^ *//'
cmp a.csv b.csv && echo 'an option or a parameter: the same'
{ echo ,0,1,2; awk '{ print NR - 1 "," $0 }' T.csv; } >pandas.csv
says pandas.csv 'first column' 'left out' / '40 objects' -- fit contrastive X.npy --triplets pandas.csv -z n.csv
cmp t.csv n.csv && echo 'rows and columns numbered: the same'
rkhs info t.rkhs | sed -n 's/^bound/bound/p;s/^triplets  */triplets /p' | cut -c 1-60
rkhs info f.rkhs | sed -n 's/^objects  */objects /p'
rkhs transform -q f.rkhs X.npy -o f2.csv
paste -d, f.csv f2.csv | awk -F, '{ d = $1 - $3; e = $2 - $4; if (d * d + e * e > 1e-20) bad++ } END { print bad + 0, "rows differ" }'

rkhs sample -q 'cubes(n=40)' -o X.npy --labels-out y.npy
rkhs select -q 'contrastive(dim=?)' --kernel 'rbf(sigma=1)' --try dim=1,2,3 --labels y.npy --by 'knn(k=3)' --folds 4 X.npy -z best.csv |
    grep -c '^[ *] [123] '
wc -l <best.csv

echo 'Selected with what fit takes.'
for what in '--triplets T.csv' '--positive P.npy --negative N.npy' "--augment noise(?level)"; do
    tries=--try=dim=1,2
    [ "${what#--augment}" = "$what" ] || tries='--try=dim=2 --try=level=0.1,0.3'
    for folds in '' '--folds 3'; do
        rkhs select -q 'contrastive(dim=?)' --kernel 'rbf(sigma=1)' $tries --labels y.npy --by 'knn(k=3)' $folds $what X.npy \
            -z best.csv -o best.rkhs --table tried.tsv >/dev/null || echo failed
        echo "$what $folds: $(tail -n +2 tried.tsv | grep -vc -e '-$') tried, $(wc -l <best.csv) rows, $(rkhs info best.rkhs | sed -n 's/^kept_objects  *//p') kept"
    done
done
rkhs fit -q 'contrastive(dim=2, augment=noise(0.3))' --kernel 'rbf(sigma=1)' X.npy -z one.csv
rkhs select -q 'contrastive(dim=?)' --kernel 'rbf(sigma=1)' --try dim=2 --augment 'noise(0.3)' --labels y.npy --by 'knn(k=3)' X.npy -z two.csv >/dev/null
cmp one.csv two.csv && echo 'as fit makes it'
rkhs fit -q 'contrastive(dim=2)' --kernel 'rbf(sigma=1)' X.npy --positive P.npy --negative N.npy -z one.csv
rkhs select -q 'contrastive(dim=?)' --kernel 'rbf(sigma=1)' --try dim=2 --positive P.npy --negative N.npy --labels y.npy --by 'knn(k=3)' X.npy -z two.csv >/dev/null
cmp one.csv two.csv && echo 'as fit makes it'
for by in T P; do # another file, another result
    [ $by = T ] && what='--triplets T.csv' || what='--triplets U.csv'
    sed 's/,3$/,4/' T.csv >U.csv
    rkhs select -q 'contrastive(dim=?)' --try dim=2 --labels y.npy --by 'knn(k=3)' --resume r.jsonl $what X.npy >/dev/null
done
wc -l <r.jsonl

# Refused.
refuses 2 --triplets --positive -- select contrastive X.npy --by trustworthiness --positive P.npy --triplets T.csv
refuses 2 --negative --positive --triplets -- select contrastive X.npy --by trustworthiness --negative N.npy
refuses 2 --triplets --target -- select contrastive X.npy --by trustworthiness --target X.npy --triplets T.csv
refuses 1 "'flip'" image dense noise -- select contrastive X.npy --by trustworthiness --augment flip -z z.csv
refuses 1 kpca triplets -- select kpca X.npy --by trustworthiness --triplets T.csv -z z.csv
echo '0,20,1' >one.csv
refuses 1 one.csv 'part 4 of 20' folds \
    -- select contrastive X.npy --by trustworthiness --folds 20 --triplets one.csv -z z.csv
echo '0,0,1' >bad.csv
refuses 1 X.npy bad.csv 'triplet 1' 'object 0' twice -- fit contrastive X.npy --triplets bad.csv -z z.csv
echo '0,1,40' >bad.csv
refuses 1 bad.csv 'row 1' 'column 3' 40 '0 to 39' -- fit contrastive X.npy --triplets bad.csv -z z.csv
refuses 2 --negative --positive --triplets -- fit contrastive X.npy --negative N.npy -z z.csv
refuses 2 --triplets --positive -- fit contrastive X.npy --positive P.npy --triplets T.csv -z z.csv
refuses 2 --triplets --labels -- fit contrastive X.npy --labels y.npy --triplets T.csv -z z.csv
rkhs sample -q 'cubes(n=39)' -o few.npy
refuses 1 few.npy '39 rows' X.npy 40 -- fit contrastive X.npy --positive few.npy -z z.csv
rkhs sample -q 'cubes(n=40, dim=2)' -o narrow.npy
refuses 1 X.npy narrow.npy '2 columns' 3 -- fit contrastive X.npy --positive narrow.npy -z z.csv
refuses 1 X.npy "'flip'" image dense noise -- fit contrastive X.npy --augment flip -z z.csv
refuses 1 "'nois'" noise 'rkhs list augments' -- fit contrastive X.npy --augment nois -z z.csv
refuses 1 kpca "'augment'" dim gram solver negative -- fit kpca X.npy --augment noise -z z.csv
refuses 1 kpca triplets -- fit kpca X.npy --triplets T.csv -z z.csv
refuses 1 augment triplets -- fit contrastive X.npy --augment noise --triplets T.csv -z z.csv
refuses 1 spectral ridge 1e+06 50.5398 -- fit 'spectral(ridge=1e6)' X.npy -z z.csv
rkhs gram -q rbf X.npy -o K.npy
refuses 1 K.npy precomputed augmented triplets -- fit contrastive --kernel precomputed K.npy -z z.csv
refuses 2 --positive --triplets -- fit contrastive --kernel precomputed K.npy --positive P.npy -z z.csv
rkhs fit -q contrastive --kernel precomputed K.npy --triplets T.csv -z k.csv
[ ! -e z.csv ]
