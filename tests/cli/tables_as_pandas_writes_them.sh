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
left() { says "$@" -- gram rbf "$1" -o G.npy && near K.npy G.npy 1e-12; }
left index.csv first 'left out'
left years.csv 'line 1' empty names / years.csv first 'left out'
left again.csv first 'left out'
left no_index.csv 'line 1' '0 to 2' names 'csv(header=no)'
rkhs gram rbf no_index.csv --format 'csv(header=no)' -o G.npy && shape G.npy
# What is kept is said, and the remedy works.
for t in repeats counts; do
    says $t.csv first pandas 'rbf[1:4]' -- gram rbf $t.csv -o G.npy && shape G.npy
    rkhs gram 'rbf[1:4]' $t.csv -o G.npy -q && near K.npy G.npy 1e-12
done
# Labels: the index is left out; a header over words is pointed at; columns learned from; -1.
rkhs fit 'ke(dim=1)' plain.csv --labels words.csv -z W.npy -q
says y.csv first left "'kind'" / '12 objects' -- fit 'ke(dim=1)' plain.csv --labels y.csv -z E.npy && cmp W.npy E.npy
says y0.csv first left "'0'" / '12 objects' -- fit 'ke(dim=1)' plain.csv --labels y0.csv -z E.npy && cmp W.npy E.npy
refuses 1 y_no_index.csv '13 labels' '12 rows' "'kind'" header -- fit ke plain.csv --labels y_no_index.csv -z no.npy
refuses 1 y_no_index.csv '13 labels' '12 rows' "'kind'" header -- score 'knn(k=1)' --z W.npy --labels y_no_index.csv
refuses 1 y_no_index.csv '13 labels' '12 rows' "'kind'" header -- plot plain.csv --labels y_no_index.csv -o no.svg
refuses 1 two.csv '2 columns' 'csv(label=NAME)' -- fit ke plain.csv --labels two.csv -z no.npy
says labelled.csv first left / "'kind'" --labels / '12 objects' \
    -- fit 'ke(dim=1)' labelled.csv --label-column kind -z E.npy
cmp W.npy E.npy
says minus.csv -1 class '?' / '12 objects' -- fit 'ke(dim=1)' plain.csv --labels minus.csv -z E.npy
says '12 objects' -- fit 'ke(dim=1)' plain.csv --labels words.csv -z E.npy
says '4 of the 12' label scored \
    -- select 'kpca(dim=?)' plain.csv --try dim=1,2 --labels minus.csv --unlabelled -1 --by 'knn(k=1)' >table
says labelled.csv first left / "'kind'" --labels / '12 objects' \
    -- select 'ke(dim=?)' labelled.csv --try dim=1 --label-column kind --by 'knn(k=1)' -z E.npy >table
cmp W.npy E.npy
