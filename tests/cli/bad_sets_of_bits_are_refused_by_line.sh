. "$LIB"
printf '#FPS1\n#num_bits=11\n0504\ta\n07x4\tb\n' >digit.fps
printf '#FPS1\n0504\ta\n070400\tb\n' >long.fps
printf '#FPS1\n#num_bits=11\n0504\ta\n0708\tb\n' >past.fps
printf '#FPS1\n#num_bits=many\n0504\ta\n' >header.fps
printf '#FPS1\n' >none.fps
bad() { refuses 1 "$@" -- gram tanimoto "$1" -o K.npy; }
bad digit.fps 'line 4' 'character 3' "'x'"
bad long.fps 'line 3' '6 digits' '16 bits' 4
bad past.fps 'line 4' 11 num_bits
bad header.fps 'line 2' num_bits '1 to 2147483647'
bad none.fps fingerprint
printf '0104\n0004\n0500\n' >x.fps
rkhs fit 'kpca(dim=1)' x.fps -o m.rkhs -q
printf '0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n0,1,0,0,2,0,0,0,0,0,0,0,0,0,0,0\n' >two.csv
refuses 1 two.csv 'row 2' 'column 5' 'is 2' bits -- transform m.rkhs two.csv -o Z.npy
printf '0,1\n' >narrow.csv
refuses 1 narrow.csv '2 columns' 16 -- transform m.rkhs narrow.csv -o Z.npy
refuses 1 x.fps classes labels -- fit 'kpca(dim=1)' x.fps --labels x.fps -o n.rkhs
npy real.npy 2 1 2 3 4
refuses 1 real.npy uint8 numpy.packbits -- gram tanimoto real.npy --format 'npy(packed=big)' -o K.npy
refuses 1 x.fps classes labels -- gram delta x.fps -o K.npy
