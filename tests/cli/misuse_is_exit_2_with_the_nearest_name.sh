. "$LIB"
rkhs sample 'circles(n=20)' -o X.npy
refuses 2 "'fitt'" fit -- fitt 'kpca(dim=2)' X.npy
refuses 2 command "'zzzz'" -- zzzz
refuses 2 "'plto'" plot -- help plto
refuses 2 'rkhs COMMAND --quiet' -- --quiet fit
refuses 2 --kernal --kernel -- fit 'kpca(dim=2)' X.npy --kernal rbf -o m.rkhs
refuses 2 option -w -- fit 'kpca(dim=2)' X.npy -w -o m.rkhs
refuses 2 --labels-out --labels -- fit 'kpca(dim=2)' X.npy --labels-out y.npy -o m.rkhs
refuses 2 "'SPEC' is missing" "rkhs fit 'SPEC' X" -- fit
refuses 2 'X is missing' "rkhs fit 'SPEC' X" -- fit 'kpca(dim=2)'
refuses 2 "'extra'" "rkhs fit 'SPEC' X" -- fit 'kpca(dim=2)' X.npy extra -o m.rkhs
refuses 2 '-o m.rkhs' '-z Z.npy' -- fit 'kpca(dim=2)' X.npy
refuses 2 '-o FILE' -- fit 'kpca(dim=2)' X.npy -o
refuses 2 '-o FILE' -- fit 'kpca(dim=2)' X.npy -o --quiet
refuses 2 '-o Z.npy' m.rkhs '-z Z.npy' -- fit 'kpca(dim=2)' X.npy -o Z.npy
refuses 2 ./X.npy overwritten -- fit 'kpca(dim=2)' X.npy -o X.npy.rkhs -z ./X.npy
refuses 2 two 'standard output' -- fit 'kpca(dim=2)' X.npy -o - -z -
refuses 2 two m.rkhs -- fit 'kpca(dim=2)' X.npy -o m.rkhs -z m.rkhs
refuses 2 --labels --target both -- fit 'kpca(dim=2)' X.npy -o m.rkhs --labels y.npy --target t.npy
refuses 2 --output empty FILE -- fit 'kpca(dim=2)' X.npy --output= --quiet
refuses 2 --quiet 'no value' -- fit 'kpca(dim=2)' X.npy -o m.rkhs --quiet=yes
refuses 2 --threads '1 to 1024' "'many'" -- fit 'kpca(dim=2)' X.npy -o m.rkhs --threads many
refuses 2 --threads '1 to 1024' "'-1'" -- fit 'kpca(dim=2)' X.npy -o m.rkhs --threads -1
refuses 2 --seed '0 to 2^64-1' "'-1'" -- fit 'kpca(dim=2)' X.npy -o m.rkhs --seed=-1
refuses 2 --memory 500M 8G "'8X'" -- fit 'kpca(dim=2)' X.npy -o m.rkhs --memory 8X
refuses 2 --memory 500M 8G "'0'" -- fit 'kpca(dim=2)' X.npy -o m.rkhs --memory 0
refuses 2 X.npy overwritten -- gram rbf X.npy -o X.npy
refuses 2 X.npy file "rkhs fit 'SPEC' X" -- fit X.npy 'kpca(dim=2)' -o m.rkhs
refuses 2 X.npy file "rkhs gram 'KERNEL' A [B]" -- gram X.npy rbf -o K.npy
refuses 2 '--z Z.npy' -- score 'knn(k=5)'
refuses 2 'standard input' once -- gram rbf - - -o K.npy
refuses 2 'standard input' once -- score 'knn(k=5)' --z - --labels -
refuses 2 'Z is missing' 'rkhs plot Z' '--model MODEL' '--gram K' -- plot
refuses 2 'MODEL is missing' 'rkhs info MODEL' -- info
refuses 2 two 'standard output' -- sample 'circles(n=5)' -o - --labels-out -
