. "$LIB"
rkhs sample 'circles(n=60)' -o X.npy --labels-out y.npy
rkhs sample 'circles(n=40)' --seed 1 -o new.npy --labels-out ynew.npy
rkhs fit 'kpca(dim=3)' X.npy -q -o m.rkhs -z Z.npy
rkhs transform m.rkhs new.npy -q -o Znew.npy
rkhs gram rbf X.npy -q -o K.npy

# Counts tags: marks in groups, frames, images, and the words.
parts() {
    "$PYTHON" - "$@" <<'PY'
import sys
import xml.etree.ElementTree as ET
tag = "{http://www.w3.org/2000/svg}"
root = ET.parse(sys.argv[1]).getroot()
groups = [g for g in root.iter(tag + "g")]
rims = sum(len(g) for g in groups if g.get("stroke") == "#000")
words = ["".join(t.itertext()) for t in root.iter(tag + "text")]
plain = [w for w in words if not w.replace("\u2212", "").replace(".", "").isdigit()]
print(f"{sys.argv[1]}: {sum(map(len, groups))} marks, {rims} with dark rims, {len(root.findall(tag + 'rect')) - 1} rectangles,",
      f"{len(root.findall(tag + 'image'))} images; {' | '.join(plain)}")
PY
}
says 'first two' -- plot X.npy Z.npy --labels y.npy --titles 'before, after' -o panels.svg; parts panels.svg
rkhs plot X.npy X.npy X.npy X.npy X.npy --title 'five times' -o many.svg; parts many.svg
rkhs plot Z.npy --labels y.npy --new Znew.npy --new-labels ynew.npy -o new.svg; parts new.svg
rkhs plot Z.npy --new Znew.npy -o plain.svg; parts plain.svg
printf 'old\nold\nnew\n' >three.txt; printf 'new\nother\n' >two.txt
npy three.npy 1 1 2 3; npy two.npy 1 1.5 2.5
rkhs plot three.npy --labels three.txt --new two.npy --new-labels two.txt -o strips.svg; parts strips.svg
seq 60 >height.txt
rkhs plot X.npy --target height.txt -o target.svg; parts target.svg
grep -o '<g fill="#[0-9a-f]*"' target.svg | sort -u | wc -l
npy images.npy 6 $(seq 360)
rkhs plot X.npy --labels y.npy --objects images.npy --image-size 2x3 -o images.svg; parts images.svg | sed 's/[0-9]* rectangles, [0-9]* images/SOME/'
# no two images overlap, and there are some
"$PYTHON" - <<'PY'
import xml.etree.ElementTree as ET
boxes = [[float(i.get(k)) for k in ("x", "y", "width", "height")] for i in ET.parse("images.svg").getroot() if i.tag.endswith("image")]
over = [1 for i, (x, y, w, h) in enumerate(boxes) for u, v, _, _ in boxes[:i] if abs(x - u) < w and abs(y - v) < h]
print(len(boxes) > 10, len(over), "overlap")
PY
rkhs plot --model m.rkhs --title Spectrum -o model.svg; parts model.svg | sed 's/[0-9.]*%/N%/g'
rkhs plot --gram K.npy -o gram.svg; parts gram.svg
rkhs plot --gram K.npy --labels y.npy -o sorted.svg; parts sorted.svg
rkhs gram rbf X.npy new.npy -q -o wide.npy; rkhs plot --gram wide.npy -o wide.svg; parts wide.svg
# twenty thousand points stay near a megabyte
rkhs sample 'circles(n=20000)' -o big.npy --labels-out bigy.npy
rkhs plot big.npy --labels bigy.npy -o big.svg; parts big.svg; [ "$(wc -c <big.svg)" -lt 1000000 ] && echo "under a megabyte"
# What a descent reports is drawn as a curve.
rkhs sample 'circles(n=40)' -o curve.npy --quiet && rkhs fit tke curve.npy -o curve.rkhs --quiet && rkhs plot --model curve.rkhs -o curve.svg && grep -o '<desc>[^<]*' curve.svg
