. "$LIB"
# bad FILE WORD...
bad() { refuses 1 "$@" -- fit 'kpca(dim=2)' "$1" -o m.rkhs; }
: >empty.csv; bad empty.csv empty
: >empty.npy; bad empty.npy empty
bad missing.csv 'No such file'
mkdir folder; bad folder PNG
echo 'a,b' >header.csv; bad header.csv header row
printf '1,2,3\n' >one_row.csv; bad one_row.csv kpca 'one row' 'least 2'
printf 'a,b\n1,2\n3,4,5\n' >ragged.csv; bad ragged.csv 'line 3' '3 fields' 'has 2'
printf 'a,b\n1,2\n3\n' >short.csv; bad short.csv 'line 3' '1 field' 'has 2'
printf 'a,b\n1,2\n3,four\n' >text.csv; bad text.csv 'line 3' 'column 2' "'b'" "'four'" number --label-column
printf 'oops,2\n3,4\n5,6\n' >first.csv; bad first.csv 'line 1' 'column 1' "'oops'" number 'csv(header=yes)' --label-column
printf 'a,b\n1,2\n3,\n' >missing_value.csv; bad missing_value.csv 'line 3' 'column 2' "'b'" missing "''"
printf 'a,b\n1,2\nNA,4\n' >na.csv; bad na.csv 'line 3' 'column 1' "'a'" missing "'NA'"
printf 'a,b\n1,2\n3,nan\n' >nan.csv; bad nan.csv 'line 3' 'column 2' "'b'" missing "'nan'"
printf 'a,b\n1,2\ninf,4\n' >inf.csv; bad inf.csv 'line 3' 'column 1' "'a'" infinite "'inf'"
printf 'a,b\n1,2\n1e400,4\n' >over.csv; bad over.csv 'line 3' 'column 1' "'a'" 1e400 1e150
printf 'a,b\n1,"2\n3,4\n' >quote.csv; bad quote.csv 'line 2' quote closed '""'
npy nan.npy 2 1 2 3 nan 5 6; bad nan.npy 'row 2' 'column 2' NaN
npy inf.npy 2 1 2 -inf 4 5 6; bad inf.npy 'row 2' 'column 1' -inf
npy two.npy 2 1 2 3 4; refuses 1 two.npy kpca 'dim = 3' '2 rows' -- fit 'kpca(dim=3)' two.npy -o m.rkhs
printf '1,2\n3,4\n' >unknown.dat; bad unknown.dat .dat .txt .csv .npy -ubyte .gin --format
