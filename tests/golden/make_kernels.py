#!/usr/bin/python3
"""Writes data/kernel_*.npy: what scikit-learn says of more kernels on vectors, for test_kernels_golden.c to compare with.

Run by hand with Debian's python3-sklearn (made with scikit-learn 1.2.1 and NumPy 1.24.2); the files are part of the project.
Rows are those of make_golden.py; for counts their absolute values, rounded down, so that many are 0.
"""
import pathlib

import numpy as np
from sklearn.gaussian_process.kernels import Matern, RationalQuadratic
from sklearn.metrics.pairwise import additive_chi2_kernel, chi2_kernel, laplacian_kernel, polynomial_kernel, sigmoid_kernel

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
SIGNED = {
    "sigmoid": lambda a, b: sigmoid_kernel(a, b, gamma=0.1, coef0=-0.5),
    "matern_0.5": Matern(length_scale=1.7, nu=0.5),
    "matern_1.5": Matern(length_scale=1.7, nu=1.5),
    "matern_2.5": Matern(length_scale=1.7, nu=2.5),
    "rq": RationalQuadratic(length_scale=1.7, alpha=0.6),
    "cauchy": RationalQuadratic(length_scale=1.7 / 2**0.5, alpha=1),
    "laplacian": lambda a, b: laplacian_kernel(a, b, gamma=0.7),
    "poly": lambda a, b: polynomial_kernel(a, b, degree=5, gamma=0.05, coef0=0.3),
}
COUNTS = {
    "chi2": lambda a, b: chi2_kernel(a, b, gamma=0.4),
    "additive": additive_chi2_kernel,
    "intersection": lambda a, b: np.minimum(a[:, None, :], b[None, :, :]).sum(axis=2),
    "minmax": lambda a, b: np.minimum(a[:, None, :], b[None, :, :]).sum(axis=2) / np.maximum(a[:, None, :], b[None, :, :]).sum(axis=2),
}


def main():
    x, y = np.load(FOLDER / "x.npy"), np.load(FOLDER / "y.npy")
    for name, kernel in SIGNED.items():
        np.save(FOLDER / f"kernel_{name}.npy", np.ascontiguousarray(kernel(y, x)))
    x, y = np.floor(2 * np.abs(x)), np.floor(2 * np.abs(y))
    np.save(FOLDER / "kernel_counts_x.npy", x)
    np.save(FOLDER / "kernel_counts_y.npy", y)
    for name, kernel in COUNTS.items():
        np.save(FOLDER / f"kernel_{name}.npy", np.ascontiguousarray(kernel(y, x)))


if __name__ == "__main__":
    main()
