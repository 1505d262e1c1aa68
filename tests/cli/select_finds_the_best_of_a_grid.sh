. "$LIB"
rkhs sample 'circles(n=150)' -o X.npy --labels-out y.npy
no_seconds() { awk -F '\t' -v OFS='\t' -v s="$1" '{$s = ""; print}' "$2"; }
rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=1,2,3,200 --try 'sigma=log(0.5,8,3)' --labels y.npy --by 'knn(k=3)' \
    X.npy -o best.rkhs -z Z.npy --table t.tsv --resume r.jsonl > shown.txt 2> said.txt
echo "exit $?"
no_seconds 5 t.tsv | sed 's/kpca: .*dim = 200 .*150 rows.*/dim = 200 of 150 rows/'
grep -c . shown.txt r.jsonl
# Each score is what a fit and a score by hand give; the best model is that of a fit by hand.
tail -n +2 t.tsv | while IFS=$'\t' read -r dim sigma score _ _ best failed; do
    [ -z "$failed" ] || continue
    rkhs fit "kpca(dim=$dim)" --kernel "rbf(sigma=$sigma)" X.npy -z hand.npy -q
    [ "$(rkhs score 'knn(k=3)' --z hand.npy --labels y.npy --json)" = "{\"knn(k=3)\": $score}" ] || echo "$dim $sigma: not $score"
    [ "$best" = 1 ] && cmp hand.npy Z.npy && echo "the best is $dim $sigma"
done
# Nothing is done twice; what is new is added; a line cut off counts as none; other threads find the same.
rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=1,2,3,200 --try 'sigma=log(0.5,8,3)' --labels y.npy --by 'knn(k=3)' \
    X.npy --table again.tsv --resume r.jsonl > /dev/null
cmp t.tsv again.tsv
head -c -40 r.jsonl > cut.jsonl
rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=1,2,3,200 --try 'sigma=0.5,2,8,9' --labels y.npy --by 'knn(k=3)' \
    X.npy --resume cut.jsonl > /dev/null
grep -c . cut.jsonl
rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=1,2,3,200 --try 'sigma=log(0.5,8,3)' --labels y.npy --by 'knn(k=3)' \
    X.npy --table one.tsv --threads 1 > /dev/null
cmp <(no_seconds 5 t.tsv) <(no_seconds 5 one.tsv)
# Another seed, other data: nothing is taken over.
rkhs select 'kpca(dim=2)' --kernel 'rbf(sigma=?)' --try sigma=0.5,2 --labels y.npy --by 'knn(k=3)' X.npy --seed 1 --resume r.jsonl > /dev/null
grep -c . r.jsonl
# JSON
rkhs select 'kpca(dim=2)' --kernel 'rbf(sigma=?)' --try sigma=0.5,2 --by 'mrre(k=5)' X.npy --json |
    "$PYTHON" -c 'import json, sys
r = json.load(sys.stdin)
print(r["by"], r["better"], r["best"] == min(range(2), key=lambda i: r["cells"][i]["score"]), [c["values"] for c in r["cells"]])'
# Two holes of one name, holes with a name of their own, ties to the first, values that are specs
rkhs select '?model(dim=?d)' --kernel '?w*rbf(sigma=?s) + rbf(sigma=?s)' --try model=kpca --try d=1 --try w=1,2 --try 's=2' \
    --labels y.npy --by 'knn(k=3)' X.npy | awk '{print $1, $2, $3, $4, $5}'
rkhs select 'kpca(gram=?)' --try 'gram=exact,nystrom(landmarks=20, by=uniform)' --by 'trustworthiness(k=5)' X.npy | wc -l
# What failed for lack of memory is tried again, also where cells share the Gram that needs it.
"$PYTHON" -c 'import random
header = "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (40, 20000)}".ljust(117) + "\n"
open("wide.npy", "wb").write(b"\x93NUMPY\x01\x00v\x00" + header.encode() + random.Random(1).randbytes(800000))'
for memory in 8M 1G; do
    rkhs select 'tke(dim=?,solver=lbfgs(iter=2))' --kernel 'standardize(rbf)' --try dim=1,2 --by 'trustworthiness(k=5)' wide.npy \
        --memory $memory --resume wide.jsonl > /dev/null 2> said.txt
    echo "exit $? $(grep -c 'raise the memory limit' said.txt) $(cat wide.jsonl 2> /dev/null | grep -c score)"
done
