. "$LIB"
npy Z.npy 2 1 2 3 4 5 6
if rkhs plot Z.npy -o try.png 2>&1 | grep 'built without cairo\|is not there'; then exit 77; fi
rm -f try.png
# Fonts are made here, of boxes: the first has Latin letters and digits, the second Hebrew, Arabic and Chinese ones. What is drawn is read
# from the boxes: their order, and the form that an Arabic letter takes.
"$PYTHON" -B - <<'PY' 2>&1
import os, subprocess, sys
sys.path.insert(0, os.environ["SRC"] + "/tests/cli")
import fonts
latin = {code: (500, 100 + 5 * (code % 40)) for code in range(0x21, 0x7F)} | {0x20: (300, 0), 0x2212: (500, 100), 0xD7: (500, 300), 0x2026: (800, 100), ord("b"): (500, 500)}
# alef and bet; beh alone, as a last, first and middle letter; sun
second = {0x20: (300, 0), 0x5D0: (900, 700), 0x5D1: (400, 400), 0x628: (1000, 500), 0xFE8F: (1000, 500), 0xFE90: (900, 300), 0xFE91: (700, 600),
          0xFE92: (500, 650), 0x65E5: (1000, 800)}
names = {0x5D0: "alef", 0x5D1: "bet", 0x628: "beh", 0xFE90: "last", 0xFE91: "first", 0xFE92: "middle", 0x65E5: "sun", ord("a"): "a", ord("b"): "b"}
for folder, letters in (("one", latin), ("two", second), ("none", {})):
    os.mkdir(folder)
    if letters:
        fonts.write(f"{folder}/{folder}.ttf", folder.title(), letters)
for name, folders in (("one", ["one"]), ("both", ["one", "two"]), ("none", ["none"])):
    fonts.fontconfig(name + ".conf", *(os.path.join(os.getcwd(), folder) for folder in folders))

def plot(config, title, path):
    command = [os.environ["RKHS"], "plot", "Z.npy", "--title", title, "-o", path]
    done = subprocess.run(command, env={**os.environ, "FONTCONFIG_FILE": os.path.abspath(config + ".conf")}, capture_output=True, text=True)
    told = [word for word in (path, "fonts-noto", "fonts-dejavu-core", ".svg") if word in done.stderr]
    print(f"{path}: exit {done.returncode}, {len(done.stderr.splitlines())} lines", *told)

def read(path):
    """The names of the boxes in the title, which is 15 high, twice as many pixels."""
    size, shapes = 30 / 1000, {name: (latin | second)[code] for code, name in names.items()}
    def unlike(name, width, height):
        return abs(size * (shapes[name][0] - 100) - width) + abs(size * shapes[name][1] - height)
    best = [min(names.values(), key=lambda name: unlike(name, *box)) for box in fonts.boxes(path, 75)]
    print(path, *best)

for word, text in (("latin", "ab"), ("hebrew", "\u05d0\u05d1\u05d1"), ("arabic", "\u0628\u0628\u0628"), ("mixed", "a \u65e5 b \u05d0\u05d1")):
    plot("both", text, word + ".png")
    read(word + ".png")
    plot("both", text, word + ".pdf")
for ending in ("png", "pdf"):
    plot("one", "a \u65e5", "unknown." + ending)
    plot("none", "a", "nothing." + ending)
plot("none", "a \u65e5", "none.svg")
plot("both", "a \u65e5", "both.svg")
print("the same SVG:", open("none.svg").read() == open("both.svg").read())
PY
ls
