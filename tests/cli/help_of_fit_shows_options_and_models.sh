. "$LIB"
rkhs help transform
echo "---"
rkhs help fit | sed -n '/^Examples/,$d; p'
rkhs help fit | sed -n '/^Models/,$p' | grep -c 'kpca'
