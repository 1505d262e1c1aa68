#!/usr/bin/env python3
"""reproduce/ke_defaults.py DATA [--cells DIR] [--rows N] [--draws N] [--quick]: how the default of ke was chosen, and KPCA beside it.

`make reproduce-ke_defaults DATA=DIR` calls it. Nine data sets in two dimensions, some draws of rows each; each setting is a step away from the
default in one thing. Scores: leave-one-out 5-NN (labels are seen by the score alone) and trustworthiness(12). KPCA is shown with its own default
and with the best of its widths for each set, chosen by the score itself; ke's default is one for all sets, and was chosen on the first two draws.
"""
import argparse
import functools
import pathlib
import warnings

import numpy as np

import rkhs
from cells import Cells
from sets import Sets

warnings.simplefilter("ignore")

RBF = "rbf(sigma=knn(10,{}))"
# name -> (parameters of ke, times of the kernel's width)
SETTINGS = {
    "default": ({}, None),
    "width=0.2": ({"width": 0.2}, None),
    "width=0.4": ({"width": 0.4}, None),
    "start=random": ({"start": "random"}, None),
    "30 steps": ({"solver": "lbfgs(iter=30)"}, None),
    "300 steps": ({"solver": "lbfgs(iter=300)"}, None),
    "rebuild=0": ({"rebuild": 0}, None),
    "rebuild=0.1": ({"rebuild": 0.1}, None),
    "rebuild=0.3": ({"rebuild": 0.3}, None),
    "kernel's width x 1.5": ({}, 1.5),
    "kernel's width x 2": ({}, 2),
    "kernel's width x 3": ({}, 3),
}
WIDTHS = ["median", 0.5, 1, 2, 3, 5, 10]  # of KPCA's kernel
POWERS = [1, 2, 4, 8]  # of KPCA's tanimoto


def shuffled(x, y, rows, draw):
    order = np.random.default_rng(draw).permutation(len(x))[:rows]
    return x[order], y[order]


def load(sets, name, rows, draw):
    """(X, labels, kernel or None)"""
    folder = sets.folder
    if name == "circles":
        return *sets.circles(draw), None
    if name == "swiss roll":
        t = np.load(folder / "swiss_roll/swiss_roll_t.npy")
        quarter = np.searchsorted(np.quantile(t, [0.25, 0.5, 0.75]), t)
        return *shuffled(np.load(folder / "swiss_roll/swiss_roll_X.npy"), quarter, rows, draw), None
    if name in ("digits", "mnist", "fashion"):
        x, y, _, _ = sets.first(name, rows, 0, draw)
        return x, y, None
    if name in ("iris", "ionosphere"):
        x, y = np.load(folder / f"{name}/{name}_x.npy"), np.load(folder / f"{name}/{name}_y.npy")
        return *shuffled(x, y, rows, draw), None
    if name == "nci":
        x, y = np.load(folder / "nci_cancer/fp3_bits_2305.npy"), np.load(folder / "nci_cancer/gi50_scores_2305.npy")[:, 0] >= 60
        x, y = shuffled(x, y, rows, draw)
        return x.astype(float), y.astype(int), "tanimoto"
    x, y = np.load(folder / "ciciot2023/ciciot2023_x.npy"), np.load(folder / "ciciot2023/ciciot2023_y.npy")
    x, y = shuffled(np.log1p(x.astype(float)), y, rows, draw)
    x = x[:, x.std(0) > 0]
    return (x - x.mean(0)) / x.std(0), y, None


SETS = ["circles", "swiss roll", "digits", "iris", "ionosphere", "nci", "ciciot", "mnist", "fashion"]


def scores(Z, x, y, kernel):
    s = rkhs.score(["knn(k=5)", "trustworthiness(k=12)"], Z, X=x, y=y, kernel=kernel)
    return [float(v) for v in s.values()]


def ke_run(sets, set, rows, draw, parameters, times):
    x, y, kernel = load(sets, set, rows, draw)
    own = kernel or (RBF.format(times) if times else None)
    return scores(rkhs.KernelEmbedding(n_components=2, kernel=own, random_state=draw, **parameters).fit_transform(x), x, y, kernel)


def kpca_run(sets, set, rows, draw, width):
    x, y, kernel = load(sets, set, rows, draw)
    own = f"{kernel}^{width}" if kernel else "rbf(sigma=median)" if width == "median" else RBF.format(width)
    return scores(rkhs.KernelPCA(n_components=2, kernel=own).fit_transform(x), x, y, kernel)


def cell(values):
    """Means over draws of both scores."""
    values = [v for v in values if v is not None]
    return np.mean(values, 0) if values else None


def shown(v):
    return "" if v is None else f"{v[0]:.3f} {v[1]:.3f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", default="build/cells-ke_defaults")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", help="settings whose name has this, and KPCA")
    parser.add_argument("--quick", action="store_true")
    a = parser.parse_args()
    sets, cells = Sets(a.data), Cells(a.cells, 600 if a.quick else 7200)
    print("| | " + " | ".join(SETS) + " |\n|---" * 1 + "|---" * len(SETS) + "|")
    for label, best in (("KPCA, sigma=median", False), ("KPCA, best width", True)):
        line = []
        for name in SETS:
            widths = POWERS if name == "nci" else WIDTHS
            each = [cell([cells.value("kpca", functools.partial(kpca_run, sets), set=name, rows=a.rows, draw=draw, width=w)
                          for draw in range(a.draws)]) for w in (widths if best else widths[:1])]
            each = [e for e in each if e is not None]
            line.append(shown(np.max(each, 0) if each else None))
        print(f"| {label} | " + " | ".join(line) + " |", flush=True)
    for label, (parameters, times) in SETTINGS.items():
        if a.only and a.only not in label:
            continue
        line = [shown(cell([cells.value("ke", functools.partial(ke_run, sets), set=name, rows=a.rows, draw=draw,
                                        parameters=parameters, times=times) for draw in range(a.draws)])) for name in SETS]
        print(f"| {label} | " + " | ".join(line) + " |", flush=True)


main()
