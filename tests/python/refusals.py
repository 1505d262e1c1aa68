# Calls that each must raise: test_hostile.py runs them behind its own first lines, which make X, Z, R, F, ten and m.
HUGE = 2**62
rows, codes, zeros = ("dense", 30, 3, X), np.zeros(30, np.int64), np.zeros(9, np.int64)
K, read_only = np.zeros((30, 30)), np.zeros((3000, 2))
read_only.flags.writeable = False
few = _rkhs.Model("kpca(gram=nystrom(landmarks=5))")
fit(few, 30)


class Liar(list):  # has three names, says its length, and none when it is asked for them
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return str(i) * 20


deep = rows
for _ in range(200000):
    deep = ("pairs", deep, None)


def given(x, y=None, start=None, kernel="rbf(gamma=1)", model="kpca"):
    return _rkhs.Model(model).fit(kernel, x, y, start, 0, 1, 0, None)


def csr(n, p, columns, starts):
    return given(("csr", n, p, X.ravel(), columns, np.array(starts)))


def classes(n, codes, names, count):
    return given(rows, ("classes", n, codes, names, count), model="ke")


def index(n, width, objects, array):
    return given(rows, ("index", n, width, objects, np.asarray(array)), model="contrastive")


def pairs(positive, negative=None):
    return given(rows, ("pairs", positive, negative), model="contrastive")


def score(names, *sets):
    return _rkhs.score(names, (*sets, *[None] * (6 - len(sets))), None, 0, 1, 0, None)


def gram(kernel, a, b=None, out=K):
    return _rkhs.gram(kernel, a, b, out, 0, 1, 0, None)


