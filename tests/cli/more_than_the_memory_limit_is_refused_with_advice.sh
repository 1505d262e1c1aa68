. "$LIB"
rkhs sample 'swiss_roll(n=5000)' -o X.npy
refuses 1 '5000 x 5000' '200 MB' '100 MB' 'gram=nystrom(landmarks=600)' \
    -- fit 'kpca(dim=2, gram=exact)' X.npy --kernel 'rbf(sigma=1)' -o m.rkhs --memory 100M --threads 1
refuses 1 '5000 x 5000' '200 MB' '100 MB' --memory -- gram 'rbf(sigma=1)' X.npy -o K.npy --memory 100M
refuses 1 '5000 x 5000' '200 MB' --memory \
    -- gram 'rbf(sigma=1)' X.npy -o K.npy --memory 200.1M # K alone would fit, K and the data do not
# What the sentence advises is small enough, whether the Gram or what is needed beside it was too large.
rkhs sample 'circles(n=400)' -o C.npy
for limit in 4M 4.3M 4.4M 5.1M 7.1M 100M; do
    for model in kpca krr; do
        file=C.npy target=
        [ $limit = 100M ] && file=X.npy
        [ $model = krr ] && target="--target $file"
        words=$(rkhs fit "$model(gram=exact, solver=$([ $model = krr ] && echo cholesky || echo dense))" $file $target \
            --kernel 'rbf(sigma=1)' -o m.rkhs --memory $limit --threads 1 -q 2>&1) && continue
        advice=$(sed -n 's/.*gram=nystrom(landmarks=\([0-9]*\)).*/\1/p' <<<"$words")
        [ -n "$advice" ] || echo "no advice: $words"
        rkhs fit "$model(gram=nystrom(landmarks=$advice))" $file $target --kernel 'rbf(sigma=1)' -o m.rkhs --memory $limit --threads 1 -q &&
            echo "$model in $limit: $advice landmarks"
    done
done
rm -f m.rkhs
refuses 1 '10.0 kB' memory -- fit 'kpca(dim=2)' X.npy --kernel 'rbf(sigma=1)' -o m.rkhs --memory 10k
rkhs fit 'kpca(dim=2, gram=nystrom(landmarks=200))' X.npy --kernel 'rbf(sigma=median)' -o m.rkhs --memory 100M -q && ls m.rkhs
