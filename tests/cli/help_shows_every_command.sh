. "$LIB"
rkhs help >help
rkhs --help | cmp - help
rkhs 2>plain
echo "rkhs alone: exit $?"
cmp plain help
sed 's/[0-9][0-9.]*:/VERSION:/' help
rkhs --version | sed 's/[0-9][0-9.]*/VERSION/'
for command in fit transform inverse plot info score gram sample list; do
    rkhs help $command >a && rkhs $command --help >b && rkhs $command -h X Y Z --quiet >c && cmp a b && cmp a c
    head -1 a
    awk 'length > 100 && !/^  rkhs/ {print "too wide: " $0}' a
done
