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
# refusals: bad FILE WORD..., bad_key KEY WORD...
bad() { refuses 1 "$@" -- gram linear "$1" -o K2.npy; }
bad_key() { refuses 1 many.mat "$@" -- gram linear many.mat --format "mat(key=$1)" -o K2.npy; }
bad_labels() { refuses 1 "$@" -- score 'knn(k=2)' --z X.npy --labels "$1"; }
bad many.mat 'A (6 x 3)' 'B (6 x 3)' 'mat(key=A)' --format
bad words.mat 'no matrix' 't (text)' 'c (complex)'
bad nan.mat 'row 3' 'column 2' NaN
bad inf.mat 'row 2' 'column 2' inf
bad_key c complex matrix
bad_key s struct matrix
bad_key t text matrix
bad_key cell 'cell array' matrix
bad_key three 'two dimensions' matrix
bad_key none empty matrix
bad_key nothing 'A (6 x 3)' 's (a struct)' 'cell (a cell array)' 'three (not of two dimensions)' 'none (empty)'
refuses 1 mat "'nam'" key -- gram linear many.mat --format 'mat(nam=A)' -o K2.npy
refuses 1 "'mat('" -- gram linear plain.mat --format 'mat(' -o K2.npy
bad none.mat 'No such file'
bad v4.mat 'level 4' "'-v7'" scipy.io.savemat
refuses 1 text.mat 'cells (a cell array)' 'rows (text)' 'mat(key=cells)' -- gram 'spectrum(p=2)' text.mat -o K2.npy
refuses 1 bytes limit -- gram linear plain.mat --memory 100 -o K2.npy
bad_labels plain.mat '6 x 3' 'one column'
bad_labels nan.mat '6 x 3' 'one column'
bad_labels many.mat 'A (6 x 3)' 'B (6 x 3)' y
refuses 1 plain.mat --label-column --labels -- fit kpca plain.mat --label-column X -o n.rkhs
refuses 1 K.mat .npy --output-format -- gram linear X.npy -o K.mat
: >empty.mat; bad empty.mat empty
head -c 200 plain.mat >cut.mat; bad cut.mat 'ends early'
cp X.npy other.mat; bad other.mat 'not a MAT file'
head -c 124 plain.mat >head
(cat head; printf '\0\2IM'; head -c 384 /dev/zero; printf '\211HDF\r\n\032\n'; head -c 500 /dev/zero) >v73.mat
(cat head; printf '\2\0MI'; head -c 384 /dev/zero; printf '\211HDF\r\n\032\n'; head -c 500 /dev/zero) >v73big.mat
(cat head; printf '\1\2IM'; tail -c +129 plain.mat) >strange.mat
(printf '\211HDF\r\n\032\n'; head -c 500 /dev/zero) >hdf5.mat
for file in v73 v73big hdf5; do bad $file.mat 'version 7.3' HDF5 "'-v7'" scipy.io.savemat; done
bad strange.mat 'no known version' "'-v7'"
