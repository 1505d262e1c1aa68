. "$LIB"
png() { "$PYTHON" "$SRC/tests/cli/pictures/png.py" "$@"; }
mkdir digits
png digits/b.png 2 3 0 8 0 10 20 30 40 50 60
png digits/a.png 2 3 0 8 0 1 2 3 4 5 255
png digits/C.PNG 2 3 0 8 0 0 0 9 0 0 0
png digits/.hidden.png 1 1 0 8 0 7
echo 'not an image' >digits/readme.txt
printf 'file,label\nb.png,two\na.png,one\nC.PNG,two\n' >digits/labels.csv
echo "the order is that of the bytes of the names"
rkhs gram linear digits --output-format csv | cat
printf '0 0 9 0 0 0\n1 2 3 4 5 255\n10 20 30 40 50 60\n' >flat.txt
rkhs gram linear flat.txt --output-format csv | cat
echo "grey of few bits is spread to 0 .. 255, colours and opacity are numbers too"
png one.png 1 3 0 1 0 0 1 1 && rkhs gram linear one.png --output-format csv | cat
png two.png 1 3 0 4 0 15 1 0 && rkhs gram linear two.png --output-format csv | cat
png rgb.png 1 2 2 8 0 1 2 3 4 5 6 && rkhs gram linear rgb.png --output-format csv | cat
png rgba.png 1 1 6 8 0 1 2 3 255 && rkhs gram linear - --output-format csv <rgba.png | cat
echo "kernels that forgive a shift"
mkdir dots
png dots/1.png 5 5 0 8 0 0 0 0 0 0 0 0 0 0 0 0 0 1
png dots/2.png 5 5 0 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
for k in linear 'align(linear)' 'normalize(shift(linear))'; do rkhs gram "$k" dots --output-format csv | cat; done
echo "a model keeps the shape; its labels come with the folder"
rkhs fit 'kpca(dim=2)' --kernel 'shift(rbf)' digits -o m.rkhs -z Z.npy -q
rkhs info m.rkhs | grep shape
rkhs transform m.rkhs digits -o Y.npy -q && near Y.npy Z.npy 1e-12
rkhs transform m.rkhs flat.txt -o Y.npy -q && near Y.npy Z.npy 1e-12
rkhs inverse m.rkhs Z.npy -o back.npy -q && shape back.npy
echo "pictures of them, grey and in colours, stand at their points"
mkdir colours
png colours/1.png 2 2 2 8 0 255 0 0 0 255 0 0 0 255 9 9 9
png colours/2.png 2 2 2 8 0 0 0 255 0 255 0 0 0 255 9 9 9
npy two.npy 2 0 0 1 1
rkhs plot two.npy --objects colours -o colours.svg && grep -c '<image' colours.svg
rkhs plot Z.npy --objects back.npy -o back.svg && grep -c '<image' back.svg
