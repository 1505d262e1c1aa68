. "$LIB"
npy Z.npy 2 1 2 3 4 5 6
if rkhs plot Z.npy -o try.png 2>&1 | grep 'built without cairo\|is not there\|there is no font'; then exit 77; fi
printf '"a <b> & c"\n"two words"\n"four"\n' >y.csv
for ending in png PDF; do
    rkhs plot Z.npy --labels y.csv --title 'A "title"' -o "a.$ending" && rkhs plot Z.npy --labels y.csv --title 'A "title"' --threads 1 -o "b.$ending"
    cmp "a.$ending" "b.$ending" && head -c 4 "a.$ending" | tail -c 3 && echo
done
"$PYTHON" - <<'PY'
import struct
print(struct.unpack(">II", open("a.png", "rb").read()[16:24]))
print(b"%%EOF" in open("a.PDF", "rb").read()[-8:])
PY
mkdir digits
for i in 1 2 3; do "$PYTHON" "$SRC/tests/cli/pictures/png.py" digits/$i.png 2 3 0 8 0 10 20 30 40 50 $((i * 60)); done
rkhs plot Z.npy --objects digits -o objects.png && head -c 4 objects.png | tail -c 3 && echo
ls -A
