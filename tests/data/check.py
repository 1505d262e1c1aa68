#!/usr/bin/env python3
"""tests/data/check.py TOOL [FOLDER]: checks on real data that the project does not contain; `make check-data DATA=FOLDER` calls it.

Each set is embedded by the tool in some dimensions; the errors of the nearest other object's class (leave-one-out) are printed beside
those of chance, and must be below a share of them. A set whose files are not in FOLDER is skipped and counted. A new set is one
entry of SETS and a function that writes what the tool reads. The last line is "N passed, N failed, N skipped".
"""
import array
import ast
import collections
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

# name; the files it needs; prepare(files, folder) writes the objects and y.txt and gives the objects' name; model; kernel; dimensions;
# the largest share of chance's errors that passes, in the last of the dimensions.
Set = collections.namedtuple("Set", "name files prepare model kernel dims share")


def read_bytes_array(path):
    """(rows, columns, ..., bytes) of an NPY of uint8."""
    with open(path, "rb") as f:
        head = f.read(10)
        header = ast.literal_eval(f.read(struct.unpack("<H", head[8:10])[0]).decode())
        if header["descr"] != "|u1" or header["fortran_order"]:
            raise ValueError(f"{path}: not a plain array of bytes")
        return (*header["shape"], f.read())


def nci(files, folder):
    """Molecules as sets of 55 bits; whether one stops the growth of a line of cells (score 60 or more in column 49)."""
    rows, columns, scores = read_bytes_array(files[1])
    active = (scores[i * columns + 49] >= 60 for i in range(rows))
    (folder / "y.txt").write_text("".join("active\n" if a else "inactive\n" for a in active))
    return files[0]


