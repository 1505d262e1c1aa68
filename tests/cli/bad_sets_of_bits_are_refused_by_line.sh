. "$LIB"
printf '#FPS1\n#num_bits=11\n0504\ta\n07x4\tb\n' >digit.fps
printf '#FPS1\n0504\ta\n070400\tb\n' >long.fps
printf '#FPS1\n#num_bits=11\n0504\ta\n0708\tb\n' >past.fps
printf '#FPS1\n#num_bits=many\n0504\ta\n' >header.fps
printf '#FPS1\n' >none.fps
for name in digit long past header none; do try gram tanimoto $name.fps -o K.npy; done
printf '0104\n0004\n0500\n' >x.fps
rkhs fit 'kpca(dim=1)' x.fps -o m.rkhs -q
printf '0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n0,1,0,0,2,0,0,0,0,0,0,0,0,0,0,0\n' >two.csv
try transform m.rkhs two.csv -o Z.npy
printf '0,1\n' >narrow.csv
try transform m.rkhs narrow.csv -o Z.npy
try fit 'kpca(dim=1)' x.fps --labels x.fps -o n.rkhs
npy real.npy 2 1 2 3 4
try gram tanimoto real.npy --format 'npy(packed=big)' -o K.npy
try gram delta x.fps -o K.npy
