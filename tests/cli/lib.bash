# lib.bash: what the tests of the tool share; `. "$LIB"` begins a test.  SPDX-License-Identifier: BSD-3-Clause
set -u

rkhs() { "$RKHS" "$@"; }

# Shows a command, all that it says, its exit code, and which files it left: for refusals.
try() {
    local before after code
    before=$(ls -A)
    printf '$ rkhs'
    printf ' %q' "$@"
    echo
    "$RKHS" "$@" 2>&1 </dev/null
    code=$?
    after=$(ls -A)
    echo "exit $code"
    [ "$before" = "$after" ] || diff <(echo "$before") <(echo "$after")
    return 0
}

# The shape and type of an NPY file, from its header.
shape() {
    "$PYTHON" - "$@" <<'PY'
import ast, struct, sys
for path in sys.argv[1:]:
    with open(path, "rb") as f:
        assert f.read(6) == b"\x93NUMPY", path
        major = f.read(2)[0]
        length = struct.unpack("<H", f.read(2))[0] if major == 1 else struct.unpack("<I", f.read(4))[0]
        header = ast.literal_eval(f.read(length).decode())
    print(path, header["descr"], header["shape"])
PY
}

# The largest difference between two NPY files of doubles of one shape, compared with a bound: "same" or "differ by ...".
near() {
    "$PYTHON" - "$@" <<'PY'
import array, struct, sys
def read(path):
    with open(path, "rb") as f:
        head = f.read(10)
        f.read(struct.unpack("<H", head[8:10])[0])
        return array.array("d", f.read())
a, b = read(sys.argv[1]), read(sys.argv[2])
bound = float(sys.argv[3])
most = max((abs(x - y) for x, y in zip(a, b)), default=0)
print("same" if len(a) == len(b) and most <= bound else f"differ by {most}, {len(a)} and {len(b)} numbers")
PY
}

# Writes an NPY file of doubles: npy FILE COLUMNS NUMBER...
npy() {
    "$PYTHON" - "$@" <<'PY'
import array, struct, sys
path, columns, values = sys.argv[1], int(sys.argv[2]), array.array("d", map(float, sys.argv[3:]))
header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values) // columns}, {columns}), }}"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(path, "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes())
PY
}

# Fails when a picture is not XML; counts its points, names its size.
picture() {
    "$PYTHON" - "$@" <<'PY'
import sys
import xml.etree.ElementTree as ET
for path in sys.argv[1:]:
    root = ET.parse(path).getroot()
    tag = "{http://www.w3.org/2000/svg}"
    marks = [m for g in root.iter(tag + "g") if g.get("fill-opacity") not in (None, "1.00") for m in g]
    inside = all(0 <= float(m.get("cx", 0)) <= float(root.get("width")) for m in marks)
    frames = len(root.findall(tag + "rect")) - 1
    print(path, f"{len(marks)} marks, {frames} frames, size {root.get('width')} x {root.get('height')}, inside: {inside}")
PY
}
