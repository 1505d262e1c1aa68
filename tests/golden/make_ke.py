#!/usr/bin/python3
"""Writes data/ke_*.npy: the rings and the Swiss roll for which the loss of the first stage of autoreconstructive kernel embedding is known.

    /usr/bin/python3 tests/golden/make_ke.py SWISS_ROLL.npy

Prints min b'A b - 2 c'b + tr G with A = G o (G~ G~), c the row sums of G~ o G~, G~ the Gram G without its diagonal, by NumPy. The roll is
scikit-learn's make_swiss_roll(2000) as the paper's own program stored it (MIT licence). Columns are scaled to [0, 1].
"""
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent / "data"


def rings():
    g = np.random.default_rng(0)
    x = []
    for count, radius in ((80, 2), (110, 8), (190, 16)):
        angle = g.uniform(0, 2 * np.pi, count)
        x.append(radius * np.stack([np.cos(angle), np.sin(angle)], 1))
    return np.concatenate(x) + g.normal(0, 0.5, (380, 2))


def loss(x, sigma):
    square = (x * x).sum(1)
    G = np.exp(-np.maximum(square[:, None] + square - 2 * x @ x.T, 0) / (2 * sigma**2))
    off = G - np.diag(np.diag(G))
    A, c = G * (off @ off), (off * off).sum(1)
    b = np.linalg.solve(A, c)
    return b @ A @ b - 2 * c @ b + np.trace(G)


for name, x, sigma in (("rings", rings(), 1.0), ("roll", np.load(sys.argv[1]), 0.5)):
    x = (x - x.min(0)) / (x.max(0) - x.min(0))
    np.save(HERE / f"ke_{name}.npy", x)
    print(f"{name}: {loss(x, sigma):.8f}")
