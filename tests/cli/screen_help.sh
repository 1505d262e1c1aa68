. "$LIB"
# The two whole screens of help that a newcomer sees first; every other is checked to be there, in its width.
rkhs help >help
rkhs --help | cmp - help
rkhs 2>plain
echo "rkhs alone: exit $?"
cmp plain help
sed 's/[0-9][0-9.]*:/VERSION:/' help
rkhs --version | sed 's/[0-9][0-9.]*/VERSION/'
rkhs help fit | sed '/^Examples/,$d'
rkhs help fit | sed -n '/^Models/,$p' | grep -c kpca
for command in $(sed -n '/^To begin/,$d; s/^  \([a-z]*\) .*/\1/p' help | grep -vx rkhs); do
    rkhs help $command >a && rkhs $command --help >b && rkhs $command -h X Y Z --quiet >c && cmp a b && cmp a c
    head -1 a | grep -q "^rkhs $command: [a-z]" || head -1 a
    awk 'length > 100 && !/^  rkhs/ {print "too wide: " $0}' a
done
