#!/usr/bin/env python3
"""reproduce/ke_defaults.py DATA [--cells DIR] [--rows N] [--draws N] [--first N] [--only TEXT] [--quick]: the default of ke, steps around it, and KPCA beside it.

`make reproduce-ke_defaults DATA=DIR` calls it. Nine data sets in two dimensions, some draws of rows each; each setting is a step away from the
default in one thing. Scores, in percent: leave-one-out 5-NN (labels are seen by the score alone) and trustworthiness(12), mean and deviation over
draws. KPCA is shown with its own default, with ke's kernel, and with the best of its widths for each set and score, chosen by the score itself.
ke's default is one for all sets and was chosen on draws 0, 1 and 2; --first 10 shows draws that nothing was chosen by. Then, whole sets.
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
OWN = "rq(alpha=0.25,sigma=knn(10,{}))"  # ke's kernel, with what its width is multiplied by
# name -> (parameters of ke, kernel or None)
SETTINGS = {
    "default": ({}, None),
    "width=0.3": ({"width": 0.3}, None),
    "width=0.5": ({"width": 0.5}, None),
    "embedding_kernel=rbf": ({"embedding_kernel": "rbf"}, None),
    "kernel's width x 0.7": ({}, OWN.format(0.5)),
    "kernel's width x 1.4": ({}, OWN.format(1)),
    "kernel rbf(sigma=knn(10))": ({}, RBF.format(1)),
    "both rbf": ({"embedding_kernel": "rbf"}, RBF.format(1)),
    "start=random": ({"start": "random"}, None),
    "30 steps": ({"solver": "lbfgs(max_iter=30)"}, None),
    "300 steps": ({"solver": "lbfgs(max_iter=300)"}, None),
    "reconstruction=0": ({"reconstruction": 0}, None),
    "reconstruction=0.01": ({"reconstruction": 0.01}, None),
    "reconstruction=0.1": ({"reconstruction": 0.1}, None),
}
WIDTHS = ["median", 0.5, 1, 2, 3, 5, 10]  # of KPCA's kernel
POWERS = [1, 2, 4, 8]  # of KPCA's tanimoto
WHOLE = {"swiss roll": (2000, 15), "digits": (1797, 12), "mnist": (2000, 12)}  # rows, and neighbours of the score


def shuffled(x, y, rows, draw):
    order = np.random.default_rng(draw).permutation(len(x))[:min(rows, 4 * len(x) // 5)]  # of a small set not all: draws differ
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


def scores(Z, x, y, kernel, k=12):
    s = rkhs.score(["knn(k=5)", f"trustworthiness(k={k})"], Z, X=x, y=y, kernel=kernel)
    return [float(v) for v in s.values()]


def ke_run(sets, set, rows, draw, parameters, kernel):
    x, y, own = load(sets, set, rows, draw)
    return scores(rkhs.KernelEmbedding(kernel=own or kernel, random_state=draw, n_jobs=1, **parameters).fit_transform(x), x, y, own)


def kpca_run(sets, set, rows, draw, width):
    x, y, own = load(sets, set, rows, draw)
    kernel = f"{own}^{width}" if own else "rbf(sigma=median)" if width == "median" else OWN.format(0.7) if width == "ke" else RBF.format(width)
    return scores(rkhs.KernelPCA(kernel=kernel, n_jobs=1).fit_transform(x), x, y, own)


def whole_run(sets, set, rows, draw, model):
    if set == "swiss roll":  # all of it
        x, t = sets.swiss_roll()
        y, own = np.searchsorted(np.quantile(t, [0.25, 0.5, 0.75]), t), None
    else:
        x, y, own = load(sets, set, rows, draw)
    kernel = "rbf(sigma=median)" if model == "kpca" else None
    return scores(rkhs.model(model, kernel=kernel, random_state=draw, n_jobs=1).fit_transform(x), x, y, own, WHOLE[set][1])


def several(values):
    """Both scores over draws: their means and deviations."""
    values = [v for v in values if v is not None]
    return (np.mean(values, 0), np.std(values, 0, ddof=min(1, len(values) - 1))) if values else None


def shown(found):
    return "" if found is None else " ".join(f"{100 * m:.1f}±{100 * d:.1f}" for m, d in zip(*found))


def best(found):
    """For each score the setting that has most of it."""
    found = [f for f in found if f is not None]
    if not found:
        return None
    at = np.argmax([f[0] for f in found], 0)
    return [found[q][0][c] for c, q in enumerate(at)], [found[q][1][c] for c, q in enumerate(at)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", default="build/cells-ke_defaults")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first draw")
    parser.add_argument("--only", help="settings whose name has this, and KPCA")
    parser.add_argument("--quick", action="store_true")
    a = parser.parse_args()
    sets, cells = Sets(a.data), Cells(a.cells, 600 if a.quick else 7200)
    draws = range(a.first, a.first + a.draws)
    print("| | " + " | ".join(SETS) + " |\n|---" + "|---" * len(SETS) + "|")

    def kpca(name, width):
        return several([cells.value("kpca", functools.partial(kpca_run, sets), set=name, rows=a.rows, draw=draw, width=width) for draw in draws])
    for label, widths in (("KPCA, sigma=median", ["median"]), ("KPCA, ke's kernel", ["ke"]), ("KPCA, best width", WIDTHS)):
        line = [shown(best([kpca(name, w) for w in (widths if name != "nci" else POWERS if len(widths) > 1 else [1])])) for name in SETS]
        print(f"| {label} | " + " | ".join(line) + " |", flush=True)
    for label, (parameters, kernel) in SETTINGS.items():
        if a.only and a.only not in label:
            continue
        line = [shown(several([cells.value("ke", functools.partial(ke_run, sets), set=name, rows=a.rows, draw=draw, parameters=parameters,
                                           kernel=kernel) for draw in draws])) for name in SETS]
        print(f"| {label} | " + " | ".join(line) + " |", flush=True)
    if a.quick or a.only:
        return
    print("\n| | " + " | ".join(f"{name}, {rows}" for name, (rows, _) in WHOLE.items()) + " |\n|---" + "|---" * len(WHOLE) + "|")
    for model in ("kpca", "ke"):
        line = [shown(several([cells.value("whole", functools.partial(whole_run, sets), set=name, rows=rows, draw=draw, model=model)
                               for draw in (draws[:2] if name == "mnist" else draws[:1])])) for name, (rows, _) in WHOLE.items()]
        print(f"| {model} | " + " | ".join(line) + " |", flush=True)


main()
