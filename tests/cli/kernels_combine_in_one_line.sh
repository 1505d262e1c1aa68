. "$LIB"
rkhs sample 'swiss_roll(n=80)' -o X.npy
rkhs sample 'swiss_roll(n=20)' --seed 5 -o new.npy
# every piece of the language, saved, loaded, and the training rows where they were
for kernel in '2*rbf(sigma=median)[0:2] + cosine[2,0]^2' 'standardize(rbf)' 'center(rbf)*normalize(poly)' \
    '0.5*(standardize(laplacian)[1,2] + center(linear[0]))^2'; do
    for gram in exact 'nystrom(landmarks=30)'; do
        rkhs fit "kpca(dim=2, gram=$gram)" --kernel "$kernel" X.npy -o m.rkhs -z Z.npy -q
        rkhs transform m.rkhs X.npy -o T.npy -q
        near Z.npy T.npy 1e-7
    done
done
# the mean and deviation of the training objects are in the model, and a long list of them does not fill the screen
rkhs fit 'kpca(dim=2)' --kernel 'standardize(rbf(sigma=2))' X.npy -o m.rkhs -q
rkhs info m.rkhs | grep -c 'deviation=\['
"$PYTHON" - >wide.csv <<'PY'
for i in range(12): print(",".join(str((i * 7 + c * c) % 11 + c) for c in range(400)))
PY
rkhs fit 'kpca(dim=2)' --kernel 'standardize(rbf(sigma=2))' wide.csv -o wide.rkhs 2>words
test "$(wc -c <words)" -lt 500 && grep -o 'mean=[^]]*' words
test "$(rkhs info wide.rkhs | wc -c)" -lt 1500 && rkhs info wide.rkhs | tr -s ' \n' ' ' | grep -o '[0-9]* in all'
rkhs transform wide.rkhs wide.csv -o T.npy && shape T.npy
# what is wrong is said in one sentence
refuses 1 X.npy '[0:4]' 'column 3' 'are 3' -- gram 'rbf[0:4]' X.npy -o K.npy
refuses 1 columns '[0:50,7]' '[-1]' -- gram 'rbf[-1]' X.npy -o K.npy
refuses 1 weight 'above 0' -1 -- gram '-1*rbf' X.npy -o K.npy
refuses 1 "'rbf - linear'" 'position 5' difference + '*' -- gram 'rbf - linear' X.npy -o K.npy
refuses 1 power exponent 'at least 1' 0 -- gram 'rbf^0' X.npy -o K.npy
refuses 1 "'rbf^2[0]'" brackets '(k^2)[0:3]' 'position 6' "'['" -- gram 'rbf^2[0]' X.npy -o K.npy
refuses 1 normalize 'normalize(rbf)' -- gram 'normalize' X.npy -o K.npy
refuses 1 "'power'" a^3 -- gram 'power(rbf)' X.npy -o K.npy
refuses 1 'center(precomputed)' 'k(x,x)' Gram -- gram 'center(precomputed)' X.npy -o K.npy
refuses 1 "'standardise'" standardize 'rkhs list kernels' -- gram 'standardise(rbf)' X.npy -o K.npy
refuses 1 X.npy standardize '1 column' 3 -- gram 'standardize(rbf, mean=[1], deviation=[1])' X.npy -o K.npy
