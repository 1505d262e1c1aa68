. "$LIB"
rkhs sample 'swiss_roll(n=150)' -o all.csv -q
head -n 140 all.csv >old.csv
tail -n 10 all.csv >new.csv
for model in 'kpca(dim=2)' 'tke(dim=2)' 'bctke(dim=2)' 'lpp(dim=2)'; do
    rkhs fit "$model" old.csv -o m.rkhs -q
    says '150 objects' rbf '2 dimensions' / old moved deviation -- update m.rkhs new.csv -o m2.rkhs -z Z.npy
    shape Z.npy
    rkhs info m2.rkhs | grep -E '^ *(rows|reference_objects|new_rows) '
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
# Landmarks and random features: the embedding has what the model keeps, and the new rows.
rkhs fit 'kpca(gram=nystrom(landmarks=20))' old.csv -o l.rkhs -q && rkhs update l.rkhs new.csv -z L.npy -q && shape L.npy
rkhs fit 'kpca(gram=features(count=30))' old.csv -o f.rkhs -q && rkhs update f.rkhs new.csv -z F.npy -q && shape F.npy
for model in lpp npe; do
    rkhs fit "$model(gram=nystrom(landmarks=20))" old.csv -o l.rkhs -q
    rkhs update l.rkhs new.csv -o l2.rkhs -z L.npy -q && shape L.npy
    rkhs info l2.rkhs | grep -E '^ *(rows|reference_objects|objects_seen|new_rows) '
done
# Targets: ridge regression in two parts is that of all rows, with the exact Gram and with the same landmarks.
seq 150 >t.csv && head -n 140 t.csv >told.csv && tail -n 10 t.csv >tnew.csv
for gram in exact 'nystrom(by=given, rows=[0:20])' 'features(count=30)'; do
    rkhs fit "krr(gram=$gram)" old.csv --kernel "$kernel" --target told.csv -o r.rkhs -q
    rkhs update r.rkhs new.csv --target tnew.csv -o r2.rkhs -q
    rkhs fit "krr(gram=$gram)" all.csv --kernel "$kernel" --target t.csv -o w.rkhs -q
    rkhs transform r2.rkhs all.csv -o R.npy && rkhs transform w.rkhs all.csv -o W.npy && near R.npy W.npy 1e-9
done
# Refusals.
rkhs fit 'bctke(gram=nystrom(landmarks=20))' old.csv -o n.rkhs -q
rkhs gram rbf old.csv -o K.npy
rkhs fit kpca --kernel precomputed K.npy -o g.rkhs -q
npy narrow.npy 1 1 2 3
npy nan.npy 3 1 nan 2
: >empty.csv
refuses 1 20 '140 objects' -- update n.rkhs new.csv -o no.rkhs
refuses 1 K.npy precomputed Gram -- update g.rkhs K.npy -o no.rkhs
refuses 1 krr targets --target -- update r.rkhs new.csv -o no.rkhs
refuses 1 told.csv '140 rows' '10 objects' -- update r.rkhs new.csv --target told.csv -o no.rkhs
refuses 1 kpca targets -- update m.rkhs new.csv --target tnew.csv -o no.rkhs
refuses 1 narrow.npy '1 column' 3 -- update m.rkhs narrow.npy -o no.rkhs
refuses 1 nan.npy 'row 1' 'column 2' NaN -- update m.rkhs nan.npy -o no.rkhs
refuses 1 empty.csv empty -- update m.rkhs empty.csv -o no.rkhs
refuses 2 '-o m.rkhs' '-z Z.npy' -- update m.rkhs new.csv
refuses 2 '-o no.npy' m.rkhs '-z no.npy' -- update m.rkhs new.csv -o no.npy
refuses 2 m.rkhs overwritten -- update m.rkhs new.csv -o m.rkhs
