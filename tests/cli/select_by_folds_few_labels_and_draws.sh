. "$LIB"
rkhs sample 'circles(n=120)' -o X.npy --labels-out y.csv
table() { "$RKHS" select "$@" -q --table t.tsv > /dev/null && awk -F '\t' 'NR > 1 {printf "%s %.6g %s %s %s\n", $1, $2, $3 == "-" ? "-" : "d", $5, $6}' t.tsv; }
# Labels of every fourth row alone: the score of these rows, in the embedding of all.
"$PYTHON" - <<'PY'
lines = open("y.csv").read().split()
head, body = lines[:len(lines) - 120], lines[len(lines) - 120:]
open("few.csv", "w").write("\n".join(head + [c if i % 4 == 0 else "?" if i % 2 else "NA" for i, c in enumerate(body)]) + "\n")
open("few2.csv", "w").write("\n".join(head + [c if i % 4 == 0 else "none" for i, c in enumerate(body)]) + "\n")
open("quarter.csv", "w").write("\n".join(head + body[::4]) + "\n")
PY
table 'kpca(dim=2)' --kernel 'rbf(sigma=?)' --try sigma=1,3 --labels few.csv --by 'knn(k=1)' X.npy | tee few.txt
table 'kpca(dim=2)' --kernel 'rbf(sigma=?)' --try sigma=1,3 --labels few2.csv --unlabelled none --by 'knn(k=1)' X.npy | cmp - few.txt
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=3)' X.npy -z Z.csv -q
awk 'NR % 4 == 1' Z.csv > Zq.csv
rkhs score 'knn(k=1)' --z Zq.csv --labels quarter.csv
# Folds: the seed deals them, and the same seed the same
sigmas=(--kernel 'rbf(sigma=?)' --try sigma=0.2,3 X.npy)
table 'kpca(dim=2)' "${sigmas[@]}" --labels y.csv --by 'knn(k=3)' --folds 4 > a.txt
table 'kpca(dim=2)' "${sigmas[@]}" --labels y.csv --by 'knn(k=3)' --folds 4 --threads 1 | cmp - a.txt
table 'kpca(dim=2)' "${sigmas[@]}" --labels y.csv --by 'knn(k=3)' --folds 4 --seed 3 | cmp -s - a.txt || echo "another seed, other folds"
awk '{print $1, $3, $4}' a.txt
table 'kpca(dim=2)' "${sigmas[@]}" --labels few.csv --by 'knn(k=1)' --folds 3 | awk '{print $1, $3, $4}'
table 'kpca(dim=2)' "${sigmas[@]}" --labels y.csv --by silhouette --folds 3 | awk '{print $1, $3, $4}'
table 'kpca(dim=2)' "${sigmas[@]}" --by 'trustworthiness(k=5)' --folds 3 | awk '{print $1, $3, $4}'
# A Gram that is given has the folds of the objects.
rkhs gram 'rbf(sigma=3)' X.npy -o K.npy
table 'kpca(dim=?)' --try dim=1,2 --kernel precomputed --labels y.csv --by 'knn(k=3)' --folds 3 K.npy > k.txt
table 'kpca(dim=?)' --try dim=1,2 --kernel 'rbf(sigma=3)' --labels y.csv --by 'knn(k=3)' --folds 3 X.npy | cmp - k.txt
# Rows of rank 2 in three columns: two dimensions bring them back, one does not. A target that is linear is predicted.
"$PYTHON" -c 'import random
random.seed(1)
rows = [(random.gauss(0, 2), random.gauss(0, 1)) for _ in range(60)]
open("plane.csv", "w").write("".join(f"{a!r},{b!r},{a + b!r}\n" for a, b in rows))
open("target.csv", "w").write("".join(f"{3 * a - b!r}\n" for a, b in rows))'
table 'kpca(dim=?)' --kernel linear --try dim=1,2 --by reconstruction --folds 3 plane.csv | awk '{print $1, ($2 < 1e-3 ? "back" : "not back"), $4}'
table 'kpca(dim=?)' --kernel linear --try dim=1,2 --by reconstruction plane.csv | awk '{print $1, ($2 < 1e-3 ? "back" : "not back"), $3, $4}'
table 'krr(ridge=?)' --kernel linear --try ridge=1e-8,100 --target target.csv --by error --folds 5 plane.csv | awk '{print $1, ($2 < 1e-9 ? "exact" : "not exact"), $4}'
# krr shares one Gram, which changes nothing.
table 'krr(ridge=?)' --kernel 'center(rbf)' --try ridge=0.01,1 --target target.csv --by error --folds 3 plane.csv > shared.txt
for ridge in 0.01 1; do table 'krr(ridge=?)' --kernel 'center(rbf)' --try ridge=$ridge --target target.csv --by error --folds 3 plane.csv; done |
    cut -d ' ' -f 1-3 | cmp - <(cut -d ' ' -f 1-3 shared.txt)
# Draws: from ranges, from grids without doubles, the same for one seed
rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=2,3 --try 'sigma=log(0.1,10)' --draws 4 --by entropy X.npy --table d.tsv > /dev/null
cut -f 1,2 d.tsv
rkhs select kpca --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,6,6)' --draws 5 --by entropy X.npy --table e.tsv > /dev/null
tail -n +2 e.tsv | cut -f 1 | sort -n | uniq | wc -l
rkhs select kpca --kernel 'rbf(sigma=?)' --try 'sigma=lin(1,6,6)' --draws 100 --by entropy X.npy | wc -l
# Strings
for i in 1 2 3 4 5 6 7 8; do echo "aba$i$i"; echo "bcb$i$i$i"; done > words.txt
rkhs select kpca --kernel 'spectrum(p=?)' --try p=1,2,3 --by 'trustworthiness(k=3)' words.txt --format lines | wc -l
