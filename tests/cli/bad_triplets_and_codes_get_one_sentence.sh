. "$LIB"
rkhs sample -q 'cubes(n=40)' -o X.npy
rkhs sample -q 'cubes(n=39)' -o few.npy
for i in $(seq 0 39); do echo "$i,$(((i + 8) % 40)),$(((i + 3) % 40))"; done >T.csv
echo '0,0,1' >same.csv
printf '%s\n' 0,0 0,0 1,2 2,1 3,1 1,3 2,2.5 1.5,1 >zero.csv

echo 'Refused, and nothing is written.'
for lambda in 1e-9 1e9; do try fit "spectral(lambda=$lambda, negatives=drawn)" X.npy --triplets T.csv -k 'rbf(sigma=1)' -z z.csv -o m.rkhs; done
try fit spectral X.npy --triplets same.csv -z z.csv -o m.rkhs
try fit 'kae(ridge=0)' zero.csv -k linear -z z.csv -o m.rkhs
try fit 'kae(ridge=0, latent=linear)' X.npy -z z.csv -o m.rkhs
try fit kae X.npy --target few.npy -z z.csv -o m.rkhs
try select 'kae(dim=?)' --try dim=1,2 X.npy --by trustworthiness --target few.npy -z z.csv -o m.rkhs
for model in 'contrastive(augment=edit)' 'spectral(augment=crop)' 'kae(denoise=flip)'; do try fit "$model" X.npy -z z.csv -o m.rkhs; done

# one negative for each anchor, and a loss that falls for as long as one goes on
cp "$DATA/iris.csv" .
try fit "spectral(negatives=drawn,lambda=0.1)" iris.csv --label-column species -o m.rkhs

echo 'Said.'
said() { rkhs fit "$@" 2>&1 >/dev/null | sed 's/, [0-9.e-]* s, .* at most//'; }
said contrastive X.npy --positive X.npy -k 'rbf(sigma=1)' -z z.csv
said 'contrastive(dim=5)' X.npy --triplets T.csv -k linear -z z.csv
said 'spectral(dim=5)' X.npy --triplets T.csv -k linear -z z.csv
said kae zero.csv -k linear -z z.csv
