. "$LIB"
rkhs sample 'circles(n=380)' -o X.npy --labels-out y.npy
says '380 objects' rbf '2 dimensions' -- fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' X.npy -o m.rkhs -z Z.npy
rkhs transform m.rkhs X.npy -o Z2.npy
near Z.npy Z2.npy 1e-8
rkhs inverse m.rkhs Z.npy -o X2.npy
rkhs plot Z.npy --labels y.npy --title 'Circles' -o circles.svg
rkhs score 'knn(k=5)' --z Z.npy --labels y.npy >score && grep -c '^knn(k=5)  [01]' score
shape X.npy Z.npy Z2.npy X2.npy
picture circles.svg
rkhs info m.rkhs | grep -E '^(objects|dimensions|columns|reference_objects|solver) '
ls -A
