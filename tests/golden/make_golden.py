#!/usr/bin/python3
"""Writes tests/golden/data: what scikit-learn says of kernels and of kernel PCA, for test_golden.c to compare with.

Run by hand with Debian's python3-sklearn (made with scikit-learn 1.2.1 and NumPy 1.24.2); the files are part of the project.
Signs of components are arbitrary; here, as in the library, the entry of largest size is positive, the first on ties.
"""
import pathlib

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import cosine_similarity, laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
TRAIN, NEW, COLUMNS, DIM = 60, 15, 5, 4
KERNELS = {
    "linear": linear_kernel,
    "rbf": lambda a, b: rbf_kernel(a, b, gamma=0.15),
    "poly": lambda a, b: polynomial_kernel(a, b, degree=3, gamma=0.2, coef0=1),
    "cosine": cosine_similarity,
    "laplacian": lambda a, b: laplacian_kernel(a, b, gamma=0.3),
}


def save(name, array):
    np.save(FOLDER / f"{name}.npy", np.ascontiguousarray(array, dtype=np.float64))


def save_kpca(name, train, new):
    """Scores, eigenvalues and the scores of new rows, from k(train, train) and k(new, train)."""
    model = KernelPCA(n_components=DIM, kernel="precomputed", eigen_solver="dense")
    scores = model.fit_transform(train)
    fresh = model.transform(new)
    at = np.argmax(np.abs(scores), axis=0)
    signs = np.where(scores[at, np.arange(DIM)] < 0, -1.0, 1.0)
    save(f"{name}_scores", scores * signs)
    save(f"{name}_new", fresh * signs)
    save(f"{name}_eigenvalues", model.eigenvalues_[None, :])


def check_direct(name, x, y, **options):
    """The same through scikit-learn's own kernel, so that what is compared with is its KernelPCA as people call it."""
    direct = KernelPCA(n_components=DIM, eigen_solver="dense", **options)
    for saved, values in ((f"{name}_scores", direct.fit_transform(x)), (f"{name}_new", direct.transform(y))):
        assert np.allclose(np.abs(np.load(FOLDER / f"{saved}.npy")), np.abs(values), atol=1e-10), saved


def main():
    FOLDER.mkdir(exist_ok=True)
    random = np.random.RandomState(2)
    x = random.normal(size=(TRAIN, COLUMNS)) * [1, 2, 0.5, 1, 1.5] + [0, 1, 0, -0.5, 2]
    y = random.normal(size=(NEW, COLUMNS)) * [1, 2, 0.5, 1, 1.5] + [0, 1, 0, -0.5, 2]
    save("x", x)
    save("y", y)
    for name, kernel in KERNELS.items():
        save(f"{name}_kernel", kernel(y, x))
        save_kpca(name, kernel(x, x), kernel(y, x))
    save("laplacian_train", laplacian_kernel(x, x, gamma=0.3))
    check_direct("linear", x, y, kernel="linear")
    check_direct("rbf", x, y, kernel="rbf", gamma=0.15)
    check_direct("poly", x, y, kernel="poly", degree=3, gamma=0.2, coef0=1)
    check_direct("cosine", x, y, kernel="cosine")


if __name__ == "__main__":
    main()
