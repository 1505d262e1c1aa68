#!/usr/bin/env python3
"""`pip install .` without a network, in a virtual environment that sees the system's NumPy and scikit-learn."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
USE = "import rkhs, numpy as np; print(rkhs.KernelPCA().fit_transform(np.eye(9)).shape, rkhs.__file__)"


def output_of(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(word) for word in command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


class Pip(unittest.TestCase):
    def test_a_virtual_environment_has_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            venv = pathlib.Path(folder) / "venv"
            output_of(sys.executable, "-m", "venv", "--system-site-packages", venv)
            output_of(venv / "bin" / "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", ROOT)
            shape, place = output_of(venv / "bin" / "python", "-c", USE, cwd=folder).strip().rsplit(" ", 1)
            self.assertEqual(shape, "(9, 2)")
            self.assertTrue(place.startswith(str(venv.resolve())), place)
            files = {path.name for path in pathlib.Path(place).parent.iterdir()}
            self.assertLessEqual({"__init__.pyi", "py.typed", "_rkhs.abi3.so"}, files)
            self.assertIn("rkhs", output_of(venv / "bin" / "pip", "list"))


if __name__ == "__main__":
    unittest.main()
