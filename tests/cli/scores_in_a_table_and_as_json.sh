. "$LIB"
# Many scores at once, of new rows, in the feature space of a kernel, of objects that are no vectors.
rkhs sample 'circles(n=60, noise=0.1)' -o X.npy --labels-out y.npy
rkhs fit 'kpca(dim=2)' X.npy -o m.rkhs -z Z.npy --quiet
rkhs sample 'circles(n=30, noise=0.1)' --seed 1 -o new_X.npy --labels-out new_y.npy
rkhs transform m.rkhs new_X.npy -o new_Z.npy --quiet
rkhs score 'trustworthiness(k=12)' 'svm(metric=f1, kernel=rbf(sigma=1))' 'knn( k=3 )' --z Z.npy --x X.npy --labels y.npy
rkhs score 'knn( k=3 )' 'svm(c=2)' --z Z.npy --labels y.npy --json | sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/g'
rkhs score knn 'qnx(k=5)' --z Z.npy --x X.npy --labels y.npy --new-z new_Z.npy --new-x new_X.npy --new-labels new_y.npy
printf '%s\n' abab abba baba bbbb aaab abbb > words.txt
printf '%s\n' 1,0 0.9,0.2 1,0.1 0,1 0.7,0 0.3,0.9 > codes.csv
rkhs score 'qnx(k=2)' 'cka' --z codes.csv --x words.txt --kernel 'spectrum(p=2)'
rkhs score 'qnx(k=2)' --z codes.csv --x words.txt --format lines --kernel 'ssk(p=2)'
refuses 1 string kernel --kernel -- score 'qnx(k=2)' --z codes.csv --x words.txt
refuses 1 codes.csv words.txt reconstruction dense string -- score reconstruction --z codes.csv --x words.txt
refuses 2 --new-x '--new-z Z.npy' -- score qnx --z codes.csv --new-x words.txt
refuses 1 codes.csv qnx 'k = 3' '6 rows' -- score 'qnx(k=3)' --z codes.csv --x codes.csv
refuses 1 Z.npy new_y.npy '30 labels' '60 rows' -- score knn --z Z.npy --labels new_y.npy
refuses 1 "'nothing'" 'rkhs list kernels' -- score knn --z Z.npy --labels y.npy --new-z new_X.npy --kernel nothing
