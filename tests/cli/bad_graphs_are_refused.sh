. "$LIB"
printf '2\n2 0\n5 1 1\n5 1 0\n1 1\n5 0\n' >g.gin
printf '1\n2 0\n5 1 2\n5 1 0\n' >missing.gin
printf '1\n0 0\n' >none.gin
printf '3\n1 0\n5 0\n' >count.gin
printf '1\n1 0\n5 9\n' >degree.gin
printf '1\n1 0\nC 0\n' >word.gin
printf '1\n1 0\n99999999999999999999 0\n' >far.gin
: >empty.gin
printf '1, 3\n' >a_A.txt
printf '1\n1\n' >a_graph_indicator.txt
printf '1, 2\n' >b_A.txt
printf '1\n2\n' >b_graph_indicator.txt
printf '1, 2\n' >c_A.txt
printf '1\n1\n3\n' >c_graph_indicator.txt
printf '1, 2\n' >d_A.txt
printf '1, 2\n2, 1\n' >e_A.txt
printf '1\n1\n' >e_graph_indicator.txt
printf '3\n4\n' >e_edge_labels.txt
printf '1,2\n3,4\n5,6\n7,9\n' >numbers.csv
for f in missing none count degree word far empty; do try gram wl $f.gin -o K.npy; done
for f in a b c d e; do try gram wl ${f}_A.txt -o K.npy; done
try gram wl --format tu . -o K.npy
try gram wl --format tu f -o K.npy
try gram wl --format tu numbers.csv -o K.npy
try gram wl --format tu - -o K.npy
try gram wl numbers.csv -o K.npy
try gram rbf g.gin -o K.npy
try gram 'rbf + wl' g.gin -o K.npy
try gram 'wl(h=-1)' g.gin -o K.npy
try gram 'graphlet(connected=false)' g.gin -o K.npy
try sample molecules -o x.npy
try sample 'molecules(n=2)' -o x_A.txt --format tu
try sample 'molecules(most=3)' -o x.gin
# Labels on one side alone.
rkhs fit 'kpca(dim=1)' g.gin -o m.rkhs -q
try transform m.rkhs --format 'gin(tags=false)' g.gin -o Z.npy
try transform m.rkhs numbers.csv -o Z.npy
printf 'a\nb\na\nb\n' >y.txt
try score 'svm(kernel=wl, folds=2)' --z numbers.csv --labels y.txt
ls
