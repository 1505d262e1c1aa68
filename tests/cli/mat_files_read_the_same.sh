. "$LIB"
cp "$SRC"/tests/cli/mat/* .
# stored plainly or compressed, single or double, by columns as MATLAB has them; sparse ones too; through gzip and a pipe
rkhs gram linear X.npy -o K.npy
for file in plain packed single; do rkhs gram linear $file.mat -o M.npy && cmp K.npy M.npy; done
rkhs gram linear many.mat --format 'mat(key=A)' -o M.npy && cmp K.npy M.npy
rkhs gram linear many.mat --format 'mat("A")' -o M.npy && cmp K.npy M.npy
gzip -c plain.mat >plain.mat.gz
rkhs gram linear plain.mat.gz -o M.npy && cmp K.npy M.npy
rkhs gram linear - -o M.npy <packed.mat && cmp K.npy M.npy
rkhs gram linear plain.mat packed.mat -o M.npy && near K.npy M.npy 1e-15
rkhs gram linear sparse.npy -o K.npy
rkhs gram linear sparse.mat -o M.npy && near K.npy M.npy 1e-15
# labels and targets
for labels in y.npy y.mat packed.mat single.mat; do rkhs score 'knn(k=2)' --z X.npy --labels $labels -q; done
rkhs fit 'krr(ridge=1)' --kernel linear plain.mat --target plain.mat -z A.npy -o m.rkhs -q
rkhs fit 'krr(ridge=1)' --kernel linear X.npy --target X.npy -z B.npy -q
near A.npy B.npy 1e-15
rkhs transform m.rkhs packed.mat -o B.npy && near A.npy B.npy 1e-12
# text: cells of it, and rows of characters
printf '%s\n' 'a cat' 'a dog' '' 'Zürich' >words.txt
rkhs gram 'spectrum(p=2)' words.txt -o K.npy
for key in cells rows; do rkhs gram 'spectrum(p=2)' text.mat --format "mat(key=$key)" -o M.npy && cmp K.npy M.npy; done
rkhs score 'knn(k=1)' --z X.npy --labels classes.mat -q
rkhs plot plain.mat --labels y.mat -o p.svg -q && picture p.svg
# refusals
for file in many words nan inf; do try gram linear $file.mat -o K2.npy; done
for key in c s t cell three none nothing; do try gram linear many.mat --format "mat(key=$key)" -o K2.npy; done
try gram linear many.mat --format 'mat(nam=A)' -o K2.npy
try gram linear plain.mat --format 'mat(' -o K2.npy
try gram linear none.mat -o K2.npy
try gram linear v4.mat -o K2.npy
try gram 'spectrum(p=2)' text.mat -o K2.npy
try gram linear plain.mat --memory 100 -o K2.npy | sed "s/[0-9][0-9]* bytes/N bytes/g"
try score 'knn(k=2)' --z X.npy --labels plain.mat
try score 'knn(k=2)' --z X.npy --labels many.mat
try score 'knn(k=2)' --z X.npy --labels nan.mat
try fit kpca plain.mat --label-column X -o n.rkhs
try gram linear X.npy -o K.mat
: >empty.mat
head -c 200 plain.mat >cut.mat
cp X.npy other.mat
head -c 124 plain.mat >head
(cat head; printf '\0\2IM'; head -c 384 /dev/zero; printf '\211HDF\r\n\032\n'; head -c 500 /dev/zero) >v73.mat
(cat head; printf '\2\0MI'; head -c 384 /dev/zero; printf '\211HDF\r\n\032\n'; head -c 500 /dev/zero) >v73big.mat
(cat head; printf '\1\2IM'; tail -c +129 plain.mat) >strange.mat
(printf '\211HDF\r\n\032\n'; head -c 500 /dev/zero) >hdf5.mat
for file in v73 v73big strange hdf5; do try gram linear $file.mat -o K2.npy; done
for file in empty.mat cut.mat other.mat; do try gram linear $file -o K2.npy; done
