#!/usr/bin/env python3
"""tests/fault/run.py [TOOL]: the tool on bad days. Prints a line a test and a last line "N passed, N failed".

- Faults: the k-th write, fsync, rename, close, open or malloc of every command fails (shim.c), k = 0, 1, ... until none does: exit
  code 1 and one sentence, or 0 and the right output; each file is the old one or the new one, and nothing is left behind.
- Names: several runs write the same two files at once: neither is ever missing, and both are of one run. Where names cannot be
  exchanged the sentence says what is new. What replaces a private file is private from the start.
- Kills: SIGKILL at random moments, and before and after each call to the system on the way out: the old file or the new one. What may
  be left is a hidden file .NAME.rkhs-HEX, which nothing reads.
- Damage: model files with every kind of damage are refused.
- MAT files: with bits flipped, cut and zeroed.
- Address space: every command under limits of it (ulimit -v) from too little for its libraries to enough: an answer or a sentence, and
  soon. OpenBLAS would wait for ever for what it does not get.
- Bombs: compressed files that expand a thousandfold past --memory are refused, in little memory.
"""
import argparse
import errno
import gzip
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import damage

HERE = pathlib.Path(__file__).resolve().parent
LEFT = re.compile(r"\..+\.rkhs-[0-9a-f]{6}")
SAID = 99  # the descriptor on which the shim says that it struck
QUIET = ["--quiet", "--threads", "1"]
# name, arguments, files that are made
COMMANDS = [
    ("fit", ["fit", "kpca(dim=2)", "--kernel", "rbf(gamma=0.1)", "X.npy", "-o", "out.rkhs", "-z", "out.npy"], ["out.rkhs", "out.npy"]),
    ("fit nystrom", ["fit", "kpca(dim=2, gram=nystrom(landmarks=10))", "X.csv", "-o", "out.rkhs"], ["out.rkhs"]),
    ("fit krr", ["fit", "krr(ridge=0.1)", "X.npy", "--target", "Z.npy", "-o", "out.rkhs", "-z", "out.csv"], ["out.rkhs", "out.csv"]),
    ("transform to npy", ["transform", "m.rkhs", "X.csv.gz", "-o", "out.npy"], ["out.npy"]),
    ("transform to csv", ["transform", "m.rkhs", "X.csv", "-o", "out.csv"], ["out.csv"]),
    ("transform to stdout", ["transform", "m.rkhs", "X.csv", "-o", "-", "--output-format", "csv"], []),
    ("inverse", ["inverse", "m.rkhs", "Z.npy", "-o", "out.npy"], ["out.npy"]),
    ("anomaly", ["anomaly", "m.rkhs", "X.csv", "-o", "out.npy"], ["out.npy"]),
    ("update", ["update", "m.rkhs", "X.csv", "-o", "out.rkhs", "-z", "out.npy"], ["out.rkhs", "out.npy"]),
    ("plot", ["plot", "Z.npy", "--labels", "y.npy", "-o", "out.svg"], ["out.svg"]),
    ("plot gram", ["plot", "--gram", "K.npy", "-o", "out.svg"], ["out.svg"]),
    ("plot model", ["plot", "--model", "m.rkhs", "-o", "out.svg"], ["out.svg"]),
    ("plot panels", ["plot", "Z.npy", "Z.npy", "--labels", "y.npy", "-o", "out.svg"], ["out.svg"]),
    ("info", ["info", "m.rkhs"], []),
    ("score", ["score", "knn(k=5)", "--z", "Z.npy", "--labels", "y.npy"], []),
    ("dimension", ["dimension", "X.npy", "--json"], []),
    ("gram", ["gram", "rbf", "X.npy", "-o", "out.npy"], ["out.npy"]),
    ("gram rows", ["gram", "rbf", "X.npy", "--rows", "5:17", "-o", "out.npy"], ["out.npy"]),
    ("gram merge", ["gram", "--merge", "p0.npy", "p1.npy", "-o", "out.npy"], ["out.npy"]),
    ("fit precomputed", ["fit", "kpca(dim=2)", "--kernel", "precomputed", "K.npy", "-z", "out.npy"], ["out.npy"]),
    ("sample", ["sample", "circles(n=20)", "-o", "out.npy", "--labels-out", "out.csv"], ["out.npy", "out.csv"]),
    ("list", ["list"], []),
    ("list rbf", ["list", "rbf"], []),
    ("help", ["help"], []),
    ("help fit", ["help", "fit"], []),
]
NO_OPTIONS = ("list", "help")
SPACE = ("fit", "fit nystrom", "transform to npy", "inverse", "anomaly", "update", "score", "dimension", "gram", "gram rows",
         "fit precomputed")
