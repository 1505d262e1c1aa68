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
refuses 1 nan.npy 'row 2' 'column 2' NaN -- plot nan.npy -o p.svg
refuses 1 two.txt '2 labels' Z.npy '3 points' -- plot Z.npy --labels two.txt -o p.svg
refuses 1 numbers.txt '2 numbers' Z.npy '3 points' -- plot Z.npy --target numbers.txt -o p.svg
refuses 1 Z.npy '2 columns' -- plot Z.npy --target Z.npy -o p.svg
refuses 2 --labels --target both -- plot Z.npy --labels abc.txt --target numbers.txt -o p.svg
refuses 1 abc.txt '3 labels' other.npy '2 points' -- plot Z.npy other.npy --labels abc.txt -o p.svg
refuses 1 one.npy 'one dimension' two -- plot Z.npy one.npy -o p.svg
refuses 2 --titles '3 titles' '2 embeddings' -- plot Z.npy Z.npy --titles 'a,b,c' -o p.svg
refuses 2 --new 'one embedding' -- plot Z.npy Z.npy --new Z.npy -o p.svg
refuses 1 three.npy '3 dimensions' Z.npy 2 -- plot Z.npy --new three.npy -o p.svg
refuses 2 --new-labels --labels -- plot Z.npy --new other.npy --new-labels two.txt -o p.svg
refuses 1 abc.txt '3 labels' other.npy '2 points' \
    -- plot Z.npy --labels abc.txt --new other.npy --new-labels abc.txt -o p.svg
refuses 2 --new-labels '--new Znew.npy' -- plot Z.npy --labels abc.txt --new-labels abc.txt -o p.svg
refuses 1 few.npy '2 objects' Z.npy '3 points' -- plot Z.npy --objects few.npy -o p.svg
refuses 1 deep.npy '2 objects' Z.npy '3 points' -- plot Z.npy --objects deep.npy -o p.svg
says -- plot Z.npy --objects colours.npy -o colours.svg
refuses 2 good.npy size --image-size -- plot Z.npy --objects good.npy --image-size 3x2 -o p.svg
refuses 1 abc.txt string images graphs -- plot Z.npy --objects abc.txt -o p.svg
refuses 1 pixels.npy '6 numbers' '--image-size HEIGHTxWIDTH' -- plot Z.npy --objects pixels.npy -o p.svg
refuses 1 pixels.npy '6 numbers' '2 x 2' 4 --image-size -- plot Z.npy --objects pixels.npy --image-size 2x2 -o p.svg
refuses 2 --image-size HEIGHTxWIDTH 28x28 2048 "'two'" -- plot Z.npy --objects pixels.npy --image-size two -o p.svg
refuses 2 --image-size '--objects X.npy' -- plot Z.npy --image-size 2x3 -o p.svg
refuses 1 one.npy 'one dimension' --objects two -- plot one.npy --objects pixels.npy --image-size 2x3 -o p.svg
says -- plot Z.npy --objects good.npy -o good.svg
refuses 1 two.txt '2 labels' Z.npy '3 rows' -- plot --gram Z.npy --labels two.txt -o p.svg
refuses 2 --gram --labels -o --title -- plot --gram Z.npy Z.npy -o p.svg
refuses 2 --model --gram both -- plot --gram Z.npy --model m.rkhs -o p.svg
refuses 1 Z.npy 'rkhs fit -o' -- plot --model Z.npy -o p.svg
refuses 1 missing.rkhs 'No such file' -- plot --model missing.rkhs -o p.svg
refuses 2 'Z is missing' 'rkhs plot Z' '--model MODEL' '--gram K' -- plot -o p.svg
refuses 1 nowhere/p.svg 'mkdir -p nowhere' -- plot Z.npy -o nowhere/p.svg
refuses 1 p.jpg .svg .png .pdf -- plot Z.npy -o p.jpg
cp Z.npy Z.svg
refuses 2 Z.svg overwritten -- plot Z.svg --format npy -o Z.svg
