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
says t.csv first 'left out' / '15 objects' -- fit kpca t.csv -o m.rkhs -z Z.npy
rkhs info m.rkhs | grep -E '^(names|columns|ignored_column)'
embed() { says "${@:2}" -- transform m.rkhs "$1" -o T.npy && near Z.npy T.npy 1e-12; }
embed t.csv t.csv first 'left out'
embed part.csv part.csv first 'left out'
embed order.tsv
embed more.csv "'id'" 'left out'
embed bare.csv
refuses 1 less.csv column "'length'" -- transform m.rkhs less.csv -o no.npy
refuses 1 less.csv column "'length'" -- anomaly m.rkhs less.csv -o no.npy
rkhs gram rbf t.csv order.tsv -o K.npy -q && rkhs gram rbf t.csv t.csv -o S.npy -q && near K.npy S.npy 1e-12
rkhs score 'trustworthiness(k=3)' --z Z.npy --x t.csv --new-z Z.npy --new-x order.tsv -q