# kind, how, exit codes that are right when it strikes; the tool also opens and syncs a folder if it can
FAULTS = [
    ("write", str(errno.ENOSPC), {1}), ("write", str(errno.EIO), {1}), ("write", "short", {0}), ("open", str(errno.ENOSPC), {0, 1}),
    ("rename", str(errno.EACCES), {1}), ("fsync", str(errno.EIO), {0, 1}), ("close", str(errno.EIO), {0, 1}), ("malloc", "12", {0, 1}),
]
OLD = b"what stood here before\n"


class Tests:
    """Counts what passed; a test is a function that gives its problems as lines, and a note."""

    def __init__(self, only):
        self.passed = self.failed = self.skipped = 0
        self.only = only

    def run(self, name, function, *arguments):
        if self.only and not any(text in name for text in self.only):
            return
        started = time.monotonic()
        problems, note = function(*arguments)
        if note.startswith("skipped"):
            self.skipped += 1
            print(f"skip {name}: {note}", flush=True)
            return
        print(f"{'not ok' if problems else 'ok'} {name}: {note} ({time.monotonic() - started:.1f} s)", flush=True)
        for line in problems[:10]:
            print(f"    {line}", flush=True)
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)


class Scene:
    """A folder with data and a model, the tool and the shim."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.shim = tool, folder, folder / "shim" / "libshim.so"
        self.shim.parent.mkdir()
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run([*compiler, "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE", str(HERE / "shim.c"), "-o", str(self.shim), "-ldl"],
                       check=True)
        for words in (["sample", "circles(n=30)", "-o", "X.npy", "--labels-out", "y.npy"], ["sample", "circles(n=30)", "-o", "X.csv"],
                      ["fit", "kpca(dim=2)", "X.npy", "-o", "m.rkhs", "-z", "Z.npy"], ["gram", "rbf", "X.npy", "-o", "K.npy"],
                      ["gram", "rbf", "X.npy", "--rows", ":12", "-o", "p0.npy"], ["gram", "rbf", "X.npy", "--rows", "12:", "-o", "p1.npy"]):
            self.must(words)
        (folder / "X.csv.gz").write_bytes(gzip.compress((folder / "X.csv").read_bytes()))

    def must(self, words):
        subprocess.run([str(self.tool), *words, *QUIET], cwd=self.folder, check=True)

    def path(self, name):
        return self.folder / name

    def names(self):
        return {p.name for p in self.folder.iterdir()}

    def run(self, words, fault=None, stdout=subprocess.PIPE, environment=None):
        """(exit code, stdout, stderr, did the fault strike)"""
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", **(environment or {}))
        with tempfile.TemporaryFile() as said:
            if fault:
                environment.update(RKHS_FAULT=fault, LD_PRELOAD=str(self.shim))
                os.dup2(said.fileno(), SAID)
            result = subprocess.run([str(self.tool), *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=stdout,
                                    stderr=subprocess.PIPE, pass_fds=(SAID,) if fault else (), timeout=60, check=False)
            if fault:
                os.close(SAID)
            return result.returncode, result.stdout, result.stderr, os.fstat(said.fileno()).st_size > 0


def with_options(words):
    return words if words[0] in NO_OPTIONS else [*words, *QUIET]


def is_sentence(text):
    """One line that begins with the tool's name."""
    return text.startswith(b"rkhs") and text.endswith(b"\n") and text.count(b"\n") == 1 and b": " in text


