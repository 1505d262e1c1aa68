. "$LIB"
rkhs sample 'circles(n=60)' -o X.npy
for name in X.npz X.svm X.csv; do rkhs sample 'circles(n=60)' -o $name; done
rkhs gram 'rbf(sigma=1)' X.npy -o K.npy
for name in X.npz X.svm X.csv; do rkhs gram 'rbf(sigma=1)' $name -o K2.npy && near K.npy K2.npy 1e-12; done
cat X.npz | rkhs gram 'rbf(sigma=1)' - | cmp - K.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.svm -o m.rkhs -q
printf '0 1:0.5\n0 1:0.25\n' >new.svm # the second column is 0 in all rows
refuses 1 new.svm '1 column' 2 'svmlight(columns=2)' -- transform m.rkhs new.svm -o Z.npy
rkhs transform m.rkhs new.svm --format 'svmlight(columns=2)' -o Z.npy && shape Z.npy
refuses 1 X.npz "'Y'" 'X, y' -- fit 'kpca(dim=2)' X.npz --format 'npz(key=Y)' -o n.rkhs
printf '1 1:2\n1 3:1 2:1\n' >order.svm
refuses 1 order.svm 'line 2' 'index 2' 3 sort -- fit 'kpca(dim=2)' order.svm -o n.rkhs
printf '\0\0\10\2\0\0\0\2\0\0\0\3\1\2\3\4\5\6' >t10k-images-idx3-ubyte
rkhs gram linear t10k-images-idx3-ubyte --output-format csv | cat
