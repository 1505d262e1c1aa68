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
for name in palette deep laced opaque cut flipped empty other; do try gram linear $name.png -o K.npy; done
"$PYTHON" - <<'PY'
import os, struct, sys, zlib
def chunk(name, body): return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
def header(path, height, width, data):
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
header("promise.png", 60000, 60000, b"")
header("large.png", 1000, 1000, zlib.compress(bytes(1001 * 1000)))
PY
try gram linear promise.png -o K.npy
try gram linear large.png --memory 4M -o K.npy
try gram 'shift(rbf, by=8)' large.png --memory 100M -o K.npy
mkdir sizes none
png sizes/a.png 2 2 0 8 0
png sizes/b.png 2 3 0 8 0
try gram linear sizes -o K.npy
png sizes/b.png 2 2 2 8 0
try gram linear sizes -o K.npy
try gram linear none -o K.npy
try gram linear none --format npy -o K.npy
png sizes/b.png 2 2 0 8 0
cd sizes
printf 'file,label\na.png,x\n' >labels.csv && try gram linear . -o K.npy
printf 'file,label\na.png,x\nb.png,y\nc.png,z\n' >labels.csv && try gram linear . -o K.npy
printf 'file,label\na.png,x\nb.png,y\na.png,z\n' >labels.csv && try gram linear . -o K.npy
printf 'name,label\na.png,x\nb.png,y\n' >labels.csv && try gram linear . -o K.npy
cd ..
npy flat.npy 4 1 2 3 4 5 6 7 8
try gram 'shift(rbf)' flat.npy -o K.npy
try gram 'shift(rbf, by=9)' good.png -o K.npy
try gram 'shift(ssk)' good.png -o K.npy
