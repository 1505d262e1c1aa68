"""Hostile hosts: models used from several threads and from their own callbacks, buffers that are not what is said, forks, the
interpreter's end. Whatever could crash runs in a process of its own."""
import array
import gc
import pathlib
import tempfile
import unittest
import weakref

import numpy as np

import rkhs
from common import child
from rkhs import _rkhs

X = np.random.default_rng(0).random((700, 3))
START = """
import faulthandler, os, signal, sys, threading, time
faulthandler.enable()
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, rkhs
from rkhs import _rkhs
X = np.random.default_rng(0).random((3000, 3))
Z, R, F = np.zeros((3000, 2)), np.zeros((10, 4), np.int64), np.zeros((10, 4))
ten = ("dense", 10, 3, X)

def fit(m, n=700, kernel="rbf(gamma=1)", progress=None):
    return m.fit(kernel, ("dense", n, 3, X), None, None, 0, 1, 0, progress)

def linear(a, b, out):
    np.frombuffer(out).reshape(a[0], b[0])[:] = np.frombuffer(a[2]).reshape(a[0], -1) @ np.frombuffer(b[2]).reshape(b[0], -1).T

def interrupt_after(seconds):
    def send():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send, daemon=True).start()

m = _rkhs.Model("kpca")
fit(m, 300)
METHODS = {
    "fit": lambda m: fit(m, 20), "update": lambda m: m.update(ten, None, 0, 1, 0, None), "transform": lambda m: m.transform(ten, Z, 1, None, None),
    "anomaly": lambda m: m.anomaly(ten, F, 1, None, None), "inverse": lambda m: m.inverse(("dense", 10, 2, X), 1, None),
    "explain": lambda m: m.explain(ten, R, F, 2, 1, None), "embedding": lambda m: m.embedding(), "report": lambda m: m.report(),
    "text": lambda m: m.text(), "columns": lambda m: m.columns(), "pack": lambda m: m.pack(), "save": lambda m: m.save("never.rkhs"), "__reduce__": lambda m: m.__reduce__(),
}
assert {*METHODS} == {name for name in dir(_rkhs.Model) if name[0] != "_"} | {"__reduce__"}
"""


def run(code, **more):
    return child(START + code, **more)


class Lines(unittest.TestCase):
    def prints(self, code, expected, **more):
        done = run(code, **more)
        self.assertEqual((done.stdout.strip().splitlines(), done.returncode), (expected, 0), done.stderr)
        return done


