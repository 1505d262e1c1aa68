"""While it runs: Ctrl-C, progress, threads, forks, BLAS threads, leaks."""
import concurrent.futures
import contextlib
import ctypes
import gc
import io
import multiprocessing
import os
import pty
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
import warnings

import joblib
import numpy as np

import rkhs
from common import CLASSES, DESCENTS, blobs, child, fitted, output

warnings.simplefilter("ignore", rkhs.Advice)

# Ctrl-C means what it means in a terminal: what runs in a shell's background is told to ignore it.
HEEDS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
INTERRUPTED = HEEDS + """
import os, sys, threading, time
import numpy as np, rkhs
X = np.random.default_rng(0).normal(size=(3000, 50))
model = rkhs.KernelPCA(50, kernel="rbf(sigma=1)", solver="lanczos(max_iter=100000, tol=1e-15)")
model.fit(X[:50, :2])
sent = []
def seen(stage, done, total):
    if not sent:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
model.verbose = seen
try:
    model.fit(X)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0], model.n_features_in_, len(model.embedding_))
"""

# How many remarks name the variable, in each of two fits that need LAPACK.
SLOW = """
import warnings
import numpy as np, rkhs
X = np.random.default_rng(0).normal(size=(1000, 3))
for _ in range(2):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rkhs.KernelPCA(2, kernel="rbf(sigma=1)", solver="dense").fit(X)
    print(sum("OPENBLAS_CORETYPE" in str(w.message) for w in caught), sum("NumPy" in str(w.message) for w in caught))
"""

# Says when it begins, and how it ended; without scikit-learn, which takes half a second to begin.
KILLED = HEEDS + """
import numpy as np
from rkhs import _rkhs
X = np.random.default_rng(0).normal(size=(3000, 50))
model = _rkhs.Model("kpca(dim=50, solver=lanczos(max_iter=100000, tol=1e-15))")
print("begins", flush=True)
try:
    while True:
        model.fit("rbf(sigma=1)", ("dense", 3000, 50, X), None, None, 0, 0, 0, None)
except KeyboardInterrupt:
    print("interrupted")
"""


def fit_in_child(seed):
    X, _ = blobs(600, seed=seed)
    return rkhs.KernelPCA().fit(X).transform(X[:3])


