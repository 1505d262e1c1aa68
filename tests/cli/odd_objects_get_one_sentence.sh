. "$LIB"
rkhs sample 'circles(n=40)' --seed 1 -o X.npy -q
# more neighbours than there are objects: all others are taken
for model in tke bctke kle lpp npe; do
  echo "$model"
  rkhs fit "$model(k=60)" X.npy -z Z.npy 2>&1 | grep -v '^rkhs fit:'
  shape Z.npy
done
# a start that does not fit, or that the model has no use for, leaves nothing
npy start.npy 3 1 2 3 4 5 6
for model in tke bctke gplvm bcgplvm kle lpp; do
  try fit "$model" X.npy --start start.npy -z none.npy -q
done
# a start that puts all in one place
npy zeros.npy 2 $(for i in $(seq 80); do echo 0; done)
for model in tke gplvm; do
  try fit "$model" X.npy --start zeros.npy -z none.npy -q
done
# a start that fits, and no step
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -z Z0.npy -q
rkhs fit 'tke(solver=lbfgs(iter=0))' X.npy --start Z0.npy -z Z1.npy -q
cmp Z0.npy Z1.npy && echo "as it was"
# parts that nothing joins, and what is like nothing
npy far.npy 1 0 1 2 3 1000 1001 1002 1003 5000
for model in tke kle lpp npe; do
  echo "$model"
  rkhs fit "$model(k=3)" --kernel 'rbf(sigma=1)' far.npy -z Z.npy 2>&1 | grep -v '^rkhs fit:'
done
# nothing is like anything
npy apart.npy 1 0 1000 3000 7000 20000
for model in tke bctke kle lpp npe; do
  try fit "$model" --kernel 'rbf(sigma=1)' apart.npy -z Z.npy
done 2>&1 | grep -v '^rkhs fit: [0-9]'
# each way to place new objects, by the model that has it
rkhs sample 'circles(n=12)' --seed 2 -o new.npy -q
rkhs fit tke X.npy -o tke.rkhs -q
rkhs fit bctke X.npy -o bctke.rkhs -q
for way in refine neighbour map; do
  try transform tke.rkhs new.npy --place $way -o "tke-$way.npy" -q
  try transform bctke.rkhs new.npy --place $way -o "bctke-$way.npy" -q
done
shape tke-refine.npy
shape bctke-map.npy
cmp -s tke-refine.npy tke-neighbour.npy || echo "elsewhere"
try transform tke.rkhs new.npy --place nowhere -o none.npy -q
