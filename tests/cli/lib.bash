# lib.bash: what the tests of the tool share; `. "$LIB"` begins a test.  SPDX-License-Identifier: BSD-3-Clause
set -u

rkhs() { "$RKHS" "$@"; }

# Shows a command, all that it says, its exit code, and which files it left. For whole screens, which only tests/cli/screen_*.sh pin.
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

# Whether a text names a word by itself: 'row 3' is not named by 'row 30', nor X.npy by X.npy.gz, nor 2 by 0.2 or -2.
names() {
    local left='(^|[^[:alnum:]_.-])' right='($|[^[:alnum:]_.-]|[.-]($|[^[:alnum:]]))'
    [[ $1 =~ $left"$2"$right ]]
}

# Splits "WORD... -- COMMAND..." into the arrays words and command.
split_words() {
    words=()
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    command=("${@:2}")
}

# Prints the problems found, if any, with the command and all that it said, on stderr, where no pipe hides them: the test fails.
report() {
    [ ${#problems[@]} = 0 ] && return
    {
        printf 'rkhs %s\n' "${command[*]}"
        printf '    wrong: %s\n' "${problems[@]}"
        printf '    it said: %s\n' "${lines[@]}"
    } >&2
}

# refuses CODE WORD... -- COMMAND...: the tool ends with that exit code and one sentence that names every word. It begins with the
# command; after misuse (code 2) a second line names the help. Nothing else is printed, and no file is left or lost.
refuses() {
    local code=$1 before text came word lines words command problems=()
    split_words "${@:2}"
    before=$(ls -A)
    text=$("$RKHS" "${command[@]}" 2>&1)
    came=$?
    mapfile -t lines <<<"$text"
    [ $came = "$code" ] || problems+=("exit $came, not $code")
    [ ${#lines[@]} = $((code == 2 ? 2 : 1)) ] || problems+=("${#lines[@]} lines")
    case "$code ${lines[0]}" in
    "$code rkhs ${command[0]}: "*) word="'rkhs help ${command[0]}'" ;;
    "2 rkhs: "*) word="'rkhs help'" ;;
    *) problems+=("the sentence does not begin with the command") ;;
    esac
    [ "$code" != 2 ] || names "${lines[1]-}" "$word" || problems+=("no help is named")
    [ "$before" = "$(ls -A)" ] || problems+=("other files than before: $(ls -A | xargs)")
    for word in "${words[@]}"; do names "${lines[0]}" "$word" || problems+=("it does not name $word"); done
    report
}

# says WORD... [/ WORD...]... -- COMMAND...: the tool succeeds, and says on stderr one line for each group of words, which names them.
# Without words it says nothing. What it prints on stdout stays there.
says() {
    local text came word lines=() words command problems=() at=0
    split_words "$@"
    { text=$("$RKHS" "${command[@]}" 2>&1 >&3); came=$?; } 3>&1
    [ -z "$text" ] || mapfile -t lines <<<"$text"
    [ $came = 0 ] || problems+=("exit $came, not 0")
    for word in "${words[@]}"; do
        if [ "$word" = / ]; then
            at=$((at + 1))
        else
            names "${lines[at]-}" "$word" || problems+=("line $((at + 1)) does not name $word")
        fi
    done
    [ ${#lines[@]} = $((${#words[@]} ? at + 1 : 0)) ] || problems+=("${#lines[@]} lines")
    report
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
