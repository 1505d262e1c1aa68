#!/usr/bin/python3
"""Writes tests/golden/data/svm_*.npy: what scikit-learn's SVC and NuSVC (libsvm) say of small machines, for test_smo.c.

Run by hand with Debian's python3-sklearn (made with scikit-learn 1.2.1); the files are part of the project. Two sets: classes that overlap,
of 38 and 22 rows on a coarse grid, so that rows repeat within and across them; and classes that do not. A case is one row:

    nu? value kernel weighted outcome objective support | a decision for each row

Kernels: 0 linear, 1 rbf(sigma=1), 2 Laplacian; svm_SET_grams.npy has the Gram of each, one below the other, rounded to single precision, since
libsvm keeps no more of it. Weights are those of rows, n / (2 members): SVC does the
same with class_weight="balanced" (asserted), NuSVC looks at no weights of classes (asserted too). Outcomes: 0 a machine, 1 nu is too large,
2 the shrunken hulls of the classes meet: by a linear program for the linear kernel; for others they are nearer than 1/1000 of the deviation of the
rows, which rows that are in both classes bring about. `objective` is that of the dual, `support` how
many rows have a > 0, or -1 where rows repeat and the share of each is arbitrary. No nu n / 2 is whole: all rows of a class could then be on
their bounds (as for a small C with weights), where the offset is not unique (libsvm means the middle, and takes an end when rounding leaves 1e-15 in place of 0).
"""
import pathlib

import numpy as np
from scipy.optimize import linprog
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, rbf_kernel
from sklearn.svm import SVC, NuSVC

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
KERNELS = [linear_kernel, lambda x: rbf_kernel(x, gamma=0.5), lambda x: laplacian_kernel(x, gamma=0.5)]
MORE = dict(kernel="precomputed", tol=1e-12, cache_size=10, shrinking=False)


def sets():
    g = np.random.RandomState(5)
    y = np.repeat([-1, 1], [38, 22])
    yield "overlap", np.round(2 * (g.normal(size=(60, 2)) + 0.5 * y[:, None])) / 2, y
    y = np.where(np.arange(50) % 3 == 0, 1, -1)
    yield "apart", g.normal(size=(50, 2)) * [1, 0.6] + [0, 2] * y[:, None], y


def hulls_meet(x, y, nu, weight):
    """Whether the hulls have a point in common when no row may hold more than its share: a linear program."""
    s = nu * weight.sum() / 2
    sums = np.array([y > 0, y < 0], float)
    found = linprog(np.zeros(len(y)), A_eq=np.vstack([sums, (y[:, None] * x).T]), b_eq=[s, s, 0, 0], bounds=[(0, w) for w in weight])
    return found.status == 0


def one_case(K, x, y, nu, value, kernel, weighted):
    counts = {c: (y == c).sum() for c in (-1, 1)}
    weight = np.array([len(y) / (2 * counts[c]) if weighted else 1.0 for c in y])
    none = [np.nan, -1] + [np.nan] * len(y)
    head = [float(nu), value, kernel, float(weighted)]
    if nu and value * weight.sum() / 2 > min(weight[y == c].sum() for c in (-1, 1)) + 1e-9:
        try:
            NuSVC(nu=value, **MORE).fit(K, y, sample_weight=weight)
        except ValueError as error:
            assert "infeasible" in str(error)
            return head + [1] + none
        raise AssertionError("scikit-learn found a nu feasible that is not")
    if nu and kernel == 0 and hulls_meet(x, y, value, weight):
        return head + [2] + none
    model = (NuSVC(nu=value, **MORE) if nu else SVC(C=value, **MORE)).fit(K, y, sample_weight=weight)
    if nu != weighted:
        kind, key = (NuSVC, "nu") if nu else (SVC, "C")
        same = kind(class_weight="balanced", **{key: value}, **MORE).fit(K, y)
        assert np.array_equal(same.decision_function(K), model.decision_function(K))
    a = np.zeros(len(y))
    a[model.support_] = model.dual_coef_[0]
    scale = value * weight.sum() / np.abs(a).sum() if nu else 1.0  # NuSVC has divided by rho
    a *= scale
    apart = a @ K @ a / (np.abs(a).sum() / 2) ** 2 / (np.diag(K).mean() - K.mean())  # an upper bound, whatever has converged
    if nu and apart < 1e-6:
        return head + [2] + none
    objective = a @ K @ a / 2 - (0 if nu else np.abs(a).sum())
    unique = len(np.unique(x, axis=0)) == len(x)
    return head + [0, objective, len(model.support_) if unique and kernel else -1] + list(model.decision_function(K))


def main():
    for name, x, y in sets():
        grams = [kernel(x).astype(np.float32).astype(float) for kernel in KERNELS]
        cases = []
        for kernel, K in enumerate(grams):
            for weighted in (False, True):
                for value in (0.5, 2, 30):
                    cases.append(one_case(K, x, y, False, value, kernel, weighted))
                for value in (0.05, 0.22, 0.53, 0.71, 0.9):
                    cases.append(one_case(K, x, y, True, value, kernel, weighted))
        np.save(FOLDER / f"svm_{name}_y.npy", y[:, None].astype(float))
        np.save(FOLDER / f"svm_{name}_grams.npy", np.vstack(grams))
        np.save(FOLDER / f"svm_{name}_cases.npy", np.nan_to_num(np.array(cases), nan=0.0))
        print(name, "outcomes", np.bincount(np.array(cases)[:, 4].astype(int)))


if __name__ == "__main__":
    main()
