"""leaks.py BUILD: the extension of a sanitized build under AddressSanitizer: no wrong access, and no leak whose
allocation was made by the extension or the library. Prints 'N passed, N failed'.

The interpreter itself is not built for the sanitizer and leaks at its end, so only stacks that begin in our code count.
"""
import os
import pathlib
import re
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
OURS = re.compile(r"#[0-4] .*(?:_rkhs\.abi3|/python/\w+\.c| rk_| rkhs_)")

WORK = """
import pickle, sys, warnings
import numpy as np, scipy.sparse, rkhs
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
def refuse(*where):
    raise LookupError
for cls in (getattr(rkhs, model["title"]) for model in rkhs.list("models")):
    for x in (X, X.astype(np.float32), scipy.sparse.csr_matrix(np.where(X > 0, X, 0))):
        kernel = "linear" if hasattr(x, "tocsr") else None
        model = cls(kernel=kernel, n_jobs=2).fit(x, X[:, 0])
        apply = model.predict if hasattr(model, "predict") else model.transform
        apply(x)
        again = pickle.loads(pickle.dumps(model))
        if hasattr(model, "inverse_transform"):
            try:
                model.inverse_transform(model.transform(x))
                model.anomaly(x, by="both")
                model.update(x)
            except Exception as why:
                pass
    for bad in (lambda: apply(X[:, :2]), lambda: apply(np.full((2, 5), np.nan)), lambda: cls(kernel="nothing").fit(X, X[:, 0]),
                lambda: cls(verbose=refuse).fit(np.tile(X, (12, 1)), np.tile(X[:, 0], 12)), lambda: rkhs.load("no such file"),
                lambda: rkhs._rkhs.unpack(b"nothing"), lambda: rkhs.gram(X, X[:, :2]), lambda: cls(memory=10).fit(X, X[:, 0]),
                lambda: rkhs._rkhs.Model("kpca").fit(None, ("dense", 60, X), None, None, 0, 1, 0, None),
                lambda: rkhs._rkhs.Model("kpca").fit(None, ("dense", 10**9, 5, X), None, None, 0, 1, 0, None)):
        try:
            bad()
        except Exception:
            continue
        raise AssertionError("nothing was refused")
rkhs.gram(X, X[:3], "2*linear + rbf")
own = lambda x, y: float(x @ y)
model = rkhs.KernelPCA(kernel=own).fit(X)
model.fit(X[:9]).transform(X)
rkhs._rkhs.unpack(model._model.pack(), model._model.__reduce__()[1][1])
for kernel in (refuse, lambda x, y: float("nan"), lambda x, y: "no number"):
    try:
        rkhs.gram(X, kernel=kernel)
    except Exception:
        continue
    raise AssertionError("a wrong kernel was taken")
words = ["one", "two", "three", "", "one two"]
strings = rkhs.KernelPCA().fit(words)
strings.inverse_transform(strings.transform(words))
rkhs.KernelPCA(kernel="ssk(p=2)").fit(rkhs.Bits(np.eye(4, dtype=np.uint8)) and words)
bits = rkhs.KernelPCA().fit(rkhs.Bits(np.packbits(X > 0, axis=1), 5))
bits.inverse_transform(bits.embedding_)
rkhs.score("knn", X, y=["a", "b", "c"] * 20)
if len(sys.argv) > 1:  # shows that a leak is seen
    held = rkhs._rkhs.Model("kpca")
    import ctypes
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))
    ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(held))  # the collector's list would hold it
    del held
import gc
del model, again, strings, bits, apply
gc.collect()
left = sum(type(thing) is rkhs._rkhs.Model for thing in gc.get_objects())
print("done" if left == 0 else f"{left} models are left")
"""


def run(*args):
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    return subprocess.run([sys.executable, "-c", WORK, *args], capture_output=True, text=True, timeout=600, env={
        **os.environ, "LD_PRELOAD": library, "PYTHONMALLOC": "malloc", "PYTHONPATH": str(BUILD / "python"),
        "ASAN_OPTIONS": "detect_leaks=1:exitcode=99:halt_on_error=1", "OPENBLAS_NUM_THREADS": "1"})


def our_leaks(printed):
    return [block for block in re.split(r"\n\n", printed) if "leak of" in block and OURS.search(block)]


passed = failed = 0
done = run()
wrong = "ERROR: AddressSanitizer" in done.stderr or "runtime error" in done.stderr or "done" not in done.stdout
for name, bad, shown in [("no wrong access", wrong, done.stdout + done.stderr[:6000]),
                         ("nothing leaks", bool(our_leaks(done.stderr)), "\n\n".join(our_leaks(done.stderr)[:3])),
                         ("a leak is seen", not our_leaks(run("leak").stderr), "the leak made on purpose was not reported")]:
    print(("not ok " if bad else "ok ") + name)
    if bad:
        print(shown)
    passed, failed = passed + (not bad), failed + bad
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
