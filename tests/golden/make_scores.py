#!/usr/bin/python3
"""Writes tests/golden/data/scores.txt and its data: every score by scikit-learn, or by its definition where scikit-learn has none or leaves ties
open, for test_scores_golden.c.

Run by hand with Debian's python3-sklearn (made with scikit-learn 1.2.1); the files are part of the project. Objects and embedding are small whole
numbers, so that many distances are equal and some rows too: ties go to the earlier row. A line is SET, SPEC and VALUE: `rows` scores the 60 rows,
`new` the 20 new ones against them, `kernel` the 60 with distances of (<x,y>/4 + 1)^2.
"""
import pathlib

import numpy as np
from sklearn import metrics
from sklearn.svm import SVC, NuSVC

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
RANKS = ["trustworthiness", "continuity", "continuity_ke", "mrre", "qnx", "rnx", "lcmc"]
N, NEW = 60, 20


def squares(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(-1)


def ranks(D, itself):
    """The place of each column in its row, from 1, ties by index; 0 for the row itself."""
    R = np.zeros(D.shape, int)
    for i, row in enumerate(D):
        others = [j for j in np.argsort(row, kind="stable") if not (itself and i == j)]
        R[i, others] = np.arange(1, len(others) + 1)
    return R


def by_ranks(k, DX, DZ, itself):
    """All scores by ranks, as their papers have them."""
    r, s = ranks(DX, itself), ranks(DZ, itself)
    rows, others, there = len(r), r.shape[1] - itself, r > 0
    c = 2 / (rows * k * (2 * others - 3 * k + 1))
    near_x, near_z = there & (r <= k), there & (s <= k)
    qnx = (near_x & near_z).sum() / (rows * k)
    worst = rows * sum(abs(others + 1 - 2 * q) / q for q in range(1, k + 1))
    return dict(
        trustworthiness=1 - c * (r - k)[near_z & (r > k)].sum(), continuity=1 - c * (s - k)[near_x & (s > k)].sum(),
        continuity_ke=1 - c * ((s - k + 1) ** 2)[near_x & (s > k)].sum(), mrre=(np.abs(r - s)[near_z] / s[near_z]).sum() / worst,
        qnx=qnx, rnx=(others * qnx - k) / (others - k), lcmc=qnx - k / others)


def knn(k, D, y, of, itself):
    """The share of rows whose k nearest vote for their class; a draw goes to the first class."""
    D = D.astype(float)
    if itself:
        np.fill_diagonal(D, np.inf)
    guess = [np.bincount(y[np.argsort(row, kind="stable")[:k]]).argmax() for row in D]
    return np.mean(np.array(guess) == of)


def machine(model, K, y, folds):
    """Accuracy over folds that are dealt in turn, class after class."""
    fold = np.empty(len(y), int)
    fold[np.argsort(y, kind="stable")] = np.arange(len(y)) % folds
    parts = []
    for f in range(folds):
        a, b = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        parts.append((model.fit(K[np.ix_(a, a)], y[a]).predict(K[np.ix_(b, a)]) == y[b]).mean())
    return np.mean(parts)


def reconstruction(Z, X, new=None):
    """What a ridge regression on the codes misses: leaving one out, or of new rows; width and ridge are those that leave out best."""
    mean, D = X.mean(0), squares(Z, Z)
    base, best = np.median(np.sqrt(D[np.triu_indices(len(Z), 1)])), (np.inf,)
    for width in (0.0625, 0.125, 0.25, 0.5, 1, 2):
        for ridge in (1e-8, 1e-6, 1e-4, 1e-2, 1e-1):
            A = np.linalg.inv(np.exp(-D / (2 * (base * width) ** 2)) + ridge * np.eye(len(Z)))
            best = min(best, (((A @ (X - mean) / np.diag(A)[:, None]) ** 2).sum(), base * width, ridge))
    if new is None:
        return best[0] / ((X - mean) ** 2).sum()
    kernel = lambda a, b: np.exp(-squares(a, b) / (2 * best[1] ** 2))
    C = np.linalg.solve(kernel(Z, Z) + best[2] * np.eye(len(Z)), X - mean)
    return ((new[1] - mean - kernel(new[0], Z) @ C) ** 2).sum() / ((new[1] - mean) ** 2).sum()


def entropy(Z, K=None):
    l = np.linalg.eigvalsh(np.cov(Z.T))
    even = -(l / l.sum() * np.log(l / l.sum())).sum() / np.log(len(l))
    return even if K is None else even * min(1, l.sum() * (len(K) - 1) / (np.trace(K) - K.mean() * len(K)))


def main():
    g = np.random.RandomState(3)
    y = np.minimum(np.arange(N + NEW) % 4, 2)
    X = np.rint(2 * g.normal(size=(N + NEW, 4)) + 3 * g.normal(size=(3, 4))[y])
    Z = np.rint(X[:, :2] + 0.7 * g.normal(size=(N + NEW, 2)))
    Z[9], X[19] = Z[8], X[18]
    x, z, new_x, new_z = X[:N], Z[:N], X[N:], Z[N:]
    K, H, L = (x @ x.T / 4 + 1) ** 2, np.eye(N) - 1 / N, z @ z.T
    lines = []
    for k in (1, 7, 29):
        every = [("rows", by_ranks(k, squares(x, x), squares(z, z), True))]
        every.append(("kernel", by_ranks(k, np.diag(K)[:, None] + np.diag(K)[None] - 2 * K, squares(z, z), True)))
        if k < NEW:
            every.append(("new", by_ranks(k, squares(new_x, x), squares(new_z, z), False)))
        lines += [(name, f"{score}(k={k})", value) for name, scores in every for score, value in scores.items()]
    for k in (1, 4, 9):
        lines.append(("rows", f"knn(k={k})", knn(k, squares(z, z), y[:N], y[:N], True)))
        lines.append(("new", f"knn(k={k})", knn(k, squares(new_z, z), y[:N], y[N:], False)))
    lines += [("rows", name, function(z, y[:N])) for name, function in (
        ("davies_bouldin", metrics.davies_bouldin_score), ("calinski_harabasz", metrics.calinski_harabasz_score),
        ("silhouette", metrics.silhouette_score))]
    for name, gram in (("rows", x @ x.T), ("kernel", K)):
        A, B = H @ gram @ H, H @ L @ H
        lines.append((name, "cka", (A * B).sum() / np.sqrt((A * A).sum() * (B * B).sum())))
        lines.append((name, "hsic", (A * B).sum() / (N - 1) ** 2))
    R = np.exp(-squares(z, z) / 2)
    more = dict(kernel="precomputed", tol=1e-8)
    lines.append(("rows", "svm(c=2, kernel=rbf(sigma=1), folds=4, shuffle=false)", machine(SVC(C=2, **more), R, y[:N], 4)))
    lines.append(("rows", "nusvm(nu=0.37, kernel=rbf(sigma=1), folds=4, shuffle=false)", machine(NuSVC(nu=0.37, **more), R, y[:N], 4)))
    lines.append(("rows", "reconstruction", reconstruction(z, x)))
    lines.append(("new", "reconstruction", reconstruction(z, x, (new_z, new_x))))
    lines.append(("rows", "entropy", entropy(z)))
    lines.append(("kernel", "entropy", entropy(z, K)))
    np.save(FOLDER / "scores_data.npy", np.c_[X, Z, y])
    (FOLDER / "scores.txt").write_text("".join(f"{name}\t{score}\t{value!r}\n" for name, score, value in lines))
    print(len(lines), "scores")


if __name__ == "__main__":
    main()
