. "$LIB"
rkhs sample 'circles(n=200)' -o X.npy
head -c 1000 X.npy >cut.npy; try gram 'rbf(sigma=1)' cut.npy -o K.npy
head -c 40 X.npy >head.npy; try gram 'rbf(sigma=1)' head.npy -o K.npy
head -c 4 X.npy >magic.npy; try gram 'rbf(sigma=1)' magic.npy -o K.npy
(cat X.npy; echo more) >long.npy; try gram 'rbf(sigma=1)' long.npy -o K.npy
sed 's/(200, 2)/(900, 2)/' X.npy >lies.npy; try gram 'rbf(sigma=1)' lies.npy -o K.npy
sed 's/<f8/<c8/' X.npy >complex.npy; try gram 'rbf(sigma=1)' complex.npy -o K.npy
echo 'no numbers here' >text.npy; try gram 'rbf(sigma=1)' text.npy -o K.npy
gzip -k X.npy
head -c 1500 X.npy.gz >cut.npy.gz; try gram 'rbf(sigma=1)' cut.npy.gz -o K.npy
(head -c 1500 X.npy.gz; printf 'xxxxxxxx'; tail -c +1509 X.npy.gz) >flipped.npy.gz
try gram 'rbf(sigma=1)' flipped.npy.gz -o K.npy | sed 's/at byte [0-9]*/at byte N/; s/([a-z -]*)/(WHY)/'