def wrong_after(scene, came, right, codes, files, wanted, stdout):
    """What is wrong after a run that a fault struck."""
    code, out, err, _ = came
    if code not in codes:
        yield f"exit code {code}: {err.decode(errors='replace').strip()[:200]}"
    if code == 0 and (out != stdout or any(scene.path(f).read_bytes() != wanted[f] for f in files)):
        yield "exit code 0, and another output"
    if code == 1 and not is_sentence(err):
        yield f"no sentence: {err[:200]!r}"
    for f in files:
        now = scene.path(f).read_bytes() if scene.path(f).exists() else None
        if now not in (OLD, wanted[f]):
            yield f"{f} is neither the old one nor the new one"
        if code != 0 and now != OLD:
            yield f"exit code {code}, and {f} is not the old one"
    if scene.names() != right:
        yield f"left behind: {sorted(scene.names() ^ right)}"


def test_faults(scene, words, files):
    """Every kind of fault at every call."""
    words, problems, count = with_options(words), [], 0
    code, stdout, err, _ = scene.run(words)
    if code != 0:
        return [f"without a fault: exit code {code}: {err.decode(errors='replace')}"], "no fault"
    wanted = {f: scene.path(f).read_bytes() for f in files}
    right = scene.names()
    for kind, how, codes in FAULTS:
        for k in range(100000):
            for f in files:
                scene.path(f).write_bytes(OLD)
            came = scene.run(words, f"{kind}:{how}:{k}")
            struck = came[3]
            problems += [f"{kind}:{how}:{k}: {line}" for line in wrong_after(scene, came, right, codes if struck else {0}, files, wanted, stdout)]
            for extra in scene.names() - right:
                scene.path(extra).unlink()
            if not struck:
                break
            count += 1
    for f in files:
        scene.path(f).unlink(missing_ok=True)
    return problems, f"{count} faults"


