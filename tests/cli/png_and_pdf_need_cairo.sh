. "$LIB"
npy Z.npy 2 1 2 3 4 5 6
if ! rkhs plot Z.npy -o Z.png 2>&1 | grep -q 'built without cairo'; then
    echo "the tool was built with cairo"
    exit 77
fi
refuses 1 p.png cairo .svg -- plot Z.npy -o p.png
refuses 1 p.pdf cairo .svg -- plot Z.npy -o p.pdf
