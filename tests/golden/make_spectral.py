#!/usr/bin/python3
"""Writes tests/golden/data/spectral_*: Laplacian eigenmaps by scikit-learn, and lpp and npe by SciPy's dense solver of the pencil, for
test_spectral.c to compare with.

Run by hand with Debian's python3-sklearn (made with scikit-learn 1.2.1, SciPy 1.10.1 and NumPy 1.24.2); the files are part of the
project. Everything is written out here as the papers have it; nothing is taken from the library but its conventions: columns have
z'N z + mu |w|^2 = sum N, their entry of largest size is positive, and a constant that is left out has its eigenvalue moved from 1 to -2.
"""
import pathlib

import numpy as np
import scipy.linalg
from sklearn.manifold import spectral_embedding
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph
from sklearn.metrics.pairwise import rbf_kernel

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
N, NEW, P, DIM, K, RIDGE = 80, 12, 5, 3, 7, 0.01


def save(name, array):
    np.save(FOLDER / f"spectral_{name}.npy", np.ascontiguousarray(array, dtype=np.float64))


def turn(Z, *others):
    at = np.argmax(np.abs(Z), axis=0)
    signs = np.where(Z[at, np.arange(Z.shape[1])] < 0, -1.0, 1.0)
    return [Z * signs] + [other * signs for other in others]


def filtered(K, k):
    """The k largest of each row."""
    F = np.zeros_like(K)
    for row, values in enumerate(K):
        at = np.argsort(-values, kind="stable")[:k]
        F[row, at] = values[at]
    return F


def graph(S, K):
    """(F + F')/2, F the values K of the k largest S of each row, itself left out."""
    S = S.copy()
    np.fill_diagonal(S, -np.inf)
    F = np.zeros_like(K)
    for row in range(len(S)):
        at = np.argsort(-S[row], kind="stable")[:k_neighbours]
        F[row, at] = np.maximum(K[row, at], 0)
    return (F + F.T) / 2


def pencil(K, Knew, M, N, ridge):
    """The largest of Phi'M Phi w = l (Phi'N Phi + mu I) w, with Phi from an eigendecomposition of K."""
    w, U = np.linalg.eigh(K)
    keep = w > 1e-10 * w[-1]
    Phi, back = U[:, keep] * np.sqrt(w[keep]), U[:, keep] / np.sqrt(w[keep])
    mu = ridge * np.sum(np.diag(N) * np.diag(K)) / len(K)
    l, W = scipy.linalg.eigh(Phi.T @ M @ Phi, Phi.T @ N @ Phi + mu * np.eye(keep.sum()))
    l, W = l[::-1][:DIM], W[:, ::-1][:, :DIM] * np.sqrt(np.trace(N))
    return l, *turn(Phi @ W, Knew @ back @ W)


k_neighbours = K
rng = np.random.default_rng(8)
centre = rng.normal(size=(4, P)) * 1.5
x = centre[rng.integers(4, size=N)] + rng.normal(size=(N, P))
y = centre[rng.integers(4, size=NEW)] + rng.normal(size=(NEW, P))
save("x", x)
save("y", y)

# kle: scikit-learn's eigenvectors of the normalised Laplacian, at unit deviation weighted by degrees; new rows by the formula.
G, Gnew = rbf_kernel(x, x, gamma=0.15), rbf_kernel(y, x, gamma=0.15)
W = graph(G, G)
d = W.sum(1)
Z = spectral_embedding(W, n_components=DIM, eigen_solver="arpack", drop_first=True, eigen_tol=1e-14, random_state=0)
Z = Z / np.sqrt((Z * Z * d[:, None]).sum(0) / d.sum())
l = (Z * (W @ Z)).sum(0) / (Z * Z * d[:, None]).sum(0)
F = filtered(Gnew, K)
Z, new = turn(Z, F @ Z / F.sum(1)[:, None] / l)
for name, value in (("kle", Z), ("kle_new", new), ("kle_eigenvalues", l[None])):
    save(name, value)

# lpp and npe, with an rbf kernel and the constant left out, and with a linear one as in the papers.
for name, g, gnew in (("rbf", G, Gnew), ("linear", x @ x.T, y @ x.T)):
    squares = np.diag(g)[:, None] + np.diag(g) - 2 * g
    W = graph(-squares, g if name == "rbf" else np.ones_like(g))
    d = W.sum(1)
    M = W - 3 * np.outer(d, d) / d.sum() if name == "rbf" else W
    l, Z, new = pencil(g, gnew, M, np.diag(d), RIDGE if name == "rbf" else 0)
    for part, value in (("", Z), ("_new", new), ("_eigenvalues", l[None])):
        save(f"lpp_{name}{part}", value)
    if name == "linear":
        R = barycenter_kneighbors_graph(x, K, reg=1e-3).toarray()
        save("weights", R)
        # The directions of the paper itself: X'L X a = l X'D X a, smallest first.
        direct, a = scipy.linalg.eigh(x.T @ (np.diag(d) - W) @ x, x.T @ np.diag(d) @ x)
        assert np.allclose(1 - direct[:DIM], l) and np.allclose(np.abs(x @ a[:, :DIM] * np.sqrt(d.sum())), np.abs(Z))
    else:
        R = np.zeros_like(g)
        for i in range(N):
            s = squares[i].copy()
            s[i] = np.inf
            at = np.argsort(s, kind="stable")[:K]
            C = g[np.ix_(at, at)] - g[at, i][:, None] - g[at, i] + g[i, i]
            C += 1e-3 * np.trace(C) * np.eye(K)
            r = np.linalg.solve(C, np.ones(K))
            R[i, at] = r / r.sum()
    M = R + R.T - R.T @ R - (3 * np.ones((N, N)) / N if name == "rbf" else 0)
    l, Z, new = pencil(g, gnew, M, np.eye(N), RIDGE if name == "rbf" else 0)
    for part, value in (("", Z), ("_new", new), ("_eigenvalues", l[None])):
        save(f"npe_{name}{part}", value)
