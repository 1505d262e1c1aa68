#!/usr/bin/python3
"""tests/cli/mat/make.py: makes the MAT files beside it, with SciPy.

X is the same in all of them, 6 x 3 and small integers over 4, so that every format holds it to the bit; X.npy has it for comparison.
"""
import pathlib

import numpy as np
import scipy.io
import scipy.sparse

HERE = pathlib.Path(__file__).resolve().parent
X = np.array([[(7 * i + 3 * j * j) % 11 - 4 for j in range(3)] for i in range(6)]) / 4
Y = np.array([[2], [7], [2], [-1], [7], [2]])
SPARSE = np.where(X > 0, X, 0)


def save(name, variables, **options):
    scipy.io.savemat(HERE / name, variables, **options)


np.save(HERE / "X.npy", X)
np.save(HERE / "sparse.npy", SPARSE)
np.save(HERE / "y.npy", Y.ravel())
save("plain.mat", {"X": X})
save("packed.mat", {"X": X, "y": Y}, do_compression=True)
save("v4.mat", {"X": X}, format="4")
save("single.mat", {"fea": X.astype(np.float32), "gnd": Y.astype(np.uint8), "other": np.eye(2)})
save("sparse.mat", {"S": scipy.sparse.csc_matrix(SPARSE)})
save("y.mat", {"labels": Y.T.astype(float)})
save("many.mat", {"A": X, "B": 2 * X, "c": X + 1j, "s": {"a": 1}, "t": "text", "cell": np.array([1, "a"], dtype=object),
                  "three": np.zeros((2, 2, 2)), "none": np.zeros((0, 3))}, do_compression=True)
save("words.mat", {"t": "text", "c": X + 1j})
save("nan.mat", {"X": np.where(X == X[2, 1], np.nan, X)}, do_compression=True)
bad = scipy.sparse.csc_matrix(SPARSE)
bad.data[3] = np.inf
save("inf.mat", {"S": bad}, do_compression=True)
WORDS = ["a cat", "a dog", "", "Z\u00fcrich"]
save("text.mat", {"cells": np.array(WORDS, dtype=object)[:, None], "rows": np.array(WORDS)})
save("classes.mat", {"X": X, "label": np.array(["cat", "dog", "cat", "cow", "dog", "cat"], dtype=object)}, do_compression=True)