names, pair, labels, strings = np.array([0, 1], "i4"), zeros.astype("i4"), ("classes", 30, codes, None, 1), ("strings", 1, [b"a"])
unfitted = _rkhs.Model("kpca")
odd = np.frombuffer(bytearray(721), np.uint8)[1:].view(np.float64)
SHAPES = [
    lambda: given(None), lambda: given([1]), lambda: given(()), lambda: given((1, 2)), lambda: given(("x", 1)), lambda: given(("dense",)),
    lambda: given(("dense", -1, 3, X)), lambda: given(("dense", 1, -3, X)), lambda: given(("dense", -3, -3, X)),
    lambda: given(("dense", HUGE, 3, X)), lambda: given(("dense", HUGE, 4, X)), lambda: given(("dense", HUGE, 0, X)),
    lambda: given(("dense", 0, 3, X)), lambda: given(("dense", 2**70, 3, X)), lambda: given(("dense", 2.0, 3, X)),
    lambda: given(("dense", 3001, 3, X)), lambda: given(("images", 30, 0, 3, 1, X)), lambda: given(("images", 30, -1, -3, 1, X)),
    lambda: given(("images", HUGE, HUGE, 4, 4, X)), lambda: given(("images", 30, 1, 1, 1, X[:0])),
    lambda: csr(-1, 3, pair, [0, 1]), lambda: csr(2**63 - 1, 3, pair, [0, 1]), lambda: csr(1, 3, pair, [0, HUGE]),
    lambda: csr(1, 3, pair, [0, -5]), lambda: csr(2, 3, pair, [0, 500, 3]), lambda: csr(2, 3, pair, [-7, 1, 3]),
    lambda: csr(2, 3, np.array([0, 2**30], "i4"), [0, 1, 2]), lambda: csr(2, -3, names, [0, 1, 2]), lambda: csr(2, HUGE, names, [0, 1, 2]),
    lambda: csr(2, 3, np.array([0, 1]), [0, 1, 2]), lambda: csr(2, 3, names, [0.0, 1.0, 2.0]),
    lambda: given(("strings", 5, [b"a"])), lambda: given(("strings", 1, ["a"])), lambda: given(("strings", 1, (b"a",))), lambda: given(("strings", 0, [])),
    lambda: given(("bits", 3, -8, zeros.view("u1"))), lambda: given(("bits", 3, 2**63 - 1, zeros.view("u1"))),
    lambda: given(("bits", HUGE, 0, zeros.view("u1"))), lambda: given(("bits", 3, 8, zeros)),
    lambda: given(("graphs", 2, np.array([-1, 2]), zeros, zeros, None, None)), lambda: given(("graphs", -2, zeros, zeros, zeros, None, None)),
    lambda: given(("graphs", 2, np.array([HUGE, HUGE]), zeros, zeros, None, None)),
    lambda: given(("graphs", 1, np.array([2**57]), zeros, zeros, None, None)),
    lambda: given(("graphs", 1, np.array([2]), np.array([2**56]), zeros, None, None)),
    lambda: given(("graphs", 1, np.array([2]), np.array([1]), np.array([0, HUGE]), None, None)),
    lambda: given(labels), lambda: given(("index", 3, 3, 30, np.zeros((3, 3), int))), lambda: given(("pairs", rows, None)),
]
DTYPES = [
    lambda: given(("dense", 30, 3, X, ["a"])), lambda: given(("dense", 30, 3, X, "ab\0")), lambda: given(("dense", 30, 3, X, [1, 2, 3])),
    lambda: given(("dense", 30, 3, X, Liar())), lambda: given(("dense", 30, 3, X, 7)),
    lambda: given(("dense", 30, 3, X.astype(np.int64))), lambda: given(("dense", 30, 3, X.astype("f"))), lambda: given(("dense", 30, 3, X.astype(">f8"))),
    lambda: given(("dense", 10, 3, X.astype(complex))), lambda: given(("dense", 30, 3, X.astype(object))), lambda: given(("dense", 10, 3, X[::2])),
    lambda: given(("dense", 30, 3, np.asfortranarray(X))), lambda: given(("dense", 30, 3, X.tolist())), lambda: given(("dense", 30, 3, X.tobytes())),
    lambda: given(("dense", 30, 3, None)), lambda: given(("dense", 29, 3, odd)), lambda: given(("float", 30, 3, X)),
]
SECOND = [
    lambda: classes(-5, codes, None, 2), lambda: classes(30, codes + 7, None, 2), lambda: classes(31, codes, None, 2), lambda: classes(30, codes, None, HUGE),
    lambda: classes(30, codes, None, -1), lambda: classes(30, codes, Liar(), 3), lambda: classes(30, codes, ["a"], 2**61), lambda: classes(30, codes, [1], 1),
    lambda: classes(30, codes, ["\ud800"], 1), lambda: classes(30, codes, ["a\0b"], 1), lambda: classes(30, codes, 7, 1),
    lambda: index(3, 3, 30, np.full((3, 3), 99)), lambda: index(3, -3, 30, np.full((3, 3), 9)), lambda: index(3, 3, HUGE, np.full((3, 3), HUGE - 1)),
    lambda: index(2, 3, 300, [[0, 1, 299], [2, 3, 4]]), lambda: index(2, 3, 30, [[0.0, 1, 2], [2, 3, 4]]),
    lambda: pairs(deep), lambda: pairs(None), lambda: pairs(("dense", 3, 3, X)), lambda: pairs(strings), lambda: pairs(labels), lambda: pairs(rows, strings),
    lambda: given(rows, rows), lambda: given(rows, None, ("strings", 30, [b"a"] * 30), model="tke"), lambda: given(rows, None, ("dense", 3, 2, X), model="tke"),
    lambda: given(rows, None, labels, model="tke"),
]
TEXTS = [
    lambda: given(rows, kernel=3), lambda: given(rows, kernel=("python",)), lambda: given(rows, kernel=("python", 3)), lambda: given(rows, kernel="rbf\0"),
    lambda: given(rows, kernel="(" * 10**5), lambda: given(rows, kernel="(" * 60000), lambda: given(rows, kernel="normalize(" * 10**5),
    lambda: given(rows, kernel="normalize(" * 6000), lambda: _rkhs.Model("kpca(" * 10**5), lambda: _rkhs.Model("kpca(gram=" * 6000),
    lambda: _rkhs.Model("kpca", x=1), lambda: _rkhs.Model(None), lambda: object.__new__(_rkhs.Model), lambda: _rkhs.patience(float("nan")),
]
METHOD_CALLS = [
    lambda: m.transform(rows, Z, -3, None, None), lambda: m.transform(rows, Z, 2**40, None, None), lambda: m.transform(rows, Z, 1, None, "nowhere"),
    lambda: m.transform(None, Z, 1, None, None), lambda: m.transform(rows, Z[:29], 1, None, None), lambda: m.transform(rows, read_only, 1, None, None),
    lambda: m.transform(rows, np.zeros((30, 2), int), 1, None, None), lambda: m.transform(rows, np.zeros((30, 4))[:, ::2], 1, None, None),
    lambda: m.transform(rows, bytes(480), 1, None, None), lambda: m.transform(labels, Z, 1, None, None),
    lambda: m.transform(("dense", 30, 2, X), Z, 1, None, None), lambda: m.transform(strings, Z, 1, None, None),
    lambda: m.anomaly(None, F, 1, None, None), lambda: m.anomaly(rows, F[:2], 1, None, None), lambda: m.anomaly(ten, F, 1, None, "x"),
    lambda: m.inverse(None, 1, None), lambda: m.inverse(strings, 1, None), lambda: m.inverse(("dense", 30, 1, X), 1, None), lambda: m.inverse(labels, 1, None),
    lambda: m.inverse(("dense", 0, 2, X), 1, None), lambda: few.explain(ten, R, F, 2**62, 1, None), lambda: few.explain(ten, R, F, 2**60, 1, None),
    lambda: few.explain(ten, R, F, -2, 1, None), lambda: few.explain(ten, R, F, 0, 1, None), lambda: few.explain(ten, F, F, 2, 1, None),
    lambda: few.explain(ten, R, F, 3, 1, None), lambda: m.embedding(Z[:3]), lambda: m.embedding(read_only), lambda: m.update(None, None, 0, 1, 0, None),
    lambda: m.update(("dense", 3, 2, X), None, 0, 1, 0, None), lambda: m.save("/nowhere/x"), lambda: m.save("a\0b"),
    *(lambda method=method: method(unfitted) for name, method in METHODS.items() if name not in ("fit", "embedding", "report", "text", "columns")),
]
FUNCTIONS = [
    lambda: gram("linear", None), lambda: gram(None, rows), lambda: gram("linear", rows, out=K[:29]), lambda: gram("linear", rows, strings),
    lambda: gram("linear", labels), lambda: gram("linear", ("index", 3, 3, 30, np.zeros((3, 3), int))), lambda: score(["knn"], rows), lambda: score(("knn",)),
    lambda: score((3,), rows), lambda: score(("knn",), strings), lambda: score(("knn",), rows, None, rows), lambda: score(("trustworthiness",), rows, labels),
    lambda: score(("knn",), rows, None, labels, strings), lambda: score(("knn\0",), rows, None, labels), lambda: _rkhs.score(("knn",), (rows,), None, 0, 1, 0, None),
    lambda: _rkhs.unpack(b""), lambda: _rkhs.unpack(m.pack()[:-9]), lambda: _rkhs.unpack(bytearray(b"PK\3\4" + bytes(1000))), lambda: _rkhs.unpack("x"),
    lambda: _rkhs.unpack(m.pack(), 3), lambda: _rkhs.load("/"), lambda: _rkhs.load("a\0b"),
]
count = 0
for i, attempt in enumerate(SHAPES + DTYPES + SECOND + TEXTS + METHOD_CALLS + FUNCTIONS):
    try:
        attempt()
        print("taken:", i)
    except Exception as why:
        assert str(why), i
        count += 1
_rkhs.unpack(bytearray(m.pack()))
few.explain(ten, F.view(np.int64), F, 2, 1, None)  # one array for both results: nonsense, but within its bounds
print(count, "refused")
