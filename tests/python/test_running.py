"""While it runs: Ctrl-C, progress, threads, forks, BLAS threads, leaks."""
import concurrent.futures
import ctypes
import gc
import multiprocessing
import os
import pty
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import joblib
import numpy as np

import rkhs
from common import CLASSES, DESCENTS, blobs, fitted, output

warnings.simplefilter("ignore", rkhs.Advice)

# Ctrl-C means what it means in a terminal: what runs in a shell's background is told to ignore it.
HEEDS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
INTERRUPTED = HEEDS + """
import os, sys, threading, time
import numpy as np, rkhs
X = np.random.default_rng(0).normal(size=(9000, 300))
model = rkhs.KernelPCA(50, kernel="rbf(sigma=1)", solver="lanczos(iter=100000, tol=1e-15)")
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
    print(time.monotonic() - sent[0], "_model" in vars(model), hasattr(model, "kernel_"))
"""

# Says when it begins, and how it ended.
KILLED = HEEDS + """
import numpy as np, rkhs
X = np.random.default_rng(0).normal(size=(9000, 300))
model = rkhs.KernelPCA(50, kernel="rbf(sigma=1)", solver="lanczos(iter=100000, tol=1e-15)")
print("begins", flush=True)
try:
    model.fit(X)
except KeyboardInterrupt:
    print("interrupted", hasattr(model, "kernel_"))
"""


def fit_in_child(seed):
    X, _ = blobs(600, seed=seed)
    return rkhs.KernelPCA().fit(X).transform(X[:3])


class Running(unittest.TestCase):
    def test_interrupt_ends_a_fit_and_leaves_the_estimator_unfitted(self):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        seconds, model, kernel = done.stdout.split()
        self.assertEqual((model, kernel), ("False", "False"))
        print(f"(interrupted after {float(seconds):.2f} s)", end=" ")

    def test_interrupt_from_outside_without_a_callback(self):
        child = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "begins\n")
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=100)
        self.assertEqual((rest, child.returncode), ("interrupted False\n", 0))

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
        code = "import numpy as np, rkhs; rkhs.KernelPCA(verbose=1).fit(np.random.default_rng(0).normal(size=(700, 3)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("rkhs: gram", done.stderr)

    def test_verbose_draws_a_bar_on_a_terminal_and_wipes_it_out(self):
        code = "import numpy as np, rkhs; rkhs.KernelPCA(verbose=1).fit(np.random.default_rng(0).normal(size=(700, 3)))"
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
        X, _ = blobs(400)
        shared = rkhs.KernelPCA().fit(X)
        Z = shared.transform(X)

        def work(i):
            mine = rkhs.KernelPCA(n_jobs=1 + i % 2).fit(X)
            return np.array_equal(mine.transform(X), Z) and np.array_equal(shared.transform(X), Z)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(work, range(48))))

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

    def test_repeated_fits_do_not_grow(self):
        X, _ = blobs(150, 20)  # 30 Grams of it are more than what is allowed

        def round_trip():
            for cls in CLASSES:
                few = {"solver": "lbfgs(iter=3)"} if cls in DESCENTS else {}  # what is left behind is left by every fit
                model = fitted(cls, X, n_jobs=2, **few)
                output(model, X)
                for bad in (np.full((2, 20), np.nan), X[:, :3]):
                    try:
                        output(model, bad)
                    except ValueError:
                        pass
            gc.collect()
        for _ in range(10):
            round_trip()
        before = resident()
        for _ in range(30):
            round_trip()
        self.assertLess(resident() - before, 4e6)

    def test_an_estimator_at_rest_holds_no_threads(self):
        X, _ = blobs(600)
        rkhs.KernelPCA(n_jobs=2).fit(X)  # the BLAS may start threads of its own, once
        before = len(os.listdir("/proc/self/task"))
        models = [rkhs.KernelPCA(n_jobs=2).fit(X) for _ in range(5)]
        self.assertLessEqual(len(os.listdir("/proc/self/task")), before, models)

    def test_a_float64_matrix_is_not_copied(self):
        code = ("import sys, resource, numpy as np, rkhs; rkhs.KernelPCA\n"
                "X = np.random.default_rng(0).normal(size=(20000, 500)); model = rkhs.KernelPCA(kernel='linear').fit(X[:100])\n"
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
                "model.transform(X); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertLess(int(done.stdout), 30000, done.stderr)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    unittest.main()
