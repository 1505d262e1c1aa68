. "$LIB"
# A table as pandas writes it, with a column that numbers the rows; the same in another order; with a column more, and one less.
"$PYTHON" - <<'PY'
rows = [[i % 5, i // 5 * 2.5, (i * 7) % 11] for i in range(15)]
def write(path, header, line):
    with open(path, "w") as f:
        f.write(header + "\n")
        for i, (a, b, c) in enumerate(rows):
            f.write(line.format(i=i, j=i * 4 % 17, a=a, b=b, c=c) + "\n")
write("t.csv", ",length,width,weight", "{i},{a},{b},{c}")
write("part.csv", ",length,width,weight", "{j},{a},{b},{c}")
write("order.tsv", "weight\twidth\tlength", "{c}\t{b}\t{a}")
write("more.csv", "weight,id,width,length", "{c},{i},{b},{a}")
write("less.csv", "weight,id,width", "{c},{i},{b}")
write("bare.csv", "0,0,0", "{a},{b},{c}")
PY
sed -i 1d bare.csv
rkhs fit kpca t.csv -o m.rkhs -z Z.npy 2>&1 | head -1
rkhs info m.rkhs | grep -E '^(names|columns|left_out)'
for t in t.csv part.csv order.tsv more.csv bare.csv; do
    echo "$t"
    rkhs transform m.rkhs $t -o T.npy && near Z.npy T.npy 1e-12
done 2>&1
try transform m.rkhs less.csv -o no.npy
try anomaly m.rkhs less.csv -o no.npy
rkhs gram rbf t.csv order.tsv -o K.npy -q && rkhs gram rbf t.csv t.csv -o S.npy -q && near K.npy S.npy 1e-12
rkhs score 'trustworthiness(k=3)' --z Z.npy --x t.csv --new-z Z.npy --new-x order.tsv -q