def under_limit(scene, words, megabytes):
    """As scene.run, with so much address space, and BLAS with the threads that it takes by itself."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    limit = (megabytes << 20, megabytes << 20)
    try:
        came = subprocess.run([str(scene.tool), *words], cwd=scene.folder, env=environment, stdin=subprocess.DEVNULL, timeout=30, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    except subprocess.TimeoutExpired:
        return "none after 30 seconds", b"", b"", False
    return came.returncode, came.stdout, came.stderr, True


def test_space(scene, words, files):
    """A ladder of limits; the loader itself speaks, with code 127, where not even the libraries fit."""
    words, problems, codes = [*words, "--quiet", "--threads", "3"], [], []
    _, stdout, _, _ = scene.run(words)
    wanted, right = {f: scene.path(f).read_bytes() for f in files}, scene.names()
    for megabytes in (16, 32, 50, 56, 64, 80, 100, 128, 160, 190, 200, 220, 256, 300, 350, 400, 500, 600, 800, 1000, 1400, 2000):
        for f in files:
            scene.path(f).write_bytes(OLD)
        came = under_limit(scene, words, megabytes)
        loader = came[0] == 127 and b"loading shared libraries" in came[2]
        allowed = {127} if loader else {0} if megabytes == 2000 else {0, 1}
        problems += [f"{megabytes} MB: {line}" for line in wrong_after(scene, came, right, allowed, files, wanted, stdout)]
        codes.append(came[0])
    for f in files:
        scene.path(f).unlink(missing_ok=True)
    return problems, ", ".join(f"{codes.count(code)} with code {code}" for code in sorted(set(codes), key=str))


def test_full(scene, words):
    """Standard output that is full."""
    if scene.run(with_options(words))[1] == b"":
        return [], "prints nothing"
    with open("/dev/full", "wb") as full:
        code, _, err, _ = scene.run(with_options(words), stdout=full)
    return ([] if code == 1 and is_sentence(err) else [f"exit code {code}: {err!r}"]), "refused"


# ---- names ---------------------------------------------------------------------------------------------------------------------

def rows_of(path):
    return re.search(rb"'shape': \((\d+),", path.read_bytes()[:128])[1].decode()


def test_writers(scene, writers, count):
    """Several runs at a time write the same two files, each with its own number of rows."""
    looks, problems, runs = 0, [], []
    with tempfile.TemporaryDirectory(prefix="rkhs-fault-") as folder:
        files = pathlib.Path(folder, "race.npy"), pathlib.Path(folder, "race_y.npy")
        words = ["-o", files[0].name, "--labels-out", files[1].name, *QUIET]
        subprocess.run([str(scene.tool), "sample", "circles(n=9)", *words], cwd=folder, check=True)
        for k in range(count):
            runs.append(subprocess.Popen([str(scene.tool), "sample", f"circles(n={10 + k})", *words], cwd=folder, stderr=subprocess.DEVNULL))
            while len(runs) >= (writers if k < count - 1 else 1):
                problems += [f"exit code {run.returncode}" for run in runs if run.poll()]
                runs = [run for run in runs if run.returncode is None]
                for path in files * 50:
                    looks += 1
                    if not path.exists():
                        problems.append(f"{path.name} was missing")
        if rows_of(files[0]) != rows_of(files[1]):
            problems.append(f"{rows_of(files[0])} rows beside {rows_of(files[1])} labels")
        problems += [f"left behind: {name}" for name in set(os.listdir(folder)) - {path.name for path in files}]
    return problems, f"{count} runs, {looks} looks"


def test_no_exchange(scene, words, first, second):
    """A file system that cannot exchange names: both files, or a sentence that says which one is new."""
    words, problems = with_options(words), []
    scene.run(words)
    wanted = {f: scene.path(f).read_bytes() for f in (first, second)}
    for fault, code, said in (("exchange:22:-1", 0, b""), ("exchange:22:-1,rename:13:1", 1, first.encode() + b" is the new one")):
        for f in wanted:
            scene.path(f).write_bytes(OLD)
        came = scene.run(words, fault)
        if came[0] != code or said not in came[2] or not came[3]:
            problems.append(f"{fault}: exit code {came[0]}: {came[2]!r}")
        for f, new in ((first, True), (second, code == 0)):
            if scene.path(f).read_bytes() != (wanted[f] if new else OLD):
                problems.append(f"{fault}: {f} is not the {'new' if new else 'old'} one")
    problems += [f"left behind: {name}" for name in scene.names() if LEFT.fullmatch(name)]
    return problems, "2 faults"


# ---- kills ---------------------------------------------------------------------------------------------------------------------

def look_after_kill(scene, old, new, right):
    """Problems after a kill; whether all files are new ones. Puts the old one back. new: by name."""
    problems, came = [], {}
    for file, wanted in new.items():
        came[file] = scene.path(file).read_bytes() if scene.path(file).exists() else b""
        if came[file] not in (old, wanted):
            problems.append(f"{file} has {len(came[file])} bytes, and is neither the old one nor the new one")
        scene.path(file).write_bytes(old)
    for extra in scene.names() - right:
        if not LEFT.fullmatch(extra):
            problems.append(f"left behind: {extra}")
        scene.path(extra).unlink()
    return problems, came == new


def test_kills(scene, words, file, times):
    """SIGKILL at random moments, over a file that exists."""
    words, problems = [str(scene.tool), *words, "--quiet"], []
    old = OLD * 1000
    scene.path(file).write_bytes(old)
    started = time.monotonic()
    subprocess.run(words, cwd=scene.folder, check=True)
    length, new, right = time.monotonic() - started, scene.path(file).read_bytes(), scene.names()
    draw, finished, hidden = random.Random(5), 0, 0
    for i in range(times):
        scene.path(file).write_bytes(old)
        process = subprocess.Popen(words, cwd=scene.folder, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, 1.2 * length))
        process.send_signal(signal.SIGKILL)
        process.wait()
        hidden += len(scene.names() - right)
        more, is_new = look_after_kill(scene, old, {file: new}, right)
        problems += [f"kill {i}: {line}" for line in more]
        finished += is_new
    return problems, f"{times} kills, {finished} times the new file stood there, {hidden} hidden files were left"


def test_kills_at_calls(scene, words, *files):
    """SIGKILL before and after each call on the way out, over private files: what is left is private too."""
    words, problems, count, finished = with_options(words), [], 0, 0
    scene.run(words)
    new, right, old = {file: scene.path(file).read_bytes() for file in files}, scene.names(), OLD
    for file in files:
        scene.path(file).write_bytes(old)
        scene.path(file).chmod(0o600)
    for kind in ("open", "write", "fsync", "close", "rename"):
        for how in ("kill", "after"):
            for k in range(1000):
                code, _, _, struck = scene.run(words, f"{kind}:{how}:{k}")
                problems += [f"{kind}:{how}:{k}: {name} has mode {scene.path(name).stat().st_mode & 0o777:o}"
                             for name in {*files, *(scene.names() - right)} if scene.path(name).stat().st_mode & 0o077]
                more, is_new = look_after_kill(scene, old, new, right)
                problems += [f"{kind}:{how}:{k}: {line}" for line in more]
                if not struck:
                    break
                if code != -signal.SIGKILL:
                    problems.append(f"{kind}:{how}:{k}: was not killed")
                count, finished = count + 1, finished + is_new
    return problems, f"{count} kills, {finished} times the new file stood there"


# ---- damage and bombs ----------------------------------------------------------------------------------------------------------

def test_damage(scene):
    """Damaged model files, all refused."""
    models = []
    for i, (spec, kernel) in enumerate((("kpca(dim=2)", "rbf(gamma=0.5)"), ("kpca(dim=2, gram=nystrom(landmarks=4))", "linear + 2*rbf(gamma=0.1)"))):
        scene.must(["sample", "circles(n=10)", "-o", "d.npy"])
        scene.must(["fit", spec, "--kernel", kernel, "d.npy", "-o", f"d{i}.rkhs"])
        models.append(scene.path(f"d{i}.rkhs").read_bytes())
    for model in models:  # what makes the damage must be able to write a model that is whole
        scene.path("d.rkhs").write_bytes(damage.mend(model))
        if scene.run(["info", "d.rkhs"])[0] != 0 or damage.mend(model) != model:
            return ["a model whose checksum was computed again is refused"], "no damage"
    problems, kinds = [], {}
    for kind, content in damage.every_kind(models):
        scene.path("d.rkhs").write_bytes(content)
        code, out, err, _ = scene.run(["info", "d.rkhs"])
        kinds[kind] = kinds.get(kind, 0) + 1
        if code != 1 or out or not is_sentence(err) or b"d.rkhs" not in err:
            problems.append(f"{kind} {kinds[kind]}: exit code {code}: {err!r}")
    return problems, f"{sum(kinds.values())} files, " + ", ".join(f"{n} {kind}" for kind, n in kinds.items())


def damaged_mats(count, draw):
    """(name, content): MAT files of every version, cut, with some bits flipped, or a stretch of them overwritten."""
    files = [(path.name, path.read_bytes()) for path in sorted((HERE.parent / "cli" / "mat").glob("*.mat"))]
    for i in range(count):
        name, content = files[i % len(files)]
        content, how = bytearray(content), draw.randrange(8)
        if how == 0:
            del content[draw.randrange(len(content)):]
        elif how == 1:
            at = draw.randrange(len(content))
            content[at:at + 4] = draw.choice([bytes(4), b"\xff" * 4, b"\xff\xff\xff\x7f", b"\0\0\0\x80", draw.randbytes(4)])
        else:
            for _ in range(1 if how < 6 else draw.randrange(2, 10)):
                # Headers are where lies are told.
                at = draw.randrange(len(content)) if draw.random() < 0.5 else min(len(content) - 1, 116 + draw.randrange(100))
                content[at] ^= 1 << draw.randrange(8)
        yield name, bytes(content)


def test_mats(scene, count):
    """Damaged MAT files: read or refused within a time, never a crash of the tool."""
    problems, said, slowest = [], {"read": 0, "refused": 0}, 0.0
    scene.path("bad.mat").write_bytes((HERE.parent / "cli" / "mat" / "plain.mat").read_bytes())
    words = ["gram", "linear", "bad.mat", "-o", "mat.npy", "--memory", "100M", *QUIET]
    whole, lie = scene.path("bad.mat").read_bytes(), bytes.fromhex("06000000") + bytes.fromhex("03000000")
    scene.path("bad.mat").write_bytes(whole.replace(lie, b"\x3c" + lie[1:]))  # 60 x 3, and numbers for 6 x 3
    code, _, err, _ = scene.run(words)
    if code != 1 or b"another count of numbers than its size says" not in err:
        problems.append(f"a size that is a lie: exit code {code}: {err!r}")
    for i, (name, content) in enumerate(damaged_mats(count, random.Random(11))):
        scene.path("bad.mat").write_bytes(content)
        started = time.monotonic()
        try:
            code, out, err, _ = scene.run(words)
        except subprocess.TimeoutExpired:
            problems.append(f"{name} {i}: took more than a minute")
            continue
        slowest = max(slowest, time.monotonic() - started)
        said["read" if code == 0 else "refused"] += 1
        named = b"bad.mat" in err or b"the Gram matrix of" in err  # of a size that was flipped
        if code not in (0, 1) or out or (code == 1 and not (is_sentence(err) and named)):
            problems.append(f"{name} {i}: exit code {code}: {err!r}")
    return problems, ", ".join(f"{n} {word}" for word, n in said.items()) + f", {slowest:.1f} s at most"


def gzip_bomb(start, block, times):
    """A gzip stream of `start`, then `block` many times over; the block is compressed once."""
    members = gzip.compress(block, 9, mtime=0)
    return gzip.compress(start, 9, mtime=0) + members * times


def npz_bomb(start, block, times, size):
    """An .npz of one array, `start` and then `block` many times over, that says it has `size` bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)  # what follows does not look back, and can be repeated
    data = first + (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)) * times + b"\3\0"
    common = struct.pack("<HHHHIIIHH", 0, 8, 0, 33, 0, len(data), size, 5, 0)
    local, entry = b"PK\3\4\x14\0" + common + b"x.npy", b"PK\1\2\x14\0\x14\0" + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"x.npy"
    return local + data + entry + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local) + len(data), 0)


