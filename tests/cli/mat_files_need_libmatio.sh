. "$LIB"
if ! rkhs gram linear "$SRC/tests/cli/mat/plain.mat" -o K.npy 2>&1 | grep -q 'built without libmatio'; then
    echo "the tool was built with libmatio"
    exit 77
fi
cp "$SRC"/tests/cli/mat/* .
try fit kpca plain.mat -o m.rkhs
try gram linear X.npy --format 'mat(key=X)' -o K.npy
try score knn --z X.npy --labels y.mat
