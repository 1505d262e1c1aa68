. "$LIB"
rkhs sample 'circles(n=20)' -o X.npy --labels-out y.npy
printf 'a\nb\n' > short.csv
for i in $(seq 20); do echo a; done > one.csv
for i in $(seq 20); do echo '?'; done > none.csv
{ echo b; echo b; for i in $(seq 18); do echo a; done; } > two.csv
echo hello > other.txt
grid=(--kernel 'rbf(sigma=?)' --try sigma=1,2)
refuses 2 --by 'knn(k=3)' 'trustworthiness(k=12)' -- select kpca X.npy "${grid[@]}"
refuses 2 sigma 'rbf(sigma=?)' '--try sigma=VALUES' -- select kpca X.npy --kernel 'rbf(sigma=?)' --by entropy
refuses 2 'rbf(?)' NAME=? ?NAME -- select kpca X.npy --kernel 'rbf(?)' --try sigma=1 --by entropy
refuses 2 '--try sigma' sigma=? ?sigma --kernel -- select kpca X.npy --kernel rbf --try sigma=1 --by entropy
refuses 2 two --try sigma -- select kpca X.npy "${grid[@]}" --try sigma=3 --by entropy
refuses 2 --try NAME=VALUES "'sigma'" -- select kpca X.npy --kernel 'rbf(sigma=?)' --try sigma --by entropy
refuses 2 '--try =1' name -- select kpca X.npy --kernel 'rbf(sigma=?)' --try '=1' --by entropy
refuses 2 '--try sigma=1,,2' empty NAME=VALUE,VALUE 'NAME=log(a,b,n)' \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=1,,2' --by entropy
refuses 2 '--try sigma=1,1' '1 is there twice' \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=1,1' --by entropy
refuses 2 '--try sigma=log(1,2' 'log(a,b,n)' 'lin(a,b,n)' 'log(a,b)' 'lin(a,b)' \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=log(1,2' --by entropy
refuses 2 '--try sigma=log(0,2,3)' 'above 0' \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=log(0,2,3)' --by entropy
refuses 2 '--try sigma=lin(2,1,3)' below \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(2,1,3)' --by entropy
refuses 2 '--try sigma=lin(1,2,1)' third '2 to 100000' \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,2,1)' --by entropy
refuses 2 '--try sigma=lin(1,2)' '--draws N' \
    -- select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,2)' --by entropy
refuses 2 '999000 combinations' 100000 '--draws N' \
    -- select 'kpca(dim=?)' X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,2,1000)' --try 'dim=lin(1,999,999)' --by entropy
refuses 2 '--by knnn' knn -- select kpca X.npy "${grid[@]}" --by knnn
refuses 2 knn k 'at least 1' 0 5 -- select kpca X.npy "${grid[@]}" --by 'knn(k=0)' --labels y.npy
refuses 2 '--by twonn' better -- select kpca X.npy "${grid[@]}" --by twonn
refuses 2 '--by knn' '--labels FILE' --label-column -- select kpca X.npy "${grid[@]}" --by knn
refuses 1 short.csv '2 labels' X.npy '20 rows' -- select kpca X.npy "${grid[@]}" --by knn --labels short.csv
refuses 1 one.csv 'one class' "'a'" '--by knn' -- select kpca X.npy "${grid[@]}" --by knn --labels one.csv
refuses 1 none.csv label '--by knn' -- select kpca X.npy "${grid[@]}" --by knn --labels none.csv
refuses 1 two.csv "'b'" '2 labelled' '--folds 3' -- select kpca X.npy "${grid[@]}" --by knn --labels two.csv --folds 3
refuses 2 '--folds 1' 'give 2' -- select kpca X.npy "${grid[@]}" --by entropy --folds 1
refuses 1 '--folds 11' '20 rows' 'most 10' -- select kpca X.npy "${grid[@]}" --by entropy --folds 11
refuses 2 --folds '1 to 1000000' "'0'" -- select kpca X.npy "${grid[@]}" --by entropy --folds 0
refuses 2 '--by error' '--folds 5' -- select kpca X.npy "${grid[@]}" --by error --target short.csv
refuses 2 '--by error' '--target FILE' -- select kpca X.npy "${grid[@]}" --by error --folds 2
refuses 1 short.csv 'line 2' 'column 1' "'a'" "'b'" --label-column \
    -- select krr X.npy "${grid[@]}" --by error --folds 2 --target short.csv
