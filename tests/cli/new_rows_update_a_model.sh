. "$LIB"
rkhs sample 'swiss_roll(n=150)' -o all.csv -q
head -n 140 all.csv >old.csv
tail -n 10 all.csv >new.csv
for model in 'kpca(dim=2)' 'tke(dim=2)' 'bctke(dim=2)' 'lpp(dim=2)'; do
    rkhs fit "$model" old.csv -o m.rkhs -q
    rkhs update m.rkhs new.csv -o m2.rkhs -z Z.npy 2>&1 | sed 's/, [^,]* s, .* at most//; s/moved by .* of/moved by some of/; s/sigma=[0-9.]*/sigma=S/; s/, [0-9.]*% of the variance//'
    shape Z.npy
    rkhs info m2.rkhs | grep -E '^ *(rows|kept|new_rows) '
    cmp <(rkhs info m.rkhs | grep kernel) <(rkhs info m2.rkhs | grep kernel)
done
# A model that is solved is the same as one fitted on all rows with its kernel.
kernel=$(rkhs info m.rkhs | grep -o 'rbf([^)]*)' | head -n 1)
rkhs fit 'kpca(dim=2)' --kernel "$kernel" old.csv -o m.rkhs -q
rkhs update m.rkhs new.csv -o m2.rkhs -z Z.npy -q
rkhs fit 'kpca(dim=2)' --kernel "$kernel" all.csv -z A.npy -q
rkhs gram linear Z.npy -o GZ.npy && rkhs gram linear A.npy -o GA.npy && near GZ.npy GA.npy 1e-9 # but for signs
rkhs transform m2.rkhs all.csv -o T.npy && near Z.npy T.npy 1e-9
# The embedding alone; again and again; strings.
rkhs update m.rkhs new.csv -z B.npy -q && cmp B.npy Z.npy
rkhs update m2.rkhs new.csv -o m3.rkhs -q && rkhs update m3.rkhs new.csv -z C.npy -q && shape C.npy
printf '%s\n' 'the cat sat' 'the cat ran' 'a dog sat' 'a dog ran' >a.txt
printf '%s\n' 'the dog sat' >b.txt
rkhs fit kpca a.txt -o s.rkhs -q && rkhs update s.rkhs b.txt -z S.npy -q && shape S.npy
# Refusals.
rkhs fit 'kpca(gram=nystrom(m=20))' old.csv -o n.rkhs -q
rkhs gram rbf old.csv -o K.npy
rkhs fit kpca --kernel precomputed K.npy -o g.rkhs -q
npy t.npy 1 $(seq 140)
rkhs fit krr old.csv --target t.npy -o krr.rkhs -q
npy narrow.npy 1 1 2 3
npy nan.npy 3 1 nan 2
: >empty.csv
try update n.rkhs new.csv -o no.rkhs
try update g.rkhs K.npy -o no.rkhs
try update krr.rkhs new.csv -o no.rkhs
try update m.rkhs narrow.npy -o no.rkhs
try update m.rkhs nan.npy -o no.rkhs
try update m.rkhs empty.csv -o no.rkhs
try update m.rkhs new.csv
try update m.rkhs new.csv -o no.npy
try update m.rkhs new.csv -o m.rkhs
