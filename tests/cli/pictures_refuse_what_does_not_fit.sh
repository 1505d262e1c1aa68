. "$LIB"
npy Z.npy 2 1 2 3 4 5 6
npy one.npy 1 1 2 3
npy other.npy 2 1 2 3 4
npy three.npy 3 1 2 3 4 5 6 7 8 9
npy nan.npy 2 1 2 3 nan
npy pixels.npy 6 $(seq 18)
npy few.npy 4 $(seq 8)
printf 'a\nb\n' >two.txt
printf 'a\nb\nc\n' >abc.txt
printf '1\n2\n' >numbers.txt
"$PYTHON" - <<'PY'
import array, struct
def save(path, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    count = 1
    for s in shape: count *= s
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.array("d", range(count)).tobytes())
save("deep.npy", (2, 3, 2))
save("good.npy", (3, 3, 2))
save("colours.npy", (3, 2, 2, 3))
PY
try plot nan.npy -o p.svg
try plot Z.npy --labels two.txt -o p.svg
try plot Z.npy --target numbers.txt -o p.svg
try plot Z.npy --target Z.npy -o p.svg
try plot Z.npy --labels abc.txt --target numbers.txt -o p.svg
try plot Z.npy other.npy --labels abc.txt -o p.svg
try plot Z.npy one.npy -o p.svg
try plot Z.npy Z.npy --titles 'a,b,c' -o p.svg
try plot Z.npy Z.npy --new Z.npy -o p.svg
try plot Z.npy --new three.npy -o p.svg
try plot Z.npy --new other.npy --new-labels two.txt -o p.svg
try plot Z.npy --labels abc.txt --new other.npy --new-labels abc.txt -o p.svg
try plot Z.npy --labels abc.txt --new-labels abc.txt -o p.svg
try plot Z.npy --objects few.npy -o p.svg
try plot Z.npy --objects deep.npy -o p.svg
try plot Z.npy --objects colours.npy -o colours.svg
try plot Z.npy --objects good.npy --image-size 3x2 -o p.svg
try plot Z.npy --objects abc.txt -o p.svg
try plot Z.npy --objects pixels.npy -o p.svg
try plot Z.npy --objects pixels.npy --image-size 2x2 -o p.svg
try plot Z.npy --objects pixels.npy --image-size two -o p.svg
try plot Z.npy --image-size 2x3 -o p.svg
try plot one.npy --objects pixels.npy --image-size 2x3 -o p.svg
try plot Z.npy --objects good.npy -o good.svg
try plot --gram Z.npy --labels two.txt -o p.svg
try plot --gram Z.npy Z.npy -o p.svg
try plot --gram Z.npy --model m.rkhs -o p.svg
try plot --model Z.npy -o p.svg
try plot --model missing.rkhs -o p.svg
try plot -o p.svg
try plot Z.npy -o nowhere/p.svg
try plot Z.npy -o p.jpg
cp Z.npy Z.svg
try plot Z.svg --format npy -o Z.svg
