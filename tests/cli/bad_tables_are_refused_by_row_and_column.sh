. "$LIB"
fit() { try fit 'kpca(dim=2)' "$@" -o m.rkhs; }
: >empty.csv; fit empty.csv
: >empty.npy; fit empty.npy
fit missing.csv
mkdir folder; fit folder
echo 'a,b' >header.csv; fit header.csv
printf '1,2,3\n' >one_row.csv; fit one_row.csv
printf 'a,b\n1,2\n3,4,5\n' >ragged.csv; fit ragged.csv
printf 'a,b\n1,2\n3\n' >short.csv; fit short.csv
printf 'a,b\n1,2\n3,four\n' >text.csv; fit text.csv
printf 'oops,2\n3,4\n5,6\n' >first.csv; fit first.csv
printf 'a,b\n1,2\n3,\n' >missing_value.csv; fit missing_value.csv
printf 'a,b\n1,2\nNA,4\n' >na.csv; fit na.csv
printf 'a,b\n1,2\n3,nan\n' >nan.csv; fit nan.csv
printf 'a,b\n1,2\ninf,4\n' >inf.csv; fit inf.csv
printf 'a,b\n1,2\n1e400,4\n' >over.csv; fit over.csv
printf 'a,b\n1,"2\n3,4\n' >quote.csv; fit quote.csv
npy nan.npy 2 1 2 3 nan 5 6; fit nan.npy
npy inf.npy 2 1 2 -inf 4 5 6; fit inf.npy
npy two.npy 2 1 2 3 4; try fit 'kpca(dim=3)' two.npy -o m.rkhs
npy wide.npy 3 1 2 3 4 5 6 7 8 9
npy narrow.npy 2 1 2 3 5 8 13
printf '1,2\n3,4\n' >unknown.dat; fit unknown.dat
