. "$LIB"
rkhs sample -q 'cubes(n=40)' -o X.npy
rkhs sample -q 'cubes(n=39)' -o few.npy
for i in $(seq 0 39); do echo "$i,$(((i + 8) % 40)),$(((i + 3) % 40))"; done >T.csv
echo '0,0,1' >same.csv
printf '%s\n' 0,0 0,0 1,2 2,1 3,1 1,3 2,2.5 1.5,1 >zero.csv

# Refused, and nothing is written.
for ridge in 1e-09 1e+09; do
    refuses 1 spectral ridge $ridge 2e-08 41.5773 \
        -- fit "spectral(ridge=$ridge, negatives=drawn)" X.npy --triplets T.csv -k 'rbf(sigma=1)' -z z.csv -o m.rkhs
done
refuses 1 X.npy same.csv 'triplet 1' 'object 0' twice -- fit spectral X.npy --triplets same.csv -z z.csv -o m.rkhs
refuses 1 kae 'ridge = 0' embedding_kernel=rbf singular -- fit 'kae(ridge=0)' zero.csv -k linear -z z.csv -o m.rkhs
refuses 1 kae 'ridge = 0' embedding_kernel=linear singular -- fit 'kae(ridge=0, embedding_kernel=linear)' X.npy -z z.csv -o m.rkhs
refuses 1 X.npy few.npy '39 rows' '40 objects' -- fit kae X.npy --target few.npy -z z.csv -o m.rkhs
refuses 1 few.npy '39 rows' X.npy 40 \
    -- select 'kae(dim=?)' --try dim=1,2 X.npy --by trustworthiness --target few.npy -z z.csv -o m.rkhs
refuses 1 X.npy "'edit'" string dense noise -- fit 'contrastive(augment=edit)' X.npy -z z.csv -o m.rkhs
refuses 1 X.npy "'crop'" image dense noise 'n x h x w' -- fit 'spectral(augment=crop)' X.npy -z z.csv -o m.rkhs
refuses 1 X.npy "'flip'" image dense noise 'n x h x w' -- fit 'kae(denoise=flip)' X.npy -z z.csv -o m.rkhs

# one negative for each anchor, and a loss that falls for as long as one goes on
cp "$DATA/iris.csv" .
refuses 1 spectral ridge 0.1 0.000469062 179.269 negatives=all \
    -- fit "spectral(negatives=drawn,ridge=0.1)" iris.csv --label-column species -o m.rkhs

# Said, before the summary.
says '40 of the 40' positives augmentation / '40 objects' 'rbf(sigma=1)' '2 dimensions' \
    -- fit contrastive X.npy --positive X.npy -k 'rbf(sigma=1)' -z z.csv
says '3 of the 5' eigenvalue / '40 objects' linear '5 dimensions' \
    -- fit 'contrastive(dim=5)' X.npy --triplets T.csv -k linear -z z.csv
says '1 dimension' 24.1 5 / '40 objects' linear '5 dimensions' \
    -- fit 'spectral(dim=5)' X.npy --triplets T.csv -k linear -z z.csv
says '2 objects' 'length 1' 'k(x,x)' / '8 objects' linear '2 dimensions' -- fit kae zero.csv -k linear -z z.csv
