#!/usr/bin/env python3
"""tests/fuzz/make_corpus.py [TOOL]: writes the seeds of tests/fuzz/corpus; what fuzzing added to them stays.

The first byte of a seed of a reader picks the spec it is read with (see the target), that of a spec what it is a spec of.
"""
import gzip
import io
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
FORGED = 67  # models that tests/fuzz/forged.c has


def put(target, name, content):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def npy(descr, shape, data, fortran=False, version=1):
    header = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}".encode()
    width = "<H" if version == 1 else "<I"
    start = 8 + struct.calcsize(width)
    header += b" " * (-(start + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(header)) + header + data


def arrays():
    values = [0.5, -1.25, 3, 4, 1e-300, 6]
    for code, kind, scale in (("d", "f8", 1), ("f", "f4", 1), ("q", "i8", 0), ("i", "i4", 0), ("h", "i2", 0), ("b", "i1", 0)):
        for order in "<>":
            data = struct.pack(f"{order}6{code}", *[v if scale else int(v) for v in values])
            yield f"{'little' if order == '<' else 'big'}_{kind}", npy(order + kind, (3, 2), data)
    yield "fortran", npy("<f8", (3, 2), struct.pack("<6d", *values), fortran=True)
    yield "version2", npy("<f8", (6,), struct.pack("<6d", *values), version=2)
    yield "bool", npy("|b1", (2, 2), bytes([0, 1, 1, 0]))
    yield "half", npy("<f2", (2, 2), struct.pack("<4e", 1, 2, 3, 65504))
    yield "bytes", npy("|S3", (3,), b"catdogcat")
    yield "unicode", npy("<U2", (2,), "aébc".encode("utf-32-le"))
    yield "scalar", npy("<i8", (), struct.pack("<q", 7))
    yield "huge", npy("<f8", (2**40, 2**40), b"")
    yield "nan", npy("<f8", (1, 2), struct.pack("<2d", 1, float("nan")))
    yield "gzip", gzip.compress(npy("<f8", (3, 2), struct.pack("<6d", *values)), mtime=0)


def pngs():
    sys.path.insert(0, str(HERE.parent / "cli" / "pictures"))
    from png import chunk, png
    yield "grey", png(2, 3, 0, [1, 2, 3, 4, 5, 6])
    yield "bits", png(3, 9, 0, [1, 0, 1], depth=1)
    yield "rgb", png(2, 1, 2, [1, 2, 3, 4, 5, 6])
    yield "rgba", png(1, 2, 6, [9] * 8)
    yield "palette", png(2, 2, 3, [0, 1, 2, 3])
    yield "deep", png(1, 1, 0, [60000], depth=16)
    yield "interlaced", png(1, 1, 0, [6], interlaced=1)
    grey = png(2, 2, 0, [1, 2, 3, 4])
    yield "text", grey[:33] + chunk(b"tEXt", b"a\0b") + chunk(b"tRNS", b"\0\1") + grey[33:]
    yield "cut", grey[:50]


TABLES = {
    "plain": "1,2\n3,4\n", "header": "a,b,word\n1,2,cat\n3,4.5e-3,dog\n", "quoted": 'a,"b ""c""",word\n1,"2","x, y"\n3,4,"two\nlines"\n',
    "crlf": "1;2\r\n3;4\r\n", "tabs": "1\t2\n3\t4\n", "spaces": " 1  2 \n 3 4\n", "bom": "\ufeffx,y\n1,2\n", "no_end": "1,2\n3,4",
    "missing": "1,,3\n4,5,6\n", "ragged": "1,2\n3\n", "words": "cat\ndog\ncat\n", "numbers": "1e308,-0,+.5\n1e-308,0x1,00012\n",
    "nan": "nan,inf\n-inf,NA\n", "empty": "", "blank": "\n\n1,2\n\n", "comment": "# a\n1,2\n", "long": "0." + "1" * 400 + "e-5,2\n",
}

SPECS = {
    0: ["rbf", "rbf(sigma=median)", "2*linear + rbf(gamma=0.1)*cosine", "0.5*(linear + 2*rbf(sigma=knn(3)))*poly(degree=2)",
        "precomputed + 0.5*precomputed", "laplacian(sigma=knn(k=4))", "poly(degree=3, scale=0.5, offset=1)", "((((linear))))",
        "5*rbf(gamma=0.03)[0,1] + cosine[0:2] + 2*standardize(rbf(gamma=0.25))[1] + 3*laplacian(gamma=1)[1,0:2,1]",
        "(normalize(poly) + center(linear)^2*rbf)^3", "(cosine^2)[0][0,0]",
        "standardize(rbf(sigma=2), mean=[0.5,-1e-3], deviation=[1,2.5e300])", "center(normalize(center(standardize(linear)[0])))",
        "tanimoto + 2*delta",
        'ssk(p=3, lambda=0.5, by=word) + 2*spectrum(alphabet="ACGT")', "mismatch(4, 1)*words(idf=true)", "wl(h=3, edges=false) + 2*paths(labelled=false)*graphlet"],
    1: ["kpca", "kpca(dim=2, gram=nystrom(landmarks=10, by=given, rows=[0:10,12]), solver=lanczos)", "kpca(3, negative=flip)",
        "krr(ridge=0.1)", "kpca(gram=exact, solver=dense)"],
    2: ["csv", 'csv(label="two words", header=yes)', "tsv(label=-1)", "npy", "csv(delimiter=semicolon)", "npz(key=x)", "svmlight(base=0, columns=9)", "gin(tags=false)", "tu"],
    3: ["circles(n=38, noise=0.5)", "cubes(n=40)", "swiss_roll(n=10)", "molecules(n=4, max_vertices=9)"],
    4: ["knn(k=5)", "knn"],
}


ROWS = {
    "plain": "1 1:0.5 3:2\n-1 2:1e-3\n", "zero": "0 0:1 4:2\n", "comment": "cat 1:1 # note\n\ndog 2:2\n", "query": "1 qid:3 1:2 2:4\n",
    "empty_row": "1\n2 1:1\n", "order": "1 3:1 2:1\n", "twice": "1 2:1 2:2\n", "huge": "1 2147483648:1\n", "pairs": "1,2 1:1\n",
}


PRINTS = {
    "plain": "#FPS1\n#num_bits=12\n#type=X/2\n0108\tone\nf001\ttwo\n", "no_header": "0108ff\n00a1FF\tx\ty\n", "crlf": "#num_bits=8\r\n01\ta\r\n\r\n",
    "long": "#num_bits=131\n" + "0123456789abcdef" * 2 + "07\tz\n", "huge": "#num_bits=2147483647\n01\n", "past": "#num_bits=3\nff\n",
    "unequal": "01\n0102\n", "digit": "0g\n", "empty": "#FPS1\n",
}
RECORDS = {
    "plain": ">one\nACGT\nAC\n>two\nTT\n", "crlf": ">a b|c\r\nAC GT\r\n>d e\r\n", "remark": ";x\n\n>a\n;y\nAC\n", "none": "ACGT\n", "empty": "",
    "no_end": ">a\nAC", "names": ">\n>>\n> x\nA>C\n", "bom": "\ufeff>a\nA\n",
}
LINES = {"plain": "one\ntwo\n", "crlf": "one\r\n\r\ntwo", "empty": "", "blank": "\n\n", "bom": "\ufeffx\n", "utf8": "Z\u00fcrich \u20ac\n"}
GRAPHS = {
    "plain": "2\n3 4\n7 1 1\n-7 2 0 2\n7 1 1\n1 -2\n5 0\n", "crlf": "1\r\n2 0\r\n0 1 1\r\n0 1 0\r\n\r\n", "loop": "1\n2 0\n0 2 0 1\n0 0\n",
    "missing": "1\n2 0\n0 1 2\n0 0\n", "no_vertex": "1\n0 1\n", "many": "9223372036854775807\n1 0\n0 0\n", "large": "1\n2147483647 0\n0 0\n",
    "degree": "1\n1 0\n0 9223372036854775807\n", "more": "1\n1 0\n0 0 0.5\n", "far": "1\n1 99999999999999999999\n0 0\n", "empty": "",
}
TU = {
    "plain": ["2, 1\n1, 2\n3,2\n5, 6\n", "1\n1\n1\n2\n3\n3\n", "7\n-7\n7\n4\n1\n2\n", "5\n5\n6\n1\n", "1\n-1\n1\n"], "bare": ["1 2\n", "1\n1\n"],
    "no_edge": ["", "1\n2\n"], "missing": ["1, 4\n", "1\n1\n2\n"], "between": ["2, 3\n", "1\n1\n2\n"], "gap": ["1, 2\n", "1\n1\n3\n"],
    "two_labels": ["1, 2\n2, 1\n", "1\n1\n", "", "0\n1\n"], "alone": ["1, 2\n"], "far": ["1, 99999999999999999999\n", "1\n"],
    "lines": ["1, 2\n", "1\n1\n", "0\n", "0\n0\n", "0\n1\n"],
}
STRINGS = [b"abcabc\0abd\0\0abcabc", "Z\u00fcrich\0\u20ac100\0z\u00dcrich".encode(), b"a\xff\0b", b"the cat\0The dog, the cat\0cat"]


def packed(arrays, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), array, method)
    return out.getvalue()


