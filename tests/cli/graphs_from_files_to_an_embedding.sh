. "$LIB"
rkhs sample 'molecules(n=40)' -o a.gin --labels-out y.txt && head -4 a.gin && sort y.txt | uniq -c
# Every way to the same graphs.
gzip -k a.gin
sed 's/$/\r/' a.gin >crlf.gin
cp a.gin a_gin.txt
mkdir set
"$PYTHON" - <<'PY'
lines = iter(open("a.gin").read().split("\n"))
count, first = int(next(lines)), 1
with open("set/M_A.txt", "w") as a, open("set/M_graph_indicator.txt", "w") as g, open("set/M_node_labels.txt", "w") as l, \
        open("set/M_graph_labels.txt", "w") as y:
    for i in range(count):
        size, label = map(int, next(lines).split())
        y.write(f"{label}\n")
        for v in range(size):
            tag, degree, *near = map(int, next(lines).split())
            g.write(f"{i + 1}\n")
            l.write(f"{tag}\n")
            for u in near:
                a.write(f"{first + v}, {first + u}\n")
        first += size
PY
rkhs gram wl a.gin -o K.npy && shape K.npy
rkhs gram wl a.gin.gz | cmp - K.npy
rkhs gram wl crlf.gin | cmp - K.npy
rkhs gram wl a_gin.txt | cmp - K.npy
rkhs gram wl - <a.gin | cmp - K.npy
rkhs gram wl set/M_A.txt | cmp - K.npy
rkhs gram wl --format tu set/M | cmp - K.npy
rkhs gram wl --format tu set | cmp - K.npy
rkhs gram wl --threads 1 a.gin | cmp - K.npy
gzip set/*
rkhs gram wl set/M_A.txt.gz | cmp - K.npy
rkhs gram wl --format tu set/M | cmp - K.npy
# With no kernel given a model of graphs has its own; classes come with the file.
says '40 objects' 'wl(h=5, edges=true, normalize=true)' '2 dimensions' 18.4% \
    -- fit 'kpca(dim=2)' a.gin -o m.rkhs -z Z.npy
rkhs transform m.rkhs a.gin -o T.npy && near Z.npy T.npy 1e-8
rkhs info m.rkhs | grep kernel
rkhs inverse m.rkhs Z.npy | cut -c1-20 | diff - <(cut -c1-20 a.gin | awk 'NR > 1 && seen == 0 {$2 = 0} {print} {seen = NR > 1 ? (seen > 0 ? seen - 1 : $1) : 0}')
rkhs inverse m.rkhs Z.npy -o back.gin && rkhs gram wl back.gin | cmp - K.npy
for k in 'wl(h=2)' paths graphlet 'paths(labelled=false)*wl(h=1) + 0.5*graphlet'; do
    for gram in exact 'nystrom(landmarks=40)'; do
        rkhs fit "kpca(dim=2, gram=$gram)" --kernel "$k" a.gin -o m.rkhs -z Z.npy -q
        rkhs transform m.rkhs a.gin -o T.npy && near Z.npy T.npy 1e-8
    done
done
# Rings and trees are told apart, by a machine on the kernel itself too.
rkhs fit 'kpca(dim=2)' --kernel 'wl(h=3)' a.gin -z Z.npy -q && rkhs score 'knn(k=3)' --z Z.npy --labels y.txt
rkhs gram 'wl(h=3)' a.gin -o K.npy && rkhs score 'nusvm(kernel=precomputed, nu=0.3)' --z K.npy --labels y.txt
says 'vertex labels' wl degrees -- gram wl --format 'gin(tags=false)' a.gin -o U.npy
# Some are drawn at their points, always in the same way.
rkhs plot Z.npy --labels y.txt --objects a.gin -o a.svg -q && rkhs plot Z.npy --labels y.txt --objects a.gin -o b.svg -q && cmp a.svg b.svg
rkhs sample 'molecules(n=39)' -o less.gin
refuses 1 less.gin '39 objects' Z.npy '40 points' -- plot Z.npy --objects less.gin -o c.svg
