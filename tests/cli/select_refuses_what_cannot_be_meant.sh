. "$LIB"
rkhs sample 'circles(n=20)' -o X.npy --labels-out y.npy
printf 'a\nb\n' > short.csv
for i in $(seq 20); do echo a; done > one.csv
for i in $(seq 20); do echo '?'; done > none.csv
{ echo b; echo b; for i in $(seq 18); do echo a; done; } > two.csv
echo hello > other.txt
grid=(--kernel 'rbf(sigma=?)' --try sigma=1,2)
try select kpca X.npy "${grid[@]}"
try select kpca X.npy --kernel 'rbf(sigma=?)' --by entropy
try select kpca X.npy --kernel 'rbf(?)' --try sigma=1 --by entropy
try select kpca X.npy --kernel rbf --try sigma=1 --by entropy
try select kpca X.npy "${grid[@]}" --try sigma=3 --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try sigma --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try '=1' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=1,,2' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=1,1' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=log(1,2' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=log(0,2,3)' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(2,1,3)' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,2,1)' --by entropy
try select kpca X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,2)' --by entropy
try select 'kpca(dim=?)' X.npy --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,2,1000)' --try 'dim=lin(1,999,999)' --by entropy
try select kpca X.npy "${grid[@]}" --by knnn
try select kpca X.npy "${grid[@]}" --by 'knn(k=0)' --labels y.npy
try select kpca X.npy "${grid[@]}" --by twonn
try select kpca X.npy "${grid[@]}" --by knn
try select kpca X.npy "${grid[@]}" --by knn --labels short.csv
try select kpca X.npy "${grid[@]}" --by knn --labels one.csv
try select kpca X.npy "${grid[@]}" --by knn --labels none.csv
try select kpca X.npy "${grid[@]}" --by knn --labels two.csv --folds 3
try select kpca X.npy "${grid[@]}" --by entropy --folds 1
try select kpca X.npy "${grid[@]}" --by entropy --folds 11
try select kpca X.npy "${grid[@]}" --by entropy --folds 0
try select kpca X.npy "${grid[@]}" --by error --target short.csv
try select kpca X.npy "${grid[@]}" --by error --folds 2
try select krr X.npy "${grid[@]}" --by error --folds 2 --target short.csv
try select kpca X.npy "${grid[@]}" --by entropy --unlabelled x
try select kpca X.npy "${grid[@]}" --by entropy --resume other.txt
try select kpca - "${grid[@]}" --by entropy --resume new.jsonl
try select kpca X.npy "${grid[@]}" --by entropy -o Z.npy
try select kpca X.npy "${grid[@]}" --by entropy -o -
try select kpca X.npy "${grid[@]}" --by entropy --table X.npy
try select kpca X.npy "${grid[@]}" --by entropy -z nowhere/Z.npy
# All fail for one reason, or for several; some fail.
try select kpcaa X.npy "${grid[@]}" --by entropy
try select 'kpca(dim=?)' X.npy --try dim=21,22 --by entropy 2>&1 | sed 's/[0-9.e-]* *kpca: dim/S kpca: dim/'
rkhs select 'kpca(dim=?)' X.npy --try dim=1,2,x --by entropy | awk '{print $1, $2, (NF > 5 ? "failed" : "")}'
try dimension none.npy
npy same.npy 2 1 1 1 1 1 1
try dimension same.npy
