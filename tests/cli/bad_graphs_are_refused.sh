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
refuses 1 missing.gin 'line 3' 'vertex 0' 'neighbour 2' '0 to 1' -- gram wl missing.gin -o K.npy
refuses 1 none.gin 'line 2' 'graph 1' '0 vertices' -- gram wl none.gin -o K.npy
refuses 1 count.gin '3 graphs' 'after 1' -- gram wl count.gin -o K.npy
refuses 1 degree.gin 'line 3' neighbour -- gram wl degree.gin -o K.npy
refuses 1 word.gin 'line 3' "'C'" label -- gram wl word.gin -o K.npy
refuses 1 far.gin 'line 3' 99999999999999999999 2^63 label -- gram wl far.gin -o K.npy
refuses 1 empty.gin empty -- gram wl empty.gin -o K.npy
refuses 1 a_A.txt 'line 1' 'vertex 3' '1 to 2' -- gram wl a_A.txt -o K.npy
refuses 1 b_A.txt 'line 1' 'vertex 1 of graph 1' 'vertex 2 of graph 2' -- gram wl b_A.txt -o K.npy
refuses 1 c_graph_indicator.txt 'line 3' 'graph 3' 'graph 1' -- gram wl c_A.txt -o K.npy
refuses 1 d_A.txt d_graph_indicator.txt --format -- gram wl d_A.txt -o K.npy
refuses 1 e_A.txt 'line 2' edge 'label is 4' 3 -- gram wl e_A.txt -o K.npy
refuses 1 '5 files' NAME_A.txt -- gram wl --format tu . -o K.npy
refuses 1 'No such file' f: -- gram wl --format tu f -o K.npy
refuses 1 numbers.csv several _A.txt -- gram wl --format tu numbers.csv -o K.npy
refuses 1 'standard input' several _A.txt -- gram wl --format tu - -o K.npy
refuses 1 numbers.csv wl graph dense -- gram wl numbers.csv -o K.npy
refuses 1 g.gin rbf dense sparse bits 'not graph' -- gram rbf g.gin -o K.npy
refuses 1 rbf wl 'different kinds' -- gram 'rbf + wl' g.gin -o K.npy
refuses 1 wl h 'at least 0' -1 5 -- gram 'wl(h=-1)' g.gin -o K.npy
refuses 1 connected=false labelled=false -- gram 'graphlet(connected=false)' g.gin -o K.npy
refuses 1 x.npy graph npy .gin -- sample molecules -o x.npy
refuses 1 x_A.txt tu read -- sample 'molecules(n=2)' -o x_A.txt --format tu
refuses 1 molecules max_vertices 'at least 8' 3 24 -- sample 'molecules(max_vertices=3)' -o x.gin
# Labels on one side alone.
rkhs fit 'kpca(dim=1)' g.gin -o m.rkhs -q
refuses 1 g.gin wl 'vertex labels' -- transform m.rkhs --format 'gin(tags=false)' g.gin -o Z.npy
refuses 1 numbers.csv wl graph dense -- transform m.rkhs numbers.csv -o Z.npy
printf 'a\nb\na\nb\n' >y.txt
refuses 1 numbers.csv y.txt wl graph dense -- score 'svm(kernel=wl, folds=2)' --z numbers.csv --labels y.txt
