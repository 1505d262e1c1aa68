. "$LIB"
# The same drawing by two painters that share no code, compared with what was looked at and stored:
#   pictures/compare.py new.png pictures/NAME.png --make
cp "$SRC"/examples/data/iris.csv .
seq 300 >ramp.txt
npy many.npy 2 $(for i in $(seq 0 299); do echo "$((i % 20)) $((i / 20))"; done)
npy wave.npy 2 $(for i in $(seq 0 19); do echo "$i $((i * i % 17))"; done)
npy squares.npy 4 $(for i in $(seq 80); do echo $((i * i % 7)); done)
draw() { # file name without ending, options
    local name=$1
    shift
    for ending in $endings; do rkhs plot "$@" -o "$name.$ending" || exit; done
    [ ! -f "$name.svg" ] || rsvg-convert --zoom 2 "$name.svg" -o "$name.rsvg.png"
    for file in "$name".png "$name".rsvg.png; do
        [ ! -f "$file" ] || echo "$name $("$PYTHON" "$SRC"/tests/cli/pictures/compare.py "$file" "$SRC"/tests/cli/pictures/"$name".png)" >>said
    done
}
endings=svg
rkhs plot wave.npy -o try.png 2>/dev/null && endings="svg png"
command -v rsvg-convert >/dev/null || endings=${endings#svg}
if [ -z "${endings// /}" ]; then
    echo "the tool was built without cairo, and there is no rsvg-convert: no picture can be compared"
    exit 77
fi
draw pairs iris.csv --label-column species --title Iris
draw values many.npy --target ramp.txt
draw images wave.npy --objects squares.npy
npy gram.npy 20 $(for i in $(seq 0 399); do echo $(((i / 20) * (i % 20) % 23)); done)
draw heat --gram gram.npy
sort -u said # one line for each if all painters agree
