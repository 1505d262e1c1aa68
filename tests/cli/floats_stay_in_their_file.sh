. "$LIB"
# 4.8 MB of 32-bit numbers are mapped: neither a fit nor a transform reads them into memory, or makes 9.6 MB of them.
"$PYTHON" - <<'PY'
import array, math, random, struct

def save(name, numbers, shape, fortran=False):
    text = "{'descr': '<f%d', 'fortran_order': %s, 'shape': %s, }" % (numbers.itemsize, fortran, shape)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + numbers.tobytes())

draw = random.Random(0)
X = array.array("f", [draw.random() for _ in range(3000 * 400)])
save("X.npy", X, (3000, 400))
save("D.npy", array.array("d", X), (3000, 400))
save("I.npy", X, (3000, 20, 20))
save("F.npy", array.array("f", [x for j in range(400) for x in X[j::400]]), (3000, 400), True)  # not by rows: read
small = X[:60 * 400]
save("x.npy", small, (60, 400))
save("i.npy", small, (60, 20, 20))
save("z.npy", small[:120], (60, 2))
save("t.npy", small[:60], (60, 1))
rows = [small[400 * i:400 * i + 400] for i in range(60)]
K = array.array("f", [math.exp(-math.dist(a, b) ** 2 / 50) for a in rows for b in rows])
save("k.npy", K, (60, 60))
save("K.npy", array.array("d", K), (60, 60))
open("labels.csv", "w").write("".join(f"{i % 3}\n" for i in range(60)))
PY
model='kpca(dim=2, gram=nystrom(landmarks=20))' little='--memory 9M --threads 1'
for kernel in 'rbf(sigma=knn(5))' linear; do
    rkhs fit "$model" D.npy --kernel "$kernel" -o d.rkhs -q && rkhs transform d.rkhs D.npy -o D.out.npy
    rkhs fit "$model" X.npy --kernel "$kernel" -o x.rkhs -q $little &&
        rkhs transform x.rkhs X.npy -o X.out.npy $little && cmp X.out.npy D.out.npy
    rkhs transform x.rkhs D.npy -o D.by.npy && cmp D.by.npy D.out.npy
    rkhs transform d.rkhs F.npy -o F.out.npy $little && cmp F.out.npy D.out.npy
    for name in F.npy I.npy; do
        rkhs fit "$model" $name --kernel "$kernel" -o y.rkhs -q && rkhs transform y.rkhs X.npy -o Y.npy && cmp Y.npy D.out.npy
    done
done
refuses 1 D.npy '9.6 MB' '9.0 MB' -- transform d.rkhs D.npy -o D2.npy $little
# What is read whole becomes 64-bit numbers: targets, embeddings, pictures, a Gram.
rkhs fit krr x.npy --target z.npy -o r.rkhs -q && rkhs transform r.rkhs x.npy -o r.npy && shape r.npy
rkhs inverse x.rkhs z.npy -o back.npy && shape back.npy
rkhs plot z.npy --target t.npy -o p.svg -q
rkhs plot z.npy --objects i.npy -o o.svg -q
rkhs fit 'kpca(dim=2)' i.npy -o i.rkhs -q && rkhs explain i.rkhs i.npy -o e.svg -q && ls e.svg o.svg p.svg
for f in k K; do rkhs fit 'kpca(dim=2)' $f.npy --kernel precomputed -o $f.rkhs -q; done && cmp k.rkhs K.rkhs
for f in k K; do
    rkhs select 'kpca(dim=?)' $f.npy --try dim=1,2 --by knn --labels labels.csv --kernel precomputed --folds 3 \
        --table $f.tsv -q >/dev/null
done
cut -f 1-3 k.tsv | cmp - <(cut -f 1-3 K.tsv) && wc -l <k.tsv
