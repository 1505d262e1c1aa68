. "$LIB"
png() { "$PYTHON" "$SRC/tests/cli/pictures/png.py" "$@"; }
png palette.png 2 2 3 8 0
png deep.png 2 2 0 16 0
png laced.png 2 2 0 8 1
png opaque.png 2 2 4 8 0
png good.png 2 2 0 8 0 1 2 3 4
head -c 60 good.png >cut.png
"$PYTHON" - <<'PY'
good = open("good.png", "rb").read()
at = good.index(b"IDAT") + 6
open("flipped.png", "wb").write(good[:at] + bytes([good[at] ^ 8]) + good[at + 1:])
PY
: >empty.png
echo 'GIF89a' >other.png
bad() { refuses 1 "$@" -- gram linear "$1" -o K.npy; }
bad palette.png palette RGB
bad deep.png '16 bits' 8
bad laced.png interlaced
bad opaque.png opacity RGBA
bad cut.png damaged early
bad flipped.png damaged
bad empty.png empty
bad other.png 'not a PNG'
"$PYTHON" - <<'PY'
import os, struct, sys, zlib
def chunk(name, body): return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
def header(path, height, width, data):
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
header("promise.png", 60000, 60000, b"")
header("large.png", 1000, 1000, zlib.compress(bytes(1001 * 1000)))
PY
refuses 1 promise.png '57 bytes' '60000 x 60000' -- gram linear promise.png -o K.npy
refuses 1 large.png '1000 x 1000' '8.0 MB' '4.0 MB' -- gram linear large.png --memory 4M -o K.npy
refuses 1 '2.3 GB' '100 MB' -- gram 'shift(rbf, by=8)' large.png --memory 100M -o K.npy
mkdir sizes none
png sizes/a.png 2 2 0 8 0
png sizes/b.png 2 3 0 8 0
refuses 1 sizes a.png '2 x 2 x 1' b.png '2 x 3 x 1' -- gram linear sizes -o K.npy
png sizes/b.png 2 2 2 8 0
refuses 1 sizes a.png '2 x 2 x 1' b.png '2 x 2 x 3' -- gram linear sizes -o K.npy
refuses 1 none PNG folder -- gram linear none -o K.npy
refuses 1 none folder 'name a file' -- gram linear none --format npy -o K.npy
png sizes/b.png 2 2 0 8 0
cd sizes
printf 'file,label\na.png,x\n' >labels.csv
refuses 1 ./labels.csv "'b.png'" row -- gram linear . -o K.npy
printf 'file,label\na.png,x\nb.png,y\nc.png,z\n' >labels.csv
refuses 1 ./labels.csv "'c.png'" folder -- gram linear . -o K.npy
printf 'file,label\na.png,x\nb.png,y\na.png,z\n' >labels.csv
refuses 1 ./labels.csv "'a.png'" more -- gram linear . -o K.npy
printf 'name,label\na.png,x\nb.png,y\n' >labels.csv
refuses 1 ./labels.csv "'file'" 'line 1' '0 to 1' -- gram linear . -o K.npy
cd ..
npy flat.npy 4 1 2 3 4 5 6 7 8
refuses 1 flat.npy images '4 numbers' height width -- gram 'shift(rbf)' flat.npy -o K.npy
refuses 1 shift by 'at most 8' 9 -- gram 'shift(rbf, by=9)' good.png -o K.npy
refuses 1 shift ssk 'different kinds' -- gram 'shift(ssk)' good.png -o K.npy
