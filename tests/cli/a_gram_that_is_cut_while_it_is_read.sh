. "$LIB"
# A pipe holds less than a part: the tool waits in the middle of it while the file is cut.
rkhs sample 'circles(n=300)' -o X.npy
rkhs gram rbf X.npy -o K.npy
{ rkhs gram --merge K.npy -o - 2>said; echo "exit $?" >>said; } | { head -c 1000 >/dev/null; : >K.npy; cat >/dev/null; }
[[ $(xargs <said) =~ ^rkhs\ gram:\ .*standard\ output.*short.*\ exit\ 1$ ]] || cat said
# Small parts go through a buffer: there it is the signal that tells.
rkhs gram rbf X.npy -o K.npy
for i in $(seq 0 3 297); do rkhs gram precomputed K.npy --rows "$i:$((i + 3))" -o "p$i.npy"; done
{ rkhs gram --merge $(printf 'p%d.npy ' $(seq 0 3 297)) -o - 2>said; echo "exit $?" >>said; } |
    { head -c 1000 >/dev/null; : >p297.npy; cat >/dev/null; }
[[ $(xargs <said) =~ ^rkhs:\ .*cut\ short.*\ exit\ 1$ ]] || cat said
