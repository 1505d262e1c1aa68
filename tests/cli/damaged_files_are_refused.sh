. "$LIB"
# bad FILE WORD...
bad() { refuses 1 "$@" -- gram 'rbf(sigma=1)' "$1" -o K.npy; }
rkhs sample 'circles(n=200)' -o X.npy
head -c 1000 X.npy >cut.npy; bad cut.npy early '3200 bytes' 872
head -c 40 X.npy >head.npy; bad head.npy header damaged
head -c 4 X.npy >magic.npy; bad magic.npy 'not a NumPy' --format
(cat X.npy; echo more) >long.npy; bad long.npy 3200 damaged
sed 's/(200, 2)/(900, 2)/' X.npy >lies.npy; bad lies.npy early '14400 bytes' 3200
sed 's/<f8/<c8/' X.npy >complex.npy; bad complex.npy complex real
echo 'no numbers here' >text.npy; bad text.npy 'not a NumPy' --format
gzip -k X.npy
head -c 1500 X.npy.gz >cut.npy.gz; bad cut.npy.gz gzip early '1500 bytes'
(head -c 1500 X.npy.gz; printf 'xxxxxxxx'; tail -c +1509 X.npy.gz) >flipped.npy.gz
bad flipped.npy.gz gzip damaged byte