refuses 2 --unlabelled '--by entropy' -- select kpca X.npy "${grid[@]}" --by entropy --unlabelled x
refuses 1 other.txt 'rkhs select' --resume -- select kpca X.npy "${grid[@]}" --by entropy --resume other.txt
rkhs select kpca X.npy "${grid[@]}" --by entropy --resume log.jsonl -q > /dev/null
for change in '2s/"score"/"skore"/' '2s/"folds": 0, //' '2s/}$/} /' '2s/"by": "entropy"/"by": "entr\\opy"/' '2s/^/ /'; do
    sed "$change" log.jsonl > bad.jsonl
    refuses 1 'bad.jsonl, line 2' 'rkhs select' -- select kpca X.npy "${grid[@]}" --by entropy --resume bad.jsonl
done
refuses 2 --resume 'standard input' -- select kpca - "${grid[@]}" --by entropy --resume new.jsonl
refuses 2 '-o Z.npy' m.rkhs '-z Z.npy' -- select kpca X.npy "${grid[@]}" --by entropy -o Z.npy
refuses 2 'standard output' table -o -- select kpca X.npy "${grid[@]}" --by entropy -o -
refuses 2 X.npy overwritten -- select kpca X.npy "${grid[@]}" --by entropy --table X.npy
refuses 1 nowhere/Z.npy 'mkdir -p nowhere' -- select kpca X.npy "${grid[@]}" --by entropy -z nowhere/Z.npy
# All fail for one reason, or for several; some fail.
refuses 1 "'kpcaa'" kpca 'rkhs list models' -- select kpcaa X.npy "${grid[@]}" --by entropy
# All fail: for one reason, which is said once; for several, which a table shows. The same when the failures are read again.
for again in 1 2; do
    refuses 1 '2 combinations' 'dim = 21' '20 rows' -- select 'kpca(dim=?)' X.npy --try dim=21,22 --by entropy
    said=$(rkhs select 'kpca(dim=?)' X.npy --try dim=21,x --by entropy --resume kept.jsonl 2>&1 >table)
    echo "exit $?"
    names "$said" '2 combinations' && names "$said" 'dim = 21' && names "$said" '20 rows' || echo "$said"
    awk '{print $1, $2, $3, (NF > 5 ? "failed" : "")}' table
done
refuses 1 '2 combinations' 'dim = 21' -- select 'kpca(dim=?)' X.npy --try dim=21,22 --by entropy --resume kept.jsonl
# A line of before, without status and subject.
sed -i 's/, "status": .*}/}/' kept.jsonl
refuses 1 '2 combinations' 'dim = 21' -- select 'kpca(dim=?)' X.npy --try dim=21,22 --by entropy --resume kept.jsonl
grep -c . kept.jsonl
sed -i 's/"failed": "/&x", "status": 77, "subject": "/' kept.jsonl
refuses 1 kept.jsonl -- select 'kpca(dim=?)' X.npy --try dim=21,22 --by entropy --resume kept.jsonl
rm table kept.jsonl
rkhs select 'kpca(dim=?)' X.npy --try dim=1,2,x --by entropy | awk '{print $1, $2, (NF > 5 ? "failed" : "")}'
refuses 1 none.npy 'No such file' -- dimension none.npy
npy same.npy 2 1 1 1 1 1 1
refuses 1 same.npy twonn '0 rows' 10 -- dimension same.npy
