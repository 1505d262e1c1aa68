. "$LIB"
# Tables of 12 rows as DataFrame.to_csv writes them, with and without an index, and labels as Series.to_csv does.
"$PYTHON" - <<'PY'
rows = [[i % 5 + 0.5, i // 5 * 2.5, (i * 7) % 11] for i in range(12)]
def write(path, header, line):
    with open(path, "w") as f:
        f.write(header)
        for i, (a, b, c) in enumerate(rows):
            f.write(line.format(i=i, j=i // 2, a=a, b=b, c=c, y="red green blue".split()[i // 4], n=i // 4 - 1) + "\n")
write("plain.csv", "", "{a},{b},{c}")
write("index.csv", ",0,1,2\n", "{i},{a},{b},{c}")
write("years.csv", ",1999,2000,2001\n", "{i},{a},{b},{c}")
write("again.csv", "Unnamed: 0,0,1,2\n", "{i},{a},{b},{c}")
write("no_index.csv", "0,1,2\n", "{a},{b},{c}")
write("repeats.csv", ",a,b,c\n", "{j},{a},{b},{c}")
write("counts.csv", "", "{i},{a},{b},{c}")
write("labelled.csv", ",a,b,c,kind\n", "{i},{a},{b},{c},{y}")
write("y.csv", ",kind\n", "{i},{y}")
write("y0.csv", ",0\n", "{i},{y}")
write("y_no_index.csv", "kind\n", "{y}")
write("words.csv", "", "{y}")
write("minus.csv", "", "{n}")
write("two.csv", "a,kind\n", "{i},{y}")
PY
rkhs gram rbf plain.csv -o K.npy
for t in index years again no_index; do
    echo $t
    rkhs gram rbf $t.csv -o G.npy 2>&1 && near K.npy G.npy 1e-12
done
rkhs gram rbf no_index.csv --format 'csv(header=no)' -o G.npy && shape G.npy
# What is kept is said, and the remedy works.
for t in repeats counts; do
    rkhs gram rbf $t.csv -o G.npy 2>&1 && shape G.npy
    rkhs gram 'rbf[1:4]' $t.csv -o G.npy -q && near K.npy G.npy 1e-12
done
# Labels: the index is left out; a header over words is pointed at; columns learned from; -1.
rkhs fit 'ke(dim=1)' plain.csv --labels words.csv -z W.npy -q
for y in y y0; do rkhs fit 'ke(dim=1)' plain.csv --labels $y.csv -z E.npy 2>&1 | grep -v objects; cmp W.npy E.npy && echo same; done
for t in fit score plot; do
    case $t in
    fit) try fit ke plain.csv --labels y_no_index.csv -z no.npy ;;
    score) try score 'knn(k=1)' --z W.npy --labels y_no_index.csv ;;
    plot) try plot plain.csv --labels y_no_index.csv -o no.svg ;;
    esac
done
try fit ke plain.csv --labels two.csv -z no.npy
rkhs fit 'ke(dim=1)' labelled.csv --label-column kind -z E.npy 2>&1 | grep -v objects
cmp W.npy E.npy && echo same
rkhs fit 'ke(dim=1)' plain.csv --labels minus.csv -z E.npy 2>&1 | grep -v objects
rkhs fit 'ke(dim=1)' plain.csv --labels words.csv -z E.npy 2>&1 | grep -vc objects
rkhs select 'kpca(dim=?)' plain.csv --try dim=1,2 --labels minus.csv --unlabelled -1 --by 'knn(k=1)' 2>&1 >table
rkhs select 'ke(dim=?)' labelled.csv --try dim=1 --label-column kind --by 'knn(k=1)' -z E.npy 2>&1 >table | grep -v objects
cmp W.npy E.npy && echo same
