"""What the tests share: data, the tool, children."""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np

import rkhs

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(rkhs.__file__).resolve().parents[2] / "rkhs"
CLASSES = [getattr(rkhs, name) for name in rkhs.__all__ if isinstance(getattr(rkhs, name), type)
           and hasattr(getattr(rkhs, name), "get_params")]
# Those that descend from a start to one of several minima: the last digit of the input decides which.
DESCENTS = [cls for cls in CLASSES if "start" in cls().get_params()]


def blobs(n=90, p=4, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, p)) + 4 * rng.normal(size=(classes, p))[y], y


def fitted(cls, X, **params):
    """Any estimator, fitted; y is the first column where one is needed."""
    return cls(**params).fit(X, X[:, 0])


def output(estimator, X):
    return estimator.predict(X) if hasattr(estimator, "predict") else estimator.transform(X)


def naming(words):
    """A regular expression for a sentence that names all these words, "start | 90 x 3": each by itself, in any order."""
    return "(?s)^" + "".join(rf"(?=.*(?<![\w.-]){re.escape(word)}(?!\w|[.-]\w))" for word in words.split(" | "))


def child(code, *args, timeout=120, **more):
    """Runs Python code in a process of its own."""
    return subprocess.run([sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, "PYTHONWARNINGS": "default", "PYTHONPATH": str(TOOL.parent / "python")}, **more)
