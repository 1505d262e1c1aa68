. "$LIB"
rkhs sample -q 'circles(n=24)' -o X.npy
for model in gplvm bcgplvm; do
    rkhs fit -q "$model(solver=lbfgs(max_iter=5))" X.npy -o m.rkhs -z Z.csv
    echo "$model shows: $(rkhs info m.rkhs | sed -n 's/^\([a-z_]*\)  .*/\1/p' | xargs)"
    rkhs plot -q --model m.rkhs -o losses.svg && picture losses.svg
    rkhs transform -q m.rkhs X.npy -o Z2.csv && wc -l <Z2.csv
done