def class_and_text(most):
    """Lines of class<tab>text as a file of text and one of classes; of each class the first `most`. A line's end inside a text, which
    is written as a backslash and an n, becomes a blank: it would put an n before the next word."""
    def prepare(files, folder):
        seen, texts, classes = collections.Counter(), [], []
        with gzip.open(files[0], "rt", encoding="utf-8") as lines:
            for line in lines:
                name, text = line.rstrip("\n").split("\t", 1)
                seen[name] += 1
                if seen[name] <= most:
                    texts.append(text.replace("\\n", " ").replace("\\\\", "\\"))
                    classes.append(name)
        (folder / "x.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        (folder / "y.txt").write_text("\n".join(classes) + "\n", encoding="utf-8")
        return folder / "x.txt"
    return prepare


def scaled_roll(files, folder):
    """The swiss roll, its columns from 0 to 1."""
    rows, columns, values = read_numbers(files[0])
    low = [min(values[c::columns]) for c in range(columns)]
    high = [max(values[c::columns]) for c in range(columns)]
    with open(folder / "x.csv", "w", encoding="utf-8") as out:
        for i in range(rows):
            row = values[i * columns:(i + 1) * columns]
            out.write(",".join(repr((v - a) / (b - a)) for v, a, b in zip(row, low, high)) + "\n")
    return folder / "x.csv"


def as_it_is(files, folder):
    return files[0]


def check_scores(prepare, wanted, within=None):
    """An embedding has these scores, `within` that, or at least. The second file, if any, has the labels."""
    def check_set(tool, one, files, folder):
        x = prepare(files, folder)
        run(tool, "fit", one.model, x, *(("--kernel", one.kernel) if one.kernel else ()), "-z", folder / "Z.npy", "--quiet")
        labels = ("--labels", files[1]) if len(files) > 1 else ()
        found = json.loads(run(tool, "score", *wanted, "--z", folder / "Z.npy", "--x", x, *labels, "--json"))
        for name, value in wanted.items():
            print(f"  {one.name}, {one.model}, {one.kernel or 'its own kernel'}, {name}: {found[name]:.6f}, wanted {value}{'' if within else ' or more'}", flush=True)
        return all(abs(found[name] - value) < within if within else found[name] >= value for name, value in wanted.items())
    return check_set


def tu_classes(files):
    with gzip.open(files[-1], "rt") as lines:
        return lines.read().split()


def gin_classes(files):
    with gzip.open(files[0], "rt") as text:
        lines, classes = iter(text), []
        for _ in range(int(next(lines))):
            size, name = next(lines).split()
            classes.append(name)
            for _ in range(int(size)):
                next(lines)
        return classes


def check_graphs(classes, machine, published):
    """Graphs by a kernel itself: leave-one-out errors of the likest graph, and a machine over ten folds, which must not be below
    what is published for this kernel."""
    def check_set(tool, one, files, folder):
        labels, K = classes(files), array.array("d")
        n = len(labels)
        run(tool, "gram", one.kernel, files[0], "-o", folder / "K.npy", "--quiet")
        with open(folder / "K.npy", "rb") as f:
            f.seek(-8 * n * n, 2)
            K.fromfile(f, n * n)
        errors = 0
        for i in range(n):
            row = K[i * n:(i + 1) * n]
            row[i] = -1
            errors += labels[row.index(max(row))] != labels[i]
        (folder / "y.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
        value = float(run(tool, "score", machine, "--z", folder / "K.npy", "--labels", folder / "y.txt").split()[-3])  # value +- deviation
        print(f"  {one.name}, {one.kernel}: 1-NN {100 * (1 - errors / n):.1f}% right ({errors} errors of {n}, chance {chance(labels):.0f}); "
              f"{machine} {100 * value:.1f}%, published {published[0]} to {published[1]}%", flush=True)
        return 100 * value >= published[0]
    return check_set


def read_numbers(path):
    """(rows, columns, numbers) of an NPY of float64."""
    with open(path, "rb") as f:
        head = f.read(10)
        header = ast.literal_eval(f.read(struct.unpack("<H", head[8:10])[0]).decode())
        if header["descr"] != "<f8":
            raise ValueError(f"{path}: not an array of float64")
        rows, columns = header["shape"]
        values = struct.unpack(f"<{rows * columns}d", f.read())
        return rows, columns, [values[c * rows + i] for i in range(rows) for c in range(columns)] if header["fortran_order"] else values


def check_shapes(tool, one, files, folder):
    """The first 50 of each digit, compared by the kernels themselves: the errors of the nearest other image's class. scigv must make no
    more than the pixels do; its defaults were chosen on other digits."""
    count, h, w, pixels = read_bytes_array(files[0])
    labels, seen, rows = read_bytes_array(files[1])[-1], collections.Counter(), []
    for i in range(count):
        seen[labels[i]] += 1
        if seen[labels[i]] <= 50:
            rows.append(i)
    write_bytes_array(folder / "x.npy", (len(rows), h, w), b"".join(pixels[i * h * w:(i + 1) * h * w] for i in rows))
    errors = {}
    for kernel in one.kernel:
        run(tool, "gram", kernel, folder / "x.npy", "-o", folder / "K.npy", "--quiet")
        n, _, K = read_numbers(folder / "K.npy")
        own = [K[i * n + i] for i in range(n)]
        nearest = [min((own[j] - 2 * K[i * n + j], j) for j in range(n) if j != i)[1] for i in range(n)]
        errors[kernel] = sum(labels[rows[i]] != labels[rows[nearest[i]]] for i in range(n))
        print(f"  {one.name}, {kernel}, the kernel itself: {errors[kernel]} errors of {n}", flush=True)
    return errors["scigv"] <= errors["linear"]


def write_bytes_array(path, shape, content):
    header = repr({"descr": "|u1", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content)


ROLL = ["swiss_roll/swiss_roll_X.npy"]
DIGITS = ["digits/digits_x.npy", "digits/digits_y.npy"]
NCI = ["nci_cancer/fp3_bits_2305.npy", "nci_cancer/gi50_scores_2305.npy"]
MUTAG = [f"graphs/MUTAG_{part}.txt.gz" for part in ("A", "graph_indicator", "node_labels", "edge_labels", "graph_labels")]
SPLICE = ["splice/splice_dna.tsv.gz"]
REUTERS = ["reuters21578/reuters_single_topic.tsv.gz"]
SETS = [
    # by kpca: figures of a paper, of which one is a continuity of its own
    Set("swiss roll", ROLL, check_scores(scaled_roll, {"trustworthiness(k=15)": 0.8617, "continuity(k=15)": 0.9939, "continuity_ke(k=15)": 0.7496}, 6e-5),
        "kpca(dim=2)", "rbf(sigma=0.5)", (), None),
    Set("swiss roll", ROLL, check_scores(scaled_roll, {"trustworthiness(k=15)": 0.95}), "ke", None, (), None),
    Set("digits", DIGITS, check_scores(as_it_is, {"knn(k=5)": 0.86, "trustworthiness(k=12)": 0.95}), "ke", None, (), None),
    Set("MNIST 500", ["mnist/mnist_5000_x.npy", "mnist/mnist_5000_y.npy"], check_shapes, None, ("linear", "scigv"), (), None),
    Set("NCI molecules", NCI, nci, "kpca", "tanimoto", range(2, 11), 0.8),
    Set("MUTAG molecules", MUTAG, check_graphs(tu_classes, "nusvm(kernel=precomputed, folds=10, select=nested)", (80, 87)), None, "wl", (), None),
    Set("NCI1 molecules", ["graphs/NCI1_gin.txt.gz"], check_graphs(gin_classes, "nusvm(kernel=precomputed, folds=10, nu=0.3)", (82, 86)), None,
        "wl", (), None),
    Set("splice junctions", SPLICE, class_and_text(500), "kpca", "spectrum(p=6)", (2, 5, 10), 0.75),
    Set("splice junctions", SPLICE, class_and_text(500), "kpca", "ssk(p=4, lambda=0.5)", (2, 5, 10), 0.9),
    Set("Reuters articles", REUTERS, class_and_text(50), "kpca", "words(idf=true)", (2, 5, 10), 0.3),
    Set("Reuters articles", REUTERS, class_and_text(50), "kpca", "spectrum(p=5)", (2, 5, 10), 0.5),
    Set("Reuters articles", REUTERS, class_and_text(15), "kpca", "ssk(p=3, lambda=0.5)", (2, 5, 10), 0.7),
]


def run(tool, *arguments):
    result = subprocess.run([str(word) for word in (tool, *arguments)], text=True, capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return result.stdout


def chance(labels):
    """How many errors a neighbour drawn at random makes."""
    counts, n = collections.Counter(labels), len(labels)
    return sum(c * (n - c) / (n - 1) for c in counts.values())


def check(tool, one, files, folder):
    """Whether a set passes; prints a line for each dimension. A set without dimensions has a check of its own."""
    if not one.dims:
        return one.prepare(tool, one, files, folder)
    objects = one.prepare(files, folder)
    labels = (folder / "y.txt").read_text(encoding="utf-8").split("\n")[:-1]
    by_chance, errors = chance(labels), 0
    for dim in one.dims:
        run(tool, "fit", f"{one.model}(dim={dim})", objects, "--kernel", one.kernel, "-z", folder / "Z.npy", "--quiet")
        value = float(run(tool, "score", "knn(k=1)", "--z", folder / "Z.npy", "--labels", folder / "y.txt").split()[-1])
        errors = round((1 - value) * len(labels))
        print(f"  {one.name}, {one.model}, {one.kernel}, {dim} dimensions: {errors} errors of {len(labels)}, chance {by_chance:.0f}", flush=True)
    return errors <= one.share * by_chance


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: tests/data/check.py TOOL [FOLDER]")
    tool = pathlib.Path(sys.argv[1]).resolve()
    data = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else None
    passed = failed = skipped = 0
    for one in SETS:
        files = [data / name if data else None for name in one.files]
        if not data or not all(path.is_file() for path in files):
            print(f"skipped {one.name}: {'no folder was given' if not data else f'{data} has not all of ' + ', '.join(one.files)}")
            skipped += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                good, why = check(tool, one, files, pathlib.Path(folder)), f": more than {one.share:g} of chance" if one.share else ": not these figures"
            except (RuntimeError, ValueError, OSError) as error:
                good, why = False, f": {error}"
        print(f"{'ok' if good else 'not ok'} {one.name}{'' if good else why}", flush=True)
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
