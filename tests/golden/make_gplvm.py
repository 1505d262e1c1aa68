#!/usr/bin/python3
"""Writes data/gplvm_*.npy: the likelihood of a Gaussian process latent variable model and its gradient, by the formula in NumPy.

    /usr/bin/python3 tests/golden/make_gplvm.py

L = (D/2) log|K| + tr(K^-1 S)/2 + |Z|^2/2, K = variance exp(-|z - z'|^2/(2 width^2)) + noise I, S the centred Gram. The numbers of
theta are log width, and the logarithms of variance and of noise less 1e-6, both over the data's variance tr(S)/(n D).
"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent / "data"
LEAST = 1e-6


def squares(x):
    return ((x[:, None, :] - x[None, :, :])**2).sum(2)


def likelihood(Z, theta, S, D):
    n = len(Z)
    scale = np.trace(S) / (n * D)
    width, variance, noise = np.exp(theta[0]), scale * np.exp(theta[1]), scale * (LEAST + np.exp(theta[2]))
    d = squares(Z)
    rbf = variance * np.exp(-d / (2 * width**2))
    K = rbf + noise * np.eye(n)
    inverse = np.linalg.inv(K)
    L = D / 2 * np.linalg.slogdet(K)[1] + np.trace(inverse @ S) / 2 + (Z**2).sum() / 2
    P = (D * inverse - inverse @ S @ inverse) / 2
    G = P * rbf
    dZ = -2 / width**2 * (G.sum(1)[:, None] * Z - G @ Z) + Z
    return L, dZ, [(G * d).sum() / width**2, G.sum(), np.trace(P) * scale * np.exp(theta[2])]


def main():
    random = np.random.default_rng(5)
    n, p = 150, 6
    x, Z, theta = random.standard_normal((n, p)) + 0.5, random.standard_normal((n, 2)), np.array([-0.3, -0.2, -1.7])
    H = np.eye(n) - 1 / n
    grams = {"linear": (x @ x.T, p), "rbf": (np.exp(-0.1 * squares(x)), n - 1)}
    np.save(HERE / "gplvm_x.npy", x)
    np.save(HERE / "gplvm_z.npy", Z)
    for name, (K, D) in grams.items():
        L, dZ, dt = likelihood(Z, theta, H @ K @ H, D)
        np.save(HERE / f"gplvm_{name}_gradient.npy", dZ)
        np.save(HERE / f"gplvm_{name}_numbers.npy", np.array([[*theta, L, *dt]]))


if __name__ == "__main__":
    main()
