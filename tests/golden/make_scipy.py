#!/usr/bin/python3
"""Writes data/scipy_lbfgs.csv: what scipy's L-BFGS-B needs and reaches on the problems of test_optimisers.c.

    /usr/bin/python3 tests/golden/make_scipy.py
"""
import pathlib

import numpy as np
from scipy.optimize import minimize


def rosenbrock(x):
    a, b = x[:-1], x[1:]
    g = np.zeros_like(x)
    g[:-1] = -400 * a * (b - a**2) - 2 * (1 - a)
    g[1:] += 200 * (b - a**2)
    return (100 * (b - a**2)**2 + (1 - a)**2).sum(), g


def quadratic(x):
    c = 10.0**(4 * np.arange(len(x)) / (len(x) - 1))
    return 0.5 * (c * (x - 1)**2).sum(), c * (x - 1)


def beale(x):
    y = x[1]
    t = [1.5 - x[0] * (1 - y), 2.25 - x[0] * (1 - y**2), 2.625 - x[0] * (1 - y**3)]
    gx = sum(2 * t[i] * -(1 - y**(i + 1)) for i in range(3))
    gy = sum(2 * t[i] * x[0] * (i + 1) * y**i for i in range(3))
    return sum(v * v for v in t), np.array([gx, gy])


def powell(x):
    a, b, c, d = x[0::4], x[1::4], x[2::4], x[3::4]
    g = np.zeros_like(x)
    g[0::4] = 2 * (a + 10 * b) + 40 * (a - d)**3
    g[1::4] = 20 * (a + 10 * b) + 4 * (b - 2 * c)**3
    g[2::4] = 10 * (c - d) - 8 * (b - 2 * c)**3
    g[3::4] = -10 * (c - d) - 40 * (a - d)**3
    return ((a + 10 * b)**2 + 5 * (c - d)**2 + (b - 2 * c)**4 + 10 * (a - d)**4).sum(), g


def logcosh(x):
    w = 1 + np.arange(len(x)) % 7
    z = w * (x - 0.5)
    return (np.logaddexp(z, -z) - np.log(2)).sum() + 0.01 * (x**2).sum(), w * np.tanh(z) + 0.02 * x


starts = {"rosenbrock2": (rosenbrock, [-1.2, 1.0]), "rosenbrock20": (rosenbrock, [-1.2, 1.0] * 10),
          "quadratic50": (quadratic, [0.0] * 50), "beale": (beale, [1.0, 1.0]), "powell40": (powell, [3.0, -1.0, 0.0, 1.0] * 10),
          "logcosh100": (logcosh, [3.0, -2.0] * 50)}
with open(pathlib.Path(__file__).parent / "data" / "scipy_lbfgs.csv", "w") as out:
    out.write("problem,value,evaluations\n")
    for name, (f, x0) in starts.items():
        r = minimize(f, np.array(x0), jac=True, method="L-BFGS-B", options={"maxiter": 1000, "maxfun": 10000})
        out.write(f"{name},{r.fun:.17g},{r.nfev}\n")