def archives():
    values = npy("<f8", (2, 2), struct.pack("<4d", 1, 2, 3, 4))
    codes = npy("<i8", (2,), struct.pack("<2q", 0, 1))
    sparse = {"indices": npy("<i4", (3,), struct.pack("<3i", 0, 2, 1)), "indptr": npy("<i4", (3,), struct.pack("<3i", 0, 2, 3)),
              "format": npy("|S3", (), b"csr"), "shape": npy("<i8", (2,), struct.pack("<2q", 2, 3)),
              "data": npy("<f8", (3,), struct.pack("<3d", 1, 2, 3))}
    for method, word in ((zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated")):
        yield f"one_{word}", packed({"x": values}, method)
        yield f"two_{word}", packed({"X": values, "y": codes}, method)
        yield f"sparse_{word}", packed(sparse, method)


def mnist():
    for code, letter in ((8, "B"), (9, "b"), (11, "h"), (12, "i"), (13, "f"), (14, "d")):
        yield f"type{code}", bytes([0, 0, code, 2]) + struct.pack(">2I", 3, 2) + struct.pack(f">6{letter}", 1, 2, 3, 4, 5, 6)
    yield "images", bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 2, 2) + bytes(range(8))
    yield "labels", bytes([0, 0, 8, 1]) + struct.pack(">I", 4) + bytes([0, 1, 1, 9])
    yield "huge", bytes([0, 0, 14, 4]) + struct.pack(">4I", 2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1)


def matlab():
    """MAT files of level 5, stored and packed, in both byte orders."""
    def element(order, kind, data):
        if 0 < len(data) <= 4:  # beside its type
            return struct.pack(order + "I", len(data) << 16 | kind) + data.ljust(4, b"\0")
        return struct.pack(order + "2I", kind, len(data)) + data + bytes(-len(data) % 8)

    def matrix(order, code, dims, name, *content):
        head = element(order, 6, struct.pack(order + "2I", code, 0)) + element(order, 5, struct.pack(f"{order}{len(dims)}i", *dims))
        return element(order, 14, head + element(order, 1, name) + b"".join(content))

    for word, order in (("little", "<"), ("big", ">")):
        def numbers(kind, letter, *values, order=order):
            return element(order, kind, struct.pack(f"{order}{len(values)}{letter}", *values))

        cells = [matrix(order, 4, (1, len(t)), b"", element(order, 16, t)) for t in (b"cat", b"a dog")]
        variables = {
            "double": [matrix(order, 6, (2, 3), b"x", numbers(9, "d", 1, 2, 3, 4, 5, 6))], "byte": [matrix(order, 9, (3, 1), b"y", numbers(2, "B", 0, 1, 1))],
            "several": [matrix(order, 0x206, (1, 2), b"X", numbers(2, "B", 0, 1)), matrix(order, 2, (1, 1), b"s"), matrix(order, 6, (2, 1), b"labels", numbers(3, "h", 7, 9))],
            "sparse": [matrix(order, 5, (3, 2), b"S", numbers(5, "i", 0, 2, 1), numbers(5, "i", 0, 2, 3), numbers(9, "d", 1, 2, 3))],
            "text": [matrix(order, 4, (2, 3), b"t", numbers(4, "H", *b"cdaotg"))], "cells": [matrix(order, 1, (2, 1), b"w", *cells)],
            "empty": [matrix(order, 1, (2, 1), b"w", *2 * [element(order, 14, b"")])],
        }
        head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(order + "H", 0x100) + (b"IM" if order == "<" else b"MI")
        for name, all_of_them in variables.items():
            yield f"{name}_{word}", head + b"".join(all_of_them)
            squeezed = [zlib.compress(v) for v in all_of_them]
            yield f"{name}_{word}_packed", head + b"".join(struct.pack(order + "2I", 15, len(z)) + z for z in squeezed)


def models(tool):
    """Small model files of several kinds, by the tool."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("x.csv", "f.npy", "s.svm", "k.csv", "b.csv", "y.txt", "t.txt", "g.gin", "m.rkhs")
        x, floats, sparse, gram, bits, words, text, graphs, model = (pathlib.Path(folder) / name for name in names)
        floats.write_bytes(npy("<f4", (5, 2), struct.pack("<10f", 0, 1, 1, 0.1, 2, 2, 3, 1, 5, 5)))
        sparse.write_text("0 1:0.5 3:2\n1 2:1\n0 1:1 2:3\n1 3:1\n")
        graphs.write_text(GRAPHS["plain"])
        bits.write_text("0,1,1\n1,0,0\n1,1,1\n0,0,0\n")
        words.write_text("cat\ndog\ncat\ncow\n")
        text.write_text("abcab\nbcabc\n\ncab\n")
        x.write_text("0,1\n1,0\n2,2\n3,1\n5,5\n")
        gram.write_text("2,1,0\n1,2,1\n0,1,2\n")
        for name, spec, kernel, data in (("rbf", "kpca(dim=1)", "rbf(gamma=0.5)", x), ("gram", "kpca(dim=1)", "precomputed", gram),
                                         ("bits", "kpca(dim=1)", "tanimoto", bits), ("labels", "kpca(dim=2)", "delta", words),
                                         ("strings", "kpca(dim=1)", "ssk(p=2)", text), ("mismatch", "kpca(dim=1)", "mismatch(p=2)", text),
                                         ("words", "kpca(dim=1, gram=nystrom(landmarks=2))", "2*words + spectrum", text),
                                         ("graphs", "kpca(dim=1)", "wl(h=1)", graphs),
                                         ("nystrom", "kpca(dim=2, gram=nystrom(landmarks=3))", "linear + 2*rbf(gamma=0.1)", x),
                                         ("features", "kpca(dim=1, gram=features(count=4))", "linear + rbf(gamma=0.1)", x),
                                         ("floats", "kpca(dim=1, gram=features(count=2))", "rbf(gamma=0.1)", floats),
                                         ("sparse", "kpca(dim=1, gram=nystrom(landmarks=2))", "rbf(gamma=0.1)", sparse)):
            command = [tool, "fit", spec, "--kernel", kernel, data, "-o", model, "--quiet"]
            subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
            yield name, model.read_bytes()


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else HERE.parents[1] / "build" / "rkhs"
    for name, table in TABLES.items():
        for spec in (0, 3) if len(table) < 100 else (0,):
            put("csv", f"{name}_{spec}", bytes([spec]) + table.encode())
        put("labels", name, b"\0" + table.encode())
        for spec in (10, 11, 12) if name in ("header", "words") else ():
            put("csv", f"{name}_{spec}", bytes([spec]) + table.encode())
    put("csv", "gzip", b"\0" + gzip.compress(TABLES["header"].encode(), mtime=0))
    for name, array in arrays():
        put("npy", name, b"\0" + array)
        put("labels", "npy_" + name, b"\1" + array)
    for name, content in archives():
        put("npz", name, b"\0" + content)
        put("labels", "npz_" + name, b"\6" + content)
    for name, content in mnist():
        put("idx", name, b"\0" + content)
        put("labels", "idx_" + name, b"\7" + content)
    for name, content in matlab():
        put("mat", name, b"\0" + content)
        put("labels", "mat_" + name, b"\10" + content)
    for name, text in ROWS.items():
        put("svmlight", name, b"\0" + text.encode())
    for name, text in PRINTS.items():
        put("fps", name, b"\0" + text.encode())
    for name, array in (("bytes", npy("|u1", (3, 2), bytes([0, 1, 1, 1, 0, 0]))), ("counts", npy("|i1", (1, 3), bytes([0, 255, 2]))),
                        ("fortran", npy("|b1", (2, 2), bytes([0, 1, 1, 7]), fortran=True)), ("numbers", npy("<f8", (2, 1), struct.pack("<2d", 0, 1)))):
        put("bits", name, b"\0" + array)
    for name, content in pngs():
        put("png", name, b"\0" + content)
    put("bits", "big", b"\1" + npy("|u1", (2, 3), bytes(range(6))))
    put("bits", "little", b"\2" + npy("|u1", (2, 2), bytes([255, 31, 0, 1])))
    put("bits", "idx", b"\3" + bytes([0, 0, 8, 2]) + struct.pack(">2I", 2, 3) + bytes([0, 1, 1, 0, 0, 1]))
    put("bits", "npz", b"\4" + packed({"x": npy("|u1", (2, 2), bytes([0, 1, 1, 0]))}))
    put("bits", "csv", b"\5" + b"0,1,1\n0,0,0\n")
    for name, text in RECORDS.items():
        for spec in (0, 2):
            put("fasta", f"{name}_{spec}", bytes([spec]) + text.encode())
    for name, text in GRAPHS.items():
        for spec in (0, 1):
            put("gin", f"{name}_{spec}", bytes([spec]) + text.encode())
    for name, texts in TU.items():
        put("tu", name, "\0".join(texts).encode())
    for name, text in LINES.items():
        put("lines", name, b"\0" + text.encode())
    for kernel in range(11):
        for i, strings in enumerate(STRINGS):
            put("strings", f"{kernel}_{i}", bytes([kernel]) + strings)
    for what, texts in SPECS.items():
        for i, text in enumerate(texts):
            put("spec", f"{what}_{i}", bytes([what]) + text.encode())
    for model in range(FORGED):  # each model of tests/fuzz/forged.c as it is, asked for all that there is
        put("forged", f"model_{model:02}", bytes([model, 255]))
    for name, content in models(tool):
        put("model", name, content)


if __name__ == "__main__":
    main()
