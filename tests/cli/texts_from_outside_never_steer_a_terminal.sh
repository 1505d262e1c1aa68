. "$LIB"
"$PYTHON" - <<'PY'
# Every command that shows something of a file, a name or a spec, with texts that would steer a terminal, turn the direction of what
# follows, begin a line of their own, or are no UTF-8. What comes must be lines of plain UTF-8 that tell what it was.
import io, json, os, pathlib, re, shutil, struct, subprocess, sys, xml.etree.ElementTree as ET, zipfile, zlib
sys.path.insert(0, os.environ["SRC"] + "/tests/fault")
sys.dont_write_bytecode = True
import damage
TOOL, EVIL = os.environ["RKHS"].encode(), b"\x1b[2J\xc2\x9b31m\xe2\x80\xae\xe2\x81\xa6\xff\r\x07"
BAD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
problems = []

def run(*words, code=None, told=None):
    """What a run prints must be safe; `told` must be in it."""
    words = [w if isinstance(w, bytes) else w.encode() for w in words]
    r = subprocess.run([TOOL, *words], capture_output=True, stdin=subprocess.DEVNULL)
    for name, out in (("stdout", r.stdout), ("stderr", r.stderr)):
        try:
            text = out.decode()
            if BAD.search(text):
                problems.append(f"{words}: {name} has {BAD.search(text)[0]!r}: {text!r}")
        except UnicodeDecodeError:
            problems.append(f"{words}: {name} is no UTF-8: {out!r}")
    both = (r.stdout + r.stderr).decode(errors="replace")
    if code is not None and r.returncode != code:
        problems.append(f"{words}: exit {r.returncode}, not {code}: {both}")
    if told is not None and told not in both:
        problems.append(f"{words}: {told!r} is not in {both!r}")
    return r.stdout

def put(name, content):
    with open(name, "wb") as f:
        f.write(content)

SEEN = r"\x1b[2J\u009b31m\u202e\u2066\xff"
run("sample", "circles(n=12)", "-o", "X.npy", "--labels-out", "y.npy", code=0)
run("fit", "kpca(dim=2)", "X.npy", "-o", "m.rkhs", "-z", "Z.npy", code=0)

# names of files that are there, and are not
for name in (EVIL + b".npy", b"two\nlines.npy"):
    shutil.copy("X.npy", name)
    seen = SEEN if name.startswith(b"\x1b") else r"two\nlines"
    run("gram", "spectrum", name, "-o", "K.npy", code=1)
    run("fit", "kpca", name, "--labels", "y.npy", "--label-column", "q", "-o", "n.rkhs")
    run("info", name, code=1, told=seen)
    run("info", b"no" + name, code=1, told=seen)
    run("gram", "rbf", "X.npy", "-o", b"nowhere/" + name, code=1, told=seen)
    run("score", "knn", "--z", "X.npy", "--labels", b"no" + name, code=1, told=seen)
    run("plot", b"no" + name, "-o", "p.svg", code=1, told=seen)
    run("plot", "Z.npy", "-o", name + b".odd", code=1)
    shutil.copy("m.rkhs", name + b".rkhs")
    run("info", name + b".rkhs", code=0, told=seen)

# what is typed
for words in ((EVIL,), ("list", EVIL), ("help", EVIL), ("fit", b"kpca(dim=" + EVIL + b")", "X.npy", "-o", "n.rkhs"), ("fit", EVIL, "X.npy", "-o", "n.rkhs"),
              ("gram", b"rbf(sigma=\"" + EVIL + b"\")", "X.npy", "-o", "K.npy"), ("gram", "rbf", "X.npy", "--rows", EVIL, "-o", "K.npy"),
              ("fit", "kpca", "X.npy", "--memory", EVIL, "-o", "n.rkhs"), ("fit", "kpca", "X.npy", b"--" + EVIL), ("sample", EVIL, "-o", "S.npy"),
              ("fit", "kpca", "X.npy", "--format", EVIL, "-o", "n.rkhs"), ("score", EVIL, "--z", "Z.npy", "--labels", "y.npy"),
              ("anomaly", "m.rkhs", "X.npy", "--by", EVIL), ("select", "kpca", "X.npy", "--labels", "y.npy", "--by", EVIL),
              ("select", "kpca(dim=?)", "X.npy", "--labels", "y.npy", "--by", "knn", "--try", b"dim=" + EVIL + b",9" + EVIL),
              ("transform", "m.rkhs", "X.npy", "--place", EVIL, "-o", "T.npy"), ("plot", "Z.npy", "--image-size", EVIL, "-o", "p.svg")):
    if run(*words):
        problems.append(f"{words}: printed something")

# tables: columns, cells, labels
table = b"a,b" + EVIL.replace(b"\r", b"") + b",kind\n" + b"".join(b"%d,%d,%s\n" % (i, i * i % 7, b"c" + EVIL[:-2] if i % 2 else b"d") for i in range(12))
put("t.csv", table)
put("cell.csv", table.replace(b"5,4,", b"5," + EVIL[:-2] + b","))
run("fit", "kpca", "t.csv", "-o", "n.rkhs", code=1)
run("fit", "kpca", "t.csv", "--label-column", "nothing", "-o", "n.rkhs", code=1)
run("fit", "kpca", "cell.csv", "--label-column", "kind", "-o", "n.rkhs", code=1, told=r"\x1b[2J")
run("fit", "kpca", "t.csv", "--label-column", "kind", "-o", "n.rkhs", code=0)
run("info", "n.rkhs", code=0)
run("score", "knn(k=2)", "--z", "Z.npy", "--labels", "t.csv", "--label-column", "kind")
put("labels.csv", b"".join(b"q" + EVIL[:-2] + b"%d\n" % i for i in range(12)))
run("score", "silhouette", "--z", "Z.npy", "--labels", "labels.csv")
run("select", "kpca", "X.npy", "--labels", "labels.csv", "--by", "knn", "--try", "dim=1,2")
run("select", "kpca(dim=?)", "X.npy", "--labels", "y.npy", "--by", "knn(k=2)", "--try", b"dim=1," + EVIL[:-2], "--table", "t.tsv", code=0, told=r"\x1b[2J")
run("plot", "Z.npy", "--labels", "labels.csv", "--title", EVIL[:-2] + b"<b>&amp;]]>", "-o", "p.svg", code=0)
for path in ("p.png", "p.pdf"):
    run("plot", "Z.npy", "--labels", "labels.csv", "--title", EVIL, "-o", path)
