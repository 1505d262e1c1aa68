. "$LIB"
# 12 rows in three groups on a line; ? is no class, nor is NA or nothing.
"$PYTHON" - <<'PY'
words = {0: "?", 5: "NA", 9: ""}
with open("t.csv", "w") as t, open("y.csv", "w") as y, open("Z.csv", "w") as z, open("W.csv", "w") as w, \
        open("known.csv", "w") as known:
    t.write("a,b,kind\n")
    for i in range(12):
        label = words.get(i, "red green blue".split()[i // 4])
        t.write(f"{i // 4 * 10 + i % 4},{i % 4},{label}\n")
        y.write((label or '""') + "\n")
        z.write(f"{i // 4 * 10 + i % 4},{i % 4}\n")
        if i not in words:
            w.write(f"{i // 4 * 10 + i % 4},{i % 4}\n")
            known.write(label + "\n")
PY
# The scores are those of the others.
says '3 of the 12' label scores -- score 'knn(k=1)' silhouette 'trustworthiness(k=2)' --z Z.csv --x Z.csv --labels y.csv
rkhs score 'knn(k=1)' silhouette --z W.csv --labels known.csv
rkhs score silhouette --z Z.csv --labels y.csv -q
says '3 of the 12' label kernel / '12 objects' -- fit 'ke(dim=1)' Z.csv --labels y.csv -o m.rkhs -z E.npy
rkhs info m.rkhs | grep unlabelled
rkhs fit kpca t.csv --label-column kind -o k.rkhs -q && shape <(rkhs transform k.rkhs t.csv --label-column kind)
# A table whose labels are all to be found yet.
sed 's/,[a-zA-Z?]*$/,?/; 1s/?/kind/' t.csv > new.csv
rkhs transform k.rkhs new.csv --label-column kind -o T.npy && shape T.npy
# select: as the scores, and --unlabelled names one more word.
rkhs select 'kpca(dim=?)' Z.csv --try dim=1,2 --labels y.csv --by 'knn(k=1)' -q | awk '{print $1, $2, $3}'
sed 's/?/-1/; s/NA/-1/; s/""/-1/' y.csv > minus.csv
rkhs select 'kpca(dim=?)' Z.csv --try dim=1,2 --labels minus.csv --unlabelled -1 --by 'knn(k=1)' -q | awk '{print $1, $2, $3}'
rkhs select 'ke(dim=?, solver=lbfgs(max_iter=3))' Z.csv --try dim=1,2 --labels minus.csv --unlabelled -1 --by 'knn(k=1)' \
    -o s.rkhs -q >table && rkhs info s.rkhs | grep unlabelled
# Pictures: grey, and called unknown.
rkhs plot Z.csv --labels y.csv -o z.svg && grep -c '>unknown<' z.svg && grep -o '#b5b5b5' z.svg | sort -u
grep -o '>[0-9]* points[^<]*' z.svg | head -1
refuses 1 known.csv '9 labels' Z.csv '12 points' -- plot Z.csv --labels known.csv -o none.svg
rkhs plot W.csv --labels known.csv -o w.svg && grep -c unknown w.svg
rkhs gram rbf Z.csv -o K.npy && rkhs plot --gram K.npy --labels y.csv -o k.svg && grep -o '>unknown<' k.svg
rkhs plot W.csv --labels known.csv --new Z.csv --new-labels y.csv -o n.svg && grep -o '>unknown<' n.svg
