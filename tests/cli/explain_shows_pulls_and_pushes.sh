. "$LIB"
# a linear model of two dimensions whose terms are known: z = sum_l <x_l, x> B_l
npy X.npy 2 1 0.3 0.2 1.1 -2 0.1 0.1 -1.7
npy new.npy 2 2 0 0 1
rkhs fit 'kpca(dim=2)' --kernel linear X.npy -o m.rkhs -q
rkhs explain m.rkhs new.npy --top 2 | sed -E 's/(\.[0-9]{5})[0-9]*/\1/'
rkhs explain m.rkhs new.npy --top 1 --json | sed -E 's/(\.[0-9]{5})[0-9]*/\1/g'
rkhs explain m.rkhs new.npy --top 1 -o t.json && diff t.json <(rkhs explain m.rkhs new.npy --top 1 --json) && echo same
rkhs explain m.rkhs new.npy -o t.csv && head -1 t.csv
# images, drawn; none alike, so that two dimensions are determined
npy I.npy 4 0 1 0.9 0 1 0.2 0 1 1 1 0 0.1 0 0 1 0.7 0 1 0.3 1 1 0 0.8 0
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' I.npy -o i.rkhs -q
rkhs explain i.rkhs I.npy --top 2 -t Why -o why.svg
grep -c '<image' why.svg
grep -o '>[A-Za-z][^<]*</text>' why.svg
refuses 1 new.npy '2 columns' 4 -- explain i.rkhs new.npy
refuses 1 why.txt .csv .json .svg .png .pdf -- explain i.rkhs I.npy -o why.txt
refuses 2 --title '-o FILE.svg' .png .pdf -- explain i.rkhs I.npy --title Why
refuses 1 I.npy '4 numbers' '3 x 1' 3 --image-size -- explain i.rkhs I.npy --image-size 3x1 -o why.svg
refuses 2 --top '1 to 1000000' "'0'" -- explain i.rkhs I.npy --top 0
rkhs fit 'tke(dim=1, neighbours=2)' X.npy -k rbf -o t.rkhs -q
refuses 1 tke objective map bctke kpca -- explain t.rkhs new.npy

# of positives and negatives, by their own rows
npy P.npy 2 1.1 0.3 0.2 1.2 -2.1 0.1 0.1 -1.8
npy N.npy 2 -3 2 4 -1 3 2.5 -2 4
rkhs fit 'contrastive(dim=1)' --kernel 'rbf(sigma=1)' X.npy --positive P.npy --negative N.npy -o c.rkhs -q
rkhs explain c.rkhs new.npy --top 5 | cut -d, -f 1-4 | sort
