. "$LIB"
printf 'cat\ndog\ndog\ncow\n' >y.txt
printf 'cow\nant\ncat\n' >new.txt
rkhs gram delta y.txt --output-format csv | cat
rkhs gram delta new.txt y.txt --output-format csv | cat
rkhs fit 'kpca(dim=2)' y.txt --kernel delta -o m.rkhs -z Z.npy -q
rkhs transform m.rkhs y.txt -o T.npy && near Z.npy T.npy 1e-12
says '1 of the 3' 'kernel values' 'row 2' -- transform m.rkhs new.txt -o T.npy && shape T.npy
printf '0.5,1\n' >two.csv
refuses 1 two.csv '2 columns' 'csv(label=NAME)' -- gram delta two.csv -o K.npy