# A process begins with the memory of the one that started it on its account: a small one stands between.
MEASURE = "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; " \
          "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def peak_of(words, folder):
    """(exit code, stderr, most memory in bytes) of a run."""
    result = subprocess.run([sys.executable, "-S", "-c", MEASURE, *words], cwd=folder, check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    code, kilobytes = result.stdout.split()
    return int(code), result.stderr, int(kilobytes) * 1024


def test_bombs(scene):
    """Files of 4 MB that expand to 4 GB, with a limit of 4 MB."""
    limit, blocks = 4_000_000, 400
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (500000, 1000), }"
    header += b" " * (117 - len(header)) + b"\n"
    npy = b"\x93NUMPY\x01\x00" + bytes([118, 0]) + header
    fit = ["fit", "kpca", "-o", "bomb.out"]
    bombs = [
        ("bomb.csv.gz", gzip_bomb(b"", b"1,2,3,4,5\n" * 1_000_000, blocks), fit),
        ("bomb.csv.gz", gzip_bomb(b"", b"1" * 10_000_000, blocks), fit),
        ("bomb.npy.gz", gzip_bomb(npy, bytes(10_000_000), blocks), fit),
        ("bomb.npz", npz_bomb(npy, bytes(10_000_000), blocks, blocks * 10_000_000 + len(npy)), fit),
        ("bomb.npz", npz_bomb(npy, bytes(10_000_000), blocks, 1000), fit),
        ("bomb.csv.gz", gzip_bomb(b"", b"cat\n" * 2_500_000, blocks), ["score", "knn", "--z", "Z.npy", "--labels"]),
        ("bomb.rkhs", gzip_bomb(b"PK\3\4", bytes(10_000_000), blocks), ["info"]),
    ]
    base = peak_of([str(scene.tool), "score", "knn", "--z", "Z.npy", "--labels", "y.npy", "--quiet"], scene.folder)[2]
    problems, most = [], 0
    for name, content, words in bombs:
        scene.path(name).write_bytes(content)
        words = [*words, name, "--memory", "4M", "--quiet"]
        code, err, peak = peak_of([str(scene.tool), *words], scene.folder)
        most = max(most, peak)
        if code != 1 or not is_sentence(err):
            problems.append(f"{' '.join(words)}: exit code {code}: {err!r}")
        if peak > base + 2 * limit + 4_000_000:
            problems.append(f"{' '.join(words)}: {peak / 1e6:.0f} MB were held, a small file needs {base / 1e6:.0f} MB")
        scene.path(name).unlink()
    return problems, f"{len(bombs)} files of 4 GB each, at most {most / 1e6:.1f} MB held ({base / 1e6:.1f} MB for a small file)"