class Gate(Lines):
    """One call at a time on a model: others wait, and what would wait for ever raises."""

    def test_an_embedding_is_read_while_another_thread_fits(self):
        self.prints("""
sys.setswitchinterval(1e-4)
m, N, over, fits = _rkhs.Model("kpca(dim=8, gram=nystrom(landmarks=10))"), 20000, False, 0
X = np.random.default_rng(0).random((N, 3))
def work():
    global fits
    while not over:
        for n in (N, 20):
            fit(m, n)
            fits += 1
fit(m, N)
threading.Thread(target=work, daemon=True).start()
out, sizes, end = np.zeros(N * 8), set(), time.monotonic() + 0.5
while time.monotonic() < end or len(sizes) < 2:
    sizes.add(m.embedding(out))
over = True
print(sorted(sizes))
""", ["[(20, 8), (20000, 8)]"])

    def test_every_method_raises_in_a_callback_of_its_own_model(self):
        self.prints("""
def each(*unused):
    for name, method in METHODS.items():
        try:
            print(name, method(m))
        except rkhs.BusyError as why:
            assert "model that calls it" in str(why)
    raise LookupError("seen")
def block(a, b, out):
    each()
for call in (lambda: fit(m, 3000, progress=each), lambda: fit(m, 30, ("python", block)),
             lambda: m.transform(("dense", 3000, 3, X), Z, 1, each, None)):
    try:
        call()
    except LookupError as why:
        print(why)
print(m.embedding())
""", ["seen", "seen", "seen", "(300, 2)"])

    def test_a_callback_that_waits_for_its_own_model_in_another_thread_is_told(self):
        self.prints("""
before = _rkhs.patience(0.3)
told = []
def ask():
    try:
        m.text()
    except rkhs.BusyError as why:
        told.append(str(why))
def wait(*unused):
    if not told:
        other = threading.Thread(target=ask)
        other.start()
        other.join()
def block(a, b, out):
    wait()
    linear(a, b, out)
fit(m, progress=wait)
first, told = told, []
fit(m, 30, ("python", block))
print(before, len(first), len(told), "must not wait for the model that calls it" in first[0])
""", ["10.0 1 1 True"])

    def test_an_interrupt_ends_every_wait(self):
        self.prints("""
def wait(*unused):
    threading.Thread(target=m.text, daemon=True).start()
    print("waits", flush=True)
    interrupt_after(0.3)
    while True:
        time.sleep(9)
try:
    fit(m, progress=wait)  # a callback that never returns
except KeyboardInterrupt:
    print("interrupted", m.embedding())
held = threading.Event()
def hold(*unused):
    held.set()
    time.sleep(2)
threading.Thread(target=fit, args=(m, 700, "rbf(gamma=1)", hold), daemon=True).start()
held.wait()
interrupt_after(0.3)
try:
    m.transform(ten, Z, 1, None, None)  # a wait for another thread
except KeyboardInterrupt:
    print("interrupted")
""", ["waits", "interrupted (300, 2)", "interrupted"])

    def test_a_callback_may_use_other_models_and_drop_its_own(self):
        self.prints("""
other = _rkhs.Model("kpca")
def use(*unused):
    global m
    m = None
    fit(other, 20)
fit(m, progress=use)
print(other.embedding())
""", ["(20, 2)"])

    def test_what_a_callback_raises_first_comes_through(self):
        def raise_first(*unused):
            raise KeyboardInterrupt("first")
        for call in (lambda: rkhs.KernelPCA(verbose=raise_first).fit(X), lambda: rkhs.gram(X, verbose=raise_first),
                     lambda: rkhs.gram(X[:9], kernel=raise_first),
                     lambda: rkhs.score("trustworthiness", X, X, verbose=raise_first)):
            with self.assertRaisesRegex(KeyboardInterrupt, "first"):
                call()


class Functions(Lines):
    """Kernel functions get rows, columns and a bytearray to fill."""

    def test_what_they_are_given_cannot_be_resized(self):
        self.prints("""
def shrink(a, b, out):
    del out[:]
try:
    _rkhs.gram(("python", shrink), ("dense", 300, 3, X), None, np.zeros((300, 300)), 0, 2, 0, None)
except BufferError as why:
    print("resized" in str(why) or "re-sized" in str(why))
def rows_too(a, b, out):
    linear(a, b, out)
    if a is not b:
        del a[2][:], b[2][:]
K = np.zeros((300, 300))
_rkhs.gram(("python", rows_too), ("dense", 300, 3, X), None, K, 0, 2, 0, None)
print(np.allclose(K, X[:300] @ X[:300].T))
""", ["True", "True"])

    def test_a_value_that_is_left_out_is_an_error(self):
        def leave(a, b, out):
            values = np.frombuffer(out).reshape(a[0], b[0])
            values[:] = 1
            values[4, 2] = np.nan
        for block, place in ((lambda a, b, out: None, "row 1 of the one and row 1 of the other"),
                             (leave, "row 5 of the one and row 3 of the other")):
            with self.assertRaisesRegex(rkhs.NumericError, place):
                _rkhs.gram(("python", block), ("dense", 9, 3, X), None, np.zeros((9, 9)), 0, 2, 0, None)

    def test_a_fit_that_fails_leaves_the_function_of_the_one_before(self):
        def product(a, b, out):
            np.frombuffer(out).reshape(a[0], b[0])[:] = (np.frombuffer(a[2]).reshape(-1, 3) @ np.frombuffer(b[2]).reshape(-1, 3).T)

        def broken(a, b, out):
            raise LookupError
        model, out, again = _rkhs.Model("kpca"), np.zeros((9, 2)), np.zeros((9, 2))
        nine = ("dense", 9, 3, X)
        with self.assertRaises(LookupError):
            model.fit(("python", broken), nine, None, None, 0, 1, 0, None)
        model.fit(("python", product), nine, None, None, 0, 1, 0, None)
        model.transform(nine, out, 1, None, None)
        with self.assertRaises(LookupError):
            model.fit(("python", broken), nine, None, None, 0, 1, 0, None)
        model.transform(nine, again, 1, None, None)
        np.testing.assert_array_equal(out, again)

    def test_a_function_that_refers_to_its_model_is_collected_with_it(self):
        class Kernel:
            def __call__(self, x, y):
                return float(x @ y)
        kernel = Kernel()
        kernel.model = rkhs.KernelPCA(kernel=kernel).fit(X[:20])
        gone = weakref.ref(kernel)
        del kernel
        gc.collect()
        self.assertIsNone(gone())


