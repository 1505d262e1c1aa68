. "$LIB"
rkhs sample 'swiss_roll(n=700)' -o X.npy --labels-out y.npy
for threads in 1 2 4; do
    for gram in 'exact' 'nystrom(landmarks=100)'; do
        rkhs fit "kpca(dim=3, gram=$gram)" --kernel 'rbf(sigma=median)' X.npy -o "m$threads.$gram" --threads $threads --seed 5 -q
        rkhs transform "m$threads.$gram" X.npy -o "z$threads.$gram.npy" --threads $threads
    done
    rkhs gram 'rbf(sigma=median)' X.npy -o K$threads.npy --threads $threads
done
for gram in 'exact' 'nystrom(landmarks=100)'; do
    cmp "m1.$gram" "m2.$gram"; cmp "m1.$gram" "m4.$gram"; cmp "z1.$gram.npy" "z2.$gram.npy"; cmp "z1.$gram.npy" "z4.$gram.npy"
done
cmp K1.npy K2.npy; cmp K1.npy K4.npy
rkhs sample 'swiss_roll(n=700)' | cmp - X.npy
rkhs sample 'swiss_roll(n=700)' --seed 1 | cmp -s - X.npy || echo "another seed, another sample"