def main():
    parser = argparse.ArgumentParser(description="Runs the tool with faults, kills, damaged files and bombs.")
    parser.add_argument("tool", nargs="?", default=str(HERE.parents[1] / "build" / "rkhs"), help="the tool, build/rkhs unless given")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only tests whose name contains this")
    parser.add_argument("--mats", type=int, default=300, help="damaged MAT files")
    parser.add_argument("--kills", type=int, default=200, help="random kills in all")
    options = parser.parse_args()
    tool, tests = pathlib.Path(options.tool).resolve(), Tests(options.only)
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # fsync takes time
    with tempfile.TemporaryDirectory(prefix="rkhs-fault-", dir=parent) as folder:
        scene = Scene(tool, pathlib.Path(folder))
        for name, words, files in COMMANDS:
            tests.run(f"faults in {name}", test_faults, scene, words, files)
            if not files:
                tests.run(f"full output of {name}", test_full, scene, words)
            if name in SPACE:
                tests.run(f"address space of {name}", test_space, scene, words, files)
        tests.run("several writers of the same two files", test_writers, scene, 8, 400)
        tests.run("names that cannot be exchanged", test_no_exchange, scene, COMMANDS[0][1], "out.npy", "out.rkhs")
        scene.must(["sample", "circles(n=600)", "-o", "big.npy"])
        scene.must(["sample", "circles(n=12000)", "-o", "bigger.npy"])
        fit, transform = ["fit", "kpca(dim=2)", "big.npy", "-o", "kill.rkhs"], ["transform", "m.rkhs", "bigger.npy", "-o", "kill.csv"]
        tests.run("kills of fit at random", test_kills, scene, fit, "kill.rkhs", options.kills // 2)
        tests.run("kills of transform at random", test_kills, scene, transform, "kill.csv", options.kills - options.kills // 2)
        tests.run("kills of fit at each call", test_kills_at_calls, scene, COMMANDS[1][1], "out.rkhs")
        tests.run("kills of fit with two results at each call", test_kills_at_calls, scene, COMMANDS[0][1], *COMMANDS[0][2])
        tests.run("kills of transform at each call", test_kills_at_calls, scene, transform, "kill.csv")
        tests.run("damaged models", test_damage, scene)
        tests.run("damaged MAT files", test_mats, scene, options.mats)
        tests.run("bombs", test_bombs, scene)
    print(f"{tests.passed} passed, {tests.failed} failed" + (f", {tests.skipped} skipped" if tests.skipped else ""))
    return 1 if tests.failed or not tests.passed else 0


if __name__ == "__main__":
    sys.exit(main())