class Buffers(Lines):
    def test_arrays_are_held_during_a_call(self):
        numbers = array.array("d", X.ravel())
        tried = []

        def grow(*unused):
            for change in (lambda: numbers.append(1), lambda: out.extend(b"x" * 10**6)):
                with self.assertRaises(BufferError):
                    change()
            tried.append(1)
        out = bytearray(700 * 700 * 8)
        _rkhs.gram("linear", ("dense", 700, 3, numbers), None, memoryview(out).cast("d"), 0, 1, 0, grow)
        numbers.append(1)
        self.assertTrue(tried)

    def test_whatever_is_not_what_is_said_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run((pathlib.Path(__file__).parent / "refusals.py").read_text(), cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout[-300:] + done.stderr)
        self.assertNotIn("taken:", done.stdout)
        self.assertRegex(done.stdout, r"\d{3} refused\n$")

    def test_big_endian_and_unaligned_arrays_give_the_same_numbers(self):
        Z = rkhs.KernelPCA().fit(X[:50]).embedding_
        odd = np.frombuffer(b"x" + X[:50].tobytes(), np.uint8)[1:].view(np.float64).reshape(50, 3)
        self.assertFalse(odd.flags.aligned)
        for other in (X[:50].astype(">f8"), odd):
            np.testing.assert_array_equal(rkhs.KernelPCA().fit(other).embedding_, Z)
            np.testing.assert_array_equal(rkhs.gram(other), rkhs.gram(X[:50]))
            np.testing.assert_array_equal(rkhs.gram(other.reshape(50, 3, 1)), rkhs.gram(X[:50]))

    def test_damaged_pickles_are_refused(self):
        good = rkhs.KernelPCA().fit(X[:20])._model.pack()
        rng = np.random.default_rng(0)
        for _ in range(200):
            bad = bytearray(good)
            bad[rng.integers(len(bad))] ^= 1 << rng.integers(8)
            with self.assertRaises(rkhs.FormatError):
                _rkhs.unpack(bad)
            with self.assertRaises(rkhs.FormatError):
                _rkhs.unpack(good[:rng.integers(len(good))])


class Processes(Lines):
    def test_a_process_forked_while_a_model_is_in_use_is_told(self):
        self.prints("""
held, leave = threading.Event(), threading.Event()
def hold(*unused):
    held.set()
    leave.wait()
other = threading.Thread(target=fit, args=(m, 700, "rbf(gamma=1)", hold))
other.start()
held.wait()
if os.fork() == 0:
    told = 0
    for method in METHODS.values():
        try:
            method(m)
        except rkhs.BusyError as why:
            told += "forked" in str(why)
    del m
    fresh = _rkhs.Model("kpca")
    fit(fresh, 20)
    os._exit(told)
print(os.waitstatus_to_exitcode(os.wait()[1]) == len(METHODS))
leave.set()
other.join()
print(m.embedding())
""", ["True", "(700, 2)"])

    def test_the_interpreter_ends_while_daemon_threads_compute(self):
        for kernel, progress in (('"rbf(gamma=1)"', "None"), ('("python", linear)', "lambda *where: None")):
            done = self.prints(f"""
def work():
    while True:
        _rkhs.Model("tke").fit({kernel}, ("dense", 3000, 3, X), None, None, 0, 2, 0, {progress})
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print("ends")
""", ["ends"])
            self.assertEqual(done.stderr, "")

    def test_functions_that_run_at_exit_can_use_models(self):
        done = child("import atexit\nwork = []\natexit.register(lambda: work[0]())\nimport numpy as np, rkhs\n"  # ours is called first
                     "work.append(lambda: print(rkhs.gram(np.eye(700), kernel='linear', verbose=lambda *where: None).sum()))")
        self.assertEqual((done.stdout, done.returncode), ("700.0\n", 0), done.stderr)


if __name__ == "__main__":
    unittest.main()
