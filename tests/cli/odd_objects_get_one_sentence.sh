. "$LIB"
rkhs sample 'circles(n=40)' --seed 1 -o X.npy -q
# more neighbours than there are objects: all others are taken
for model in tke bctke kle lpp npe; do
  says 60 '39 other' / '40 objects' -- fit "$model(neighbours=60)" X.npy -z Z.npy
  shape Z.npy
done
# a start that does not fit, or that the model has no use for, leaves nothing
npy start.npy 3 1 2 3 4 5 6
for model in tke bctke gplvm bcgplvm; do
  refuses 1 X.npy start.npy $model '2 x 3' '40 x 2' -- fit $model X.npy --start start.npy -z none.npy -q
done
for model in kle lpp; do
  refuses 1 $model 'no start' -- fit $model X.npy --start start.npy -z none.npy -q
done
# a start that puts all at one point
npy zeros.npy 2 $(for i in $(seq 80); do echo 0; done)
for model in tke gplvm; do
  refuses 1 X.npy zeros.npy '40 objects' 'one point' -- fit $model X.npy --start zeros.npy -z none.npy -q
done
# a start that fits, and no step
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -z Z0.npy -q
rkhs fit 'tke(solver=lbfgs(max_iter=0))' X.npy --start Z0.npy -z Z1.npy -q
cmp Z0.npy Z1.npy && echo "as it was"
# parts that nothing joins, and what is like nothing
npy far.npy 1 0 1 2 3 1000 1001 1002 1003 5000
fit() { says "${@:2}" / '9 objects' -- fit "$1(k=3)" --kernel 'rbf(sigma=1)' far.npy -z Z.npy; }
fit tke '1 object' neighbour positive / '3 connected components' '1 of them' 'raise neighbours'
fit kle '3 connected components' '1 of them' 'side by side' 'raise neighbours'
fit lpp '3 connected components' '1 of them' 'raise neighbours'
fit npe '1 object' neighbour 'above 0' / '2 connected components' 'raise neighbours'
# nothing is like anything
npy apart.npy 1 0 1000 3000 7000 20000
for model in tke bctke; do
  refuses 1 'no two objects' 'above 0' kernel -- fit $model --kernel 'rbf(sigma=1)' apart.npy -z Z.npy
done
fit() { says "${@:2}" / '5 objects' -- fit $1 --kernel 'rbf(sigma=1)' apart.npy -z Z.npy; }
fit kle 7 '4 other' / 'no two objects' 'above 0' 'wider kernel'
fit lpp 5 '4 other' / 'no two objects' 'above 0' 'wider kernel'
fit npe 5 '4 other' / '5 objects' neighbour 'above 0' 'wider kernel'
# each way to place new objects, by the model that has it
rkhs sample 'circles(n=12)' --seed 2 -o new.npy -q
rkhs fit tke X.npy -o tke.rkhs -q
rkhs fit bctke X.npy -o bctke.rkhs -q
for way in tke-refine tke-neighbour bctke-refine bctke-neighbour bctke-map; do
  says -- transform ${way%-*}.rkhs new.npy --place ${way#*-} -o $way.npy -q
  shape $way.npy
done
refuses 1 tke "'map'" refine neighbour -- transform tke.rkhs new.npy --place map -o none.npy -q
cmp -s tke-refine.npy tke-neighbour.npy || echo "elsewhere"
refuses 1 tke "'nowhere'" refine neighbour -- transform tke.rkhs new.npy --place nowhere -o none.npy -q