class Running(unittest.TestCase):
    def test_interrupt_ends_a_fit_and_leaves_the_estimator_as_it_was(self):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        seconds, features, objects = done.stdout.split()
        self.assertEqual((features, objects), ("2", "50"))
        print(f"(interrupted after {float(seconds):.2f} s)", end=" ")

    def test_interrupt_from_outside_without_a_callback(self):
        child = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "begins\n")
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=100)
        self.assertEqual((rest, child.returncode), ("interrupted\n", 0))

    def test_a_callback_sees_stages_and_its_exception_comes_through(self):
        X, _ = blobs(700)
        seen = []
        rkhs.KernelPCA(verbose=lambda *where: seen.append(where)).fit(X)
        self.assertIn("gram", {stage for stage, _, _ in seen})
        self.assertTrue(all(0 <= done <= total or total == 0 for _, done, total in seen))

        def refuse(*where):
            raise LookupError("enough")
        model = rkhs.KernelPCA(verbose=refuse)
        with self.assertRaisesRegex(LookupError, "enough"):
            model.fit(X)
        self.assertFalse(hasattr(model, "kernel_"))

    def test_verbose_shows_stages(self):
        X, _ = blobs(700)
        calls = {"fit": lambda: rkhs.KernelPCA(verbose=1).fit(X), "gram": lambda: rkhs.gram(X, verbose=1)}
        for name, call in calls.items():
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                call()
            self.assertIn("rkhs: gram\n", said.getvalue(), name)

    def test_verbose_draws_a_bar_on_a_terminal_and_wipes_it_out(self):
        code = "import numpy as np, rkhs; rkhs.gram(np.random.default_rng(0).normal(size=(700, 3)), verbose=1)"
        ours, theirs = pty.openpty()
        child = subprocess.Popen([sys.executable, "-c", code], stderr=theirs)
        os.close(theirs)
        drawn = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            drawn += part
        os.close(ours)
        self.assertEqual(child.wait(), 0)
        self.assertRegex(drawn, rb"\rgram +\[[#.]{30}\]")
        self.assertRegex(drawn, rb"\r +\r$")

    def test_many_threads_on_one_estimator_and_on_their_own(self):
        X, _ = blobs(300)
        shared = rkhs.KernelPCA().fit(X)
        Z = shared.transform(X)

        def work(i):
            mine = rkhs.KernelPCA(n_jobs=1 + i % 2).fit(X)
            return np.array_equal(mine.transform(X), Z) and np.array_equal(shared.transform(X), Z)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(work, range(16))))

    def test_other_threads_run_during_a_fit(self):
        X = np.random.default_rng(0).normal(size=(3000, 40))
        ticks, over = [0], threading.Event()

        def tick():
            while not over.is_set():
                ticks[0] += 1
                time.sleep(0.001)
        other = threading.Thread(target=tick)
        other.start()
        before = ticks[0]
        rkhs.KernelPCA(10).fit(X)
        during = ticks[0] - before
        over.set()
        other.join()
        self.assertGreater(during, 5)

    def test_after_fork(self):
        here = [fit_in_child(seed) for seed in range(4)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            there = pool.map(fit_in_child, range(4))
        for a, b in zip(here, there):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(joblib.Parallel(2)(joblib.delayed(fit_in_child)(s) for s in range(4)), here)

    def test_numpys_blas_threads_are_as_before(self):
        library = next((line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line and ".so" in line), None)
        if library is None:
            self.skipTest("NumPy has another BLAS here")
        count = ctypes.CDLL(library).openblas_get_num_threads
        before = count()
        X, _ = blobs(600)
        rkhs.KernelPCA().fit(X).transform(X)
        self.assertEqual(count(), before)
        with self.assertRaises(rkhs.Error):
            rkhs.KernelPCA(10**6).fit(X)
        self.assertEqual(count(), before)

    def test_slow_kernels_of_blas_are_named_and_numpy_once(self):
        with open("/proc/cpuinfo") as cpu, open("/proc/self/maps") as maps:
            if "avx2" not in cpu.read() or "openblas" not in maps.read():
                self.skipTest("no AVX2, or not OpenBLAS")
        for core, expected in ("Prescott", ["2 1", "1 0"]), ("Haswell", ["0 0", "0 0"]):
            with unittest.mock.patch.dict(os.environ, OPENBLAS_CORETYPE=core):
                done = child(SLOW)
            self.assertEqual(done.stdout.splitlines(), expected, done.stderr)

    def test_repeated_fits_do_not_grow(self):
        """Counted by the C library's own allocator, to the byte, where it can: a leaked Gram is 80 kB, a leaked name some bytes."""
        if not hasattr(ctypes.CDLL(None), "mallinfo2"):
            self.skipTest("the C library has no mallinfo2")
        X, _ = blobs(100, 20)

        def round_trip(cls):
            few = {"solver": "lbfgs(max_iter=3)"} if cls in DESCENTS else {}  # what is left behind is left by every fit
            model = fitted(cls, X, n_jobs=2, **few)
            output(model, X)
            for bad in (np.full((2, 20), np.nan), X[:, :3]):
                try:
                    output(model, bad)
                except ValueError:
                    pass
        gc.freeze()  # what is there already need not be looked at
        self.addCleanup(gc.unfreeze)
        for cls in CLASSES:
            grown = []
            for _ in range(8):
                before = in_use()
                round_trip(cls)
                gc.collect()
                grown.append(in_use() - before)
            self.assertLess(sorted(grown)[4], 500, f"{cls.__name__}: {grown}")

    def test_an_estimator_at_rest_holds_no_threads(self):
        X, _ = blobs(600)
        rkhs.KernelPCA(n_jobs=2).fit(X)  # the BLAS may start threads of its own, once
        before = len(os.listdir("/proc/self/task"))
        models = [rkhs.KernelPCA(n_jobs=2).fit(X) for _ in range(5)]
        self.assertLessEqual(len(os.listdir("/proc/self/task")), before, models)

    def test_a_float64_matrix_is_not_copied(self):
        X = np.random.default_rng(0).normal(size=(40000, 100))  # 32 MB
        model = rkhs.KernelPCA(kernel="linear").fit(X[:100])
        try:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")  # the peak begins anew
        except OSError as why:
            self.skipTest(f"the peak of memory cannot be reset here: {why}")
        before = memory_line("VmRSS")
        model.transform(X)
        self.assertLess(memory_line("VmHWM") - before, 15000)


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def in_use():
    """Bytes that the C library's allocator has given out."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = Mallinfo
    found = mallinfo2()
    return found.uordblks + found.hblkhd


def memory_line(name):
    """A number of kB in /proc/self/status."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


if __name__ == "__main__":
    unittest.main()
