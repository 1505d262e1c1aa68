. "$LIB"
npy Z.npy 2 1 2 3 4 5 6
if rkhs plot Z.npy -o try.png 2>&1 | grep -q cairo; then
    echo "the tool was built without cairo"
    exit 77
fi
printf '"a <b> & c"\n"two words"\n"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"\n' >y.csv
for ending in png PDF; do
    rkhs plot Z.npy --labels y.csv --title 'A "title"' -o "a.$ending" && rkhs plot Z.npy --labels y.csv --title 'A "title"' --threads 1 -o "b.$ending"
    cmp "a.$ending" "b.$ending" && head -c 4 "a.$ending" | tail -c 3 && echo
done
"$PYTHON" - <<'PY'
import struct
print(struct.unpack(">II", open("a.png", "rb").read()[16:24]))
print(b"%%EOF" in open("a.PDF", "rb").read()[-8:])
PY
# Arabic letters are joined: the word for hello with an alef after a lam, and the same in the forms that it must take.
rkhs plot Z.npy --title $'\xd9\x85\xd8\xb1\xd8\xad\xd8\xa8\xd8\xa7\x20\xd8\xb3\xd9\x84\xd8\xa7\xd9\x85' -o word.png
rkhs plot Z.npy --title $'\xef\xbb\xa3\xef\xba\xae\xef\xba\xa3\xef\xba\x92\xef\xba\x8e\x20\xef\xba\xb3\xef\xbb\xbc\xef\xbb\xa1' -o forms.png
rkhs plot Z.npy --title $'\xef\xbb\xa1\xef\xba\xae\xef\xba\xa3\xef\xba\x92\xef\xba\x8e\x20\xef\xba\xb3\xef\xbb\xbc\xef\xbb\xa1' -o other.png
cmp word.png forms.png && ! cmp -s word.png other.png && echo joined
rm word.png forms.png other.png
ls -A
