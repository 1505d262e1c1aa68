. "$LIB"
# Distances are no Gram; what the sentence says to do is one.
"$PYTHON" - <<'PY'
import math
points = [(i % 5, i // 5 * 1.5) for i in range(20)]
D = [[math.dist(a, b) for b in points] for a in points]
median = sorted(d for row in D for d in row)[200]
for name, matrix in ("D.csv", D), ("K.csv", [[math.exp(-d * d / (2 * median**2)) for d in row] for row in D]):
    with open(name, "w") as f:
        f.writelines(",".join(map(repr, row)) + "\n" for row in matrix)
PY
refuses 1 D.csv distances diagonal "'precomputed'" 'exp(-D^2/(2 s^2))' numpy.exp \
    -- fit kpca D.csv --kernel precomputed -z Z.npy
refuses 1 D.csv distances diagonal "'precomputed'" 'exp(-D^2/(2 s^2))' numpy.exp \
    -- fit 'tke(gram=nystrom(landmarks=10))' D.csv --kernel precomputed -z Z.npy
refuses 1 D.csv distances diagonal "'precomputed'" 'exp(-D^2/(2 s^2))' numpy.exp -- gram precomputed D.csv -o G.npy
rkhs fit kpca K.csv --kernel precomputed -z Z.npy -q && shape Z.npy
# DNA in small letters is the same DNA.
printf '>a\nACGTACGTTA\n>b\nACGTTTGACA\n>c\nGGGTTTGACA\n>d\nGGGCCCGACA\n' > big.fa
sed '/>/!y/ACGT/acgt/' big.fa > small.fa
rkhs fit 'kpca(dim=2)' big.fa --kernel 'spectrum(p=2)' -o m.rkhs -z Z.npy -q
rkhs transform m.rkhs small.fa -o T.npy && near Z.npy T.npy 1e-12
# What shares nothing is said, and is the strangest.
printf '>e\nACGTACGA\n>f\nNNNNNN\n>g\nXXXX\n' > odd.fa
says '2 of the 3' 'kernel values' 'row 2' -- transform m.rkhs odd.fa -o T.npy
for by in error density both; do
    rkhs anomaly m.rkhs odd.fa --by $by --output-format csv -q | sed '1s/.*/some/'
done
rkhs transform m.rkhs big.fa -o T.npy