svg = pathlib.Path("p.svg").read_text() if os.path.exists("p.svg") else "<svg/>"
if BAD.sub("", svg.replace("\u2068", "").replace("\u2069", "")) != svg.replace("\u2068", "").replace("\u2069", ""):
    problems.append("the picture has control characters")
if "<b>&amp;]]>" not in "".join(ET.fromstring(svg).itertext()):
    problems.append("the title is not what was given")

# other formats
put("e.fasta", b">" + EVIL[:-2] + b"\n>two\nACGT\n")
run("gram", "spectrum", "e.fasta", "-o", "K.npy")
put("e.svm", b"1 " + EVIL + b":2\n")
run("gram", "linear", "e.svm", "--format", "svmlight", "-o", "K.npy", code=1)
put("e.fps", b"#FPS1\n#num_bits=8\n" + EVIL + b"\tx\n")
run("gram", "tanimoto", "e.fps", "-o", "K.npy", code=1)
put("e.gin", EVIL + b"\n")
run("gram", "wl", "e.gin", "--format", "gin", "-o", "K.npy", code=1)
put("e.npy", b"\x93NUMPY\x01\x00\x46\x00" + (b"{'descr': '" + EVIL + b"', 'fortran_order': False, 'shape': (1, 1), }").ljust(69) + b"\n")
run("gram", "linear", "e.npy", "-o", "K.npy", code=1)
put("e.idx", EVIL)
run("gram", "linear", "e.idx", "--format", "idx", "-o", "K.npy", code=1)
with zipfile.ZipFile("e.npz", "w") as z:
    for name in (EVIL[:-2].decode(errors="replace"), "b"):
        z.writestr(name + ".npy", pathlib.Path("X.npy").read_bytes())
run("gram", "linear", "e.npz", "-o", "K.npy", code=1)
put("e.txt", b"a" + EVIL + b"\nb\n")
run("gram", "words", "e.txt", "--format", "lines", "-o", "K.npy")
os.mkdir("pngs")
put(b"pngs/" + EVIL + b".png", b"no picture")
run("gram", "rbf", "pngs", "-o", "K.npy", code=1, told=r"\x1b[2J")
put("e.mat", pathlib.Path(os.environ["SRC"], "tests/cli/mat/words.mat").read_bytes().replace(b"\x01\x00\x01\x00t\x00", b"\x01\x00\x01\x00\x1b\x00"))
run("gram", "linear", "e.mat", "-o", "K.npy", code=1)

# models: texts of the report, names, specs, with right checksums
def with_text(old, new):
    """m.rkhs with bytes replaced by as many others, and all sums right."""
    raw = pathlib.Path("m.rkhs").read_bytes()
    assert len(old) == len(new) and old in raw, old
    archive = zipfile.ZipFile("m.rkhs")
    for info in archive.infolist():
        was = archive.read(info)
        now = was.replace(old, new)
        if now == was:
            continue
        sums = struct.pack("<I", zlib.crc32(was)), struct.pack("<I", zlib.crc32(now))
        raw = raw.replace(was, now).replace(*sums)
    return damage.mend(raw if raw != pathlib.Path("m.rkhs").read_bytes() else raw.replace(old, new))
for old, new in ((b"dense", b"\x1b[2J\x07"), (b"dense", b"\xc2\x9bm\xff\n"), (b"dense", b"\xe2\x80\xae \n"), (b"report/solver", b"report/\x1b[2Jn\xff"),
                 (b"kpca(dim", b"kpca(\x1b[2"), (b"rbf(sigma", b"rbf(\xe2\x80\xaem\n")):
    put("evil.rkhs", with_text(old, new))
    for words in (("info", "evil.rkhs"), ("transform", "evil.rkhs", "X.npy", "-o", "T.npy"), ("plot", "--model", "evil.rkhs", "-o", "q.svg"),
                  ("explain", "evil.rkhs", "X.npy"), ("update", "evil.rkhs", "X.npy", "-o", "u.rkhs"), ("inverse", "evil.rkhs", "Z.npy", "-o", "T.npy")):
        run(*words)

# JSON is JSON
for words in (("dimension", "X.npy", "--json"), ("score", "knn(k=2)", "--z", "Z.npy", "--labels", "y.npy", "--json"),
              ("select", "kpca(dim=?)", "X.npy", "--labels", "y.npy", "--by", "knn(k=2)", "--try", b"dim=1," + EVIL, "--json"),
              ("explain", "m.rkhs", "X.npy", "--json"), ("list", "--json"), ("help", "--json")):
    out = run(*words, code=0)
    try:
        json.loads(out)
    except ValueError as e:
        problems.append(f"{words}: {e}: {out!r}")
print("\n".join(problems) or "all of it is plain text")
PY
