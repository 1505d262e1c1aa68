"""Every score against scikit-learn or a direct reading of its definition."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.datasets import load_digits, make_circles
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, NuSVC

import rkhs
from common import TOOL, naming

TIGHT = 1e-10
GRID_C, GRID_NU, INNER = [0.01, 0.1, 1, 10, 100], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 3
METRICS = ["accuracy", "sensitivity", "specificity", "auc", "f1"]


def cloud(n=90, p=5, classes=3, seed=0, apart=1.5):
    """Objects, a poor embedding of them, labels of unequal classes."""
    g = np.random.default_rng(seed)
    y = np.minimum(g.integers(0, classes + 1, n), classes - 1)
    X = g.normal(size=(n, p)) + apart * g.normal(size=(classes, p))[y]
    return X, X[:, :2] + 0.5 * g.normal(size=(n, 2)), y


# ---- ranks, by brute force ---------------------------------------------------------------------------------------------


def ranks(D, itself):
    """D's ranks in each row from 1, ties by index; a row itself has 0."""
    D = D.copy()
    if itself:
        np.fill_diagonal(D, -1)
    order = np.argsort(D, axis=1, kind="stable")
    R = np.empty_like(order)
    np.put_along_axis(R, order, np.arange(D.shape[1])[None, :], axis=1)
    return R if itself else R + 1


def by_ranks(name, k, DX, DZ, itself=True):
    RX, RZ = ranks(DX, itself), ranks(DZ, itself)
    rows, others = DX.shape[0], DX.shape[1] - itself
    c = 2 / (rows * k * (2 * others - 3 * k + 1))
    value, overlap = 0.0, 0
    for i in range(rows):
        for j in range(DX.shape[1]):
            if itself and i == j:
                continue
            r, s = int(RX[i, j]), int(RZ[i, j])
            overlap += r <= k and s <= k
            if name == "trustworthiness" and s <= k < r:
                value += r - k
            if name == "continuity" and r <= k < s:
                value += s - k
            if name == "continuity_ke" and r <= k < s:
                value += (s - k + 1) ** 2
            if name == "mrre" and s <= k:
                value += abs(r - s) / s
    qnx = overlap / (rows * k)
    if name == "mrre":
        return value / (rows * sum(abs(others + 1 - 2 * q) / q for q in range(1, k + 1)))
    return {"qnx": qnx, "rnx": (others * qnx - k) / (others - k), "lcmc": qnx - k / others}.get(name, 1 - c * value)


RANKS = ["trustworthiness", "continuity", "continuity_ke", "mrre", "qnx", "rnx", "lcmc"]


class Ranks(unittest.TestCase):
    def test_all_of_them_are_the_definition(self):
        for seed, n in enumerate((40, 90, 130)):
            X, Z, _ = cloud(n, seed=seed)
            names = [f"{name}(k={k})" for name in RANKS for k in (1, 5, n // 2 - 1)]
            found = rkhs.score(names, Z, X)
            for text, value in found.items():
                name, k = text[:-1].split("(k=")
                self.assertAlmostEqual(value, by_ranks(name, int(k), cdist(X, X), cdist(Z, Z)), delta=TIGHT, msg=f"{text}, {n}")

    def test_trustworthiness_and_continuity_are_those_of_scikit_learn(self):
        for seed in range(4):
            X, Z, _ = cloud(120 + 77 * seed, seed=seed)
            found = rkhs.score(["trustworthiness(k=12)", "continuity(k=12)"], Z, X)
            self.assertAlmostEqual(found["trustworthiness(k=12)"], trustworthiness(X, Z, n_neighbors=12), delta=TIGHT)
            self.assertAlmostEqual(found["continuity(k=12)"], trustworthiness(Z, X, n_neighbors=12), delta=TIGHT)

    def test_new_rows_are_ranked_among_the_others(self):
        X, Z, _ = cloud(130, seed=3)
        for new in (1, 17, 50):
            a, b = slice(0, 130 - new), slice(130 - new, 130)
            names = [f"{name}(k={k})" for name in RANKS for k in (1, 7)]
            for text, value in rkhs.score(names, Z[a], X[a], new_Z=Z[b], new_X=X[b]).items():
                name, k = text[:-1].split("(k=")
                want = by_ranks(name, int(k), cdist(X[b], X[a]), cdist(Z[b], Z[a]), itself=False)
                self.assertAlmostEqual(value, want, delta=TIGHT, msg=f"{text}, {new} new")

    def test_distances_are_those_of_a_kernels_feature_space(self):
        X, Z, _ = cloud(80, seed=4)
        kernel = "poly(degree=3, gamma=0.5)"
        K = rkhs.gram(X, kernel=kernel)
        D = np.sqrt(np.maximum(0, np.diag(K)[:, None] + np.diag(K)[None, :] - 2 * K))
        a, b = slice(0, 60), slice(60, 80)
        for name in RANKS:
            self.assertAlmostEqual(rkhs.score(f"{name}(k=6)", Z, X, kernel=kernel), by_ranks(name, 6, D, cdist(Z, Z)), delta=TIGHT)
            self.assertAlmostEqual(
                rkhs.score(f"{name}(k=6)", Z[a], X[a], kernel=kernel, new_Z=Z[b], new_X=X[b]),
                by_ranks(name, 6, D[b, a], cdist(Z[b], Z[a]), itself=False), delta=TIGHT)
        self.assertNotEqual(rkhs.score("qnx(k=6)", Z, X), rkhs.score("qnx(k=6)", Z, X, kernel=kernel))

    def test_sparse_objects_and_precomputed_kernels_have_distances(self):
        Z = np.random.default_rng(5).normal(size=(27, 2))
        g = np.random.default_rng(6)
        X = scipy.sparse.csr_matrix(g.normal(size=(27, 60)) * (g.random((27, 60)) < 0.4))
        for kernel in ("cosine", "rbf(sigma=9)", None):
            K = rkhs.gram(X, kernel=kernel or "linear")
            D = np.diag(K)[:, None] + np.diag(K)[None, :] - 2 * K
            for name in RANKS:
                self.assertAlmostEqual(rkhs.score(f"{name}(k=9)", Z, X, kernel=kernel), by_ranks(name, 9, D, cdist(Z, Z)), delta=TIGHT)
            if kernel:
                self.assertEqual(rkhs.score("mrre(k=4)", Z, K, kernel="precomputed"), rkhs.score("mrre(k=4)", Z, X, kernel=kernel))

    def test_new_rows_of_a_precomputed_kernel_need_no_values_of_their_own(self):
        X, Z, _ = cloud(120, seed=8)
        names = [f"{name}(k=7)" for name in RANKS]
        K, a = rkhs.gram(X, kernel="poly(degree=2)"), slice(0, 60)
        for b in (slice(60, 90), slice(60, 120)):  # as many as the others: square, and no Gram
            given = rkhs.score(names, Z[a], K[a, a], new_Z=Z[b], new_X=K[b, a], kernel="precomputed")
            made = rkhs.score(names, Z[a], X[a], new_Z=Z[b], new_X=X[b], kernel="poly(degree=2)")
            for name in names:
                self.assertAlmostEqual(given[name], made[name], delta=TIGHT, msg=name)
        b = slice(60, 90)
        with self.assertRaisesRegex(rkhs.DataError, "columns"):
            rkhs.score(names, Z[a], K[a, a], new_Z=Z[b], new_X=K[b, b], kernel="precomputed")
        with self.assertRaisesRegex(rkhs.DataError, "square"):
            rkhs.score(names, Z[a], K[a, :59], kernel="precomputed")

    def test_a_perfect_embedding_has_the_best_values_and_a_reversed_one_the_worst(self):
        X, _, _ = cloud(60, seed=7)
        best = rkhs.score([f"{name}(k=8)" for name in RANKS], X, X)
        self.assertEqual([*best.values()][:6], [1, 1, 1, 0, 1, 1])
        line = np.arange(1.0, 9)[:, None] ** 2  # the first row's others in order, and in reverse
        Z = np.concatenate([[[0.0]], 100 - line])
        X = np.concatenate([[[0.0]], line])
        self.assertAlmostEqual(rkhs.score("mrre(k=3)", Z[1:], X[1:], new_Z=Z[:1], new_X=X[:1]), 1, delta=TIGHT)


# ---- clusters and neighbours ---------------------------------------------------------------------------------------------


class Clusters(unittest.TestCase):
    PEERS = {"davies_bouldin": metrics.davies_bouldin_score, "calinski_harabasz": metrics.calinski_harabasz_score,
             "silhouette": metrics.silhouette_score}

    def check(self, Z, y):
        for name, value in rkhs.score([*self.PEERS], Z, y=y).items():
            want = self.PEERS[name](Z, y)
            self.assertAlmostEqual(value, want, delta=TIGHT * max(1, abs(want)), msg=name)

    def test_all_of_them_are_those_of_scikit_learn(self):
        for seed, classes in enumerate((2, 3, 7, 40)):
            _, Z, y = cloud(400, classes=classes, seed=seed)
            self.check(Z, y)
            self.check(Z[:, :1], y)

    def test_a_class_with_one_member_counts_as_in_scikit_learn(self):
        _, Z, y = cloud(70, seed=9)
        y[y == 2] = 1
        y[13] = 2
        self.check(Z, y)
        self.assertEqual(rkhs.score("silhouette", [[0.0], [1.0], [2.0]], y=[0, 1, 1]),
                         metrics.silhouette_score([[0.0], [1.0], [2.0]], [0, 1, 1]))

    def test_neighbours_vote_as_in_scikit_learn(self):
        for seed, classes in enumerate((2, 6)):
            _, Z, y = cloud(200, classes=classes, seed=seed)
            for k in (1, 4, 9):
                D = cdist(Z, Z)
                np.fill_diagonal(D, np.inf)
                right = sum(np.bincount(y[np.argsort(D[i])[:k]]).argmax() == y[i] for i in range(200))
                self.assertAlmostEqual(rkhs.score(f"knn(k={k})", Z, y=y), right / 200, delta=TIGHT)
                peer = KNeighborsClassifier(k, algorithm="brute").fit(Z[:150], y[:150]).score(Z[150:], y[150:])
                self.assertAlmostEqual(rkhs.score(f"knn(k={k})", Z[:150], y=y[:150], new_Z=Z[150:], new_y=y[150:]), peer, delta=TIGHT)

    def test_new_labels_are_matched_by_name(self):
        Z, y = [[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]], ["ant", "ant", "bee", "bee", "cat", "cat"]
        self.assertEqual(rkhs.score("knn(k=1)", Z, y=y, new_Z=[[0.9], [2.2]], new_y=["bee", "cat"]), 1.0)
        self.assertEqual(rkhs.score("knn(k=1)", Z, y=y, new_Z=[[0.9], [2.2]], new_y=["bee", "dog"]), 0.5)


# ---- support vector machines, by the same protocol ------------------------------------------------------------------------


def deal(y, folds):
    """A fold for each row: members of the classes in turn, going on where the class before ended."""
    fold, at = np.empty(len(y), int), 0
    for c in np.unique(y):
        for i in np.flatnonzero(y == c):
            fold[i] = at % folds
            at += 1
    return fold


def machine(K, y, nu, value, balanced):
    """Trained by scikit-learn; weights are those of rows, since NuSVC does not look at those of classes."""
    counts = np.bincount(y)
    weight = len(y) / ((counts > 0).sum() * counts[y]) if balanced else np.ones(len(y))
    more = dict(kernel="precomputed", tol=1e-8 if nu else 1e-6, max_iter=100000)
    model = (NuSVC(nu=value, **more) if nu else SVC(C=value, **more)).fit(K, y, sample_weight=weight)
    if nu and len(model.classes_) == 2 and no_margin(model, K):
        raise ValueError("the classes overlap more than nu allows")
    return model


def no_margin(model, K):
    """Whether the shrunken hulls of two classes meet: scikit-learn then divides 0 by 0, and rounding decides what it says."""
    a = np.zeros(len(K))
    a[model.support_] = model.dual_coef_[0]
    return a @ K @ a / (np.abs(a).sum() / 2) ** 2 < 1e-6 * (np.diag(K).mean() - K.mean())


def measures(truth, guess, decision):
    """All metrics of a fold."""
    classes = np.unique(truth)
    each = classes[1:] if len(classes) == 2 else classes
    rows = {"accuracy": metrics.accuracy_score(truth, guess),
            "sensitivity": np.mean([metrics.recall_score(truth == c, guess == c) for c in each]),
            "specificity": np.mean([metrics.recall_score(truth != c, guess != c) for c in each]),
            "f1": np.mean([metrics.f1_score(truth == c, guess == c) for c in each])}
    rows["auc"] = metrics.roc_auc_score(truth == classes[1], decision) if len(classes) == 2 else np.nan
    return [rows[m] for m in METRICS]


def fold_measures(K, y, train, test, nu, value, balanced, known={}):
    """The metrics of one machine; None when nu cannot be had. All metrics need the same machines: they are trained once."""
    key = hash((K.tobytes(), y.tobytes(), train.tobytes(), test.tobytes())), nu, value, balanced
    if key not in known:
        known[key] = fresh_measures(K, y, train, test, nu, value, balanced)
    return known[key]


def fresh_measures(K, y, train, test, nu, value, balanced):
    try:
        peer = machine(K[np.ix_(train, train)], y[train], nu, value, balanced)
    except ValueError:
        return None
    part = K[np.ix_(test, train)]
    return measures(y[test], peer.predict(part), peer.decision_function(part))


def over_folds(K, y, rows, fold, nu, value, balanced):
    out = []
    for f in range(fold.max() + 1):
        one = fold_measures(K, y, rows[fold != f], rows[fold == f], nu, value, balanced)
        if one is None:
            return None
        out.append(one)
    return np.array(out)


def best_value(K, y, rows, fold, nu, balanced, by):
    """(value, its results) of the grid with the best mean; the first of equals."""
    best = None
    for value in GRID_NU if nu else GRID_C:
        results = over_folds(K, y, rows, fold, nu, value, balanced)
        if results is None:
            continue
        mean = sum(results[:, by] / len(results))
        if best is None or mean > best[0]:
            best = mean, value, results
    return best[1:]


def protocol(K, y, folds, nu, value, balanced, select, by):
    """Mean and deviation of metric number `by`."""
    fold, rows = deal(y, folds), np.arange(len(y))
    if select == "given":
        results = over_folds(K, y, rows, fold, nu, value, balanced)[:, by]
    elif select == "same":
        results = best_value(K, y, rows, fold, nu, balanced, by)[1][:, by]
    else:
        results = []
        for f in range(folds):
            train, test = rows[fold != f], rows[fold == f]
            chosen, _ = best_value(K, y, train, deal(y[train], INNER), nu, balanced, by)
            results.append(fold_measures(K, y, train, test, nu, chosen, balanced)[by])
    return np.mean(results), np.std(results)


class Machines(unittest.TestCase):
    def check(self, Z, y, kernel, names, folds=5, nu=False, value=1, balanced=False, select="given"):
        K = rkhs.gram(Z, kernel=kernel)
        texts = {name: f"{'nusvm' if nu else 'svm'}({'nu' if nu else 'c'}={value}, metric={name}, folds={folds}, kernel={kernel}, "
                       f"select={select}, balanced={str(balanced).lower()}, shuffle=false)" for name in names}
        found = rkhs.score([*texts.values()], Z, y=y, deviation=True)
        for name, text in texts.items():
            mean, deviation = protocol(K, y, folds, nu, value, balanced, select, METRICS.index(name))
            self.assertAlmostEqual(found[text][0], mean, delta=TIGHT, msg=text)
            self.assertAlmostEqual(found[text][1], deviation, delta=TIGHT, msg=text)
            self.assertEqual(found[text], rkhs.score(text, Z, y=y, deviation=True), msg="shared with others, and alone")

    def test_two_classes_have_all_metrics(self):
        _, Z, y = cloud(70, classes=2, seed=1, apart=0.8)
        _, apart, sides = cloud(70, classes=2, seed=1, apart=2.5)  # a line through classes that overlap is flat, and rounding decides
        for balanced in (False, True):
            self.check(apart, sides, "linear", METRICS, value=2, balanced=balanced)
            self.check(Z, y, "rbf(sigma=1)", METRICS, value=2, balanced=balanced)
            self.check(Z, y, "rbf(sigma=1)", METRICS, nu=True, value=0.5, balanced=balanced)
            self.check(Z, y, "rbf(sigma=0.3)", METRICS, nu=True, value=0.1, balanced=balanced, folds=3)

    def test_many_classes_vote_in_pairs(self):
        _, Z, y = cloud(90, classes=4, seed=2, apart=2)
        names = ["accuracy", "sensitivity", "specificity", "f1"]
        self.check(Z, y, "rbf(sigma=1)", names, folds=4)
        self.check(Z, y, "rbf(sigma=1)", names, folds=4, value=3, balanced=True)  # a small c leaves the offset open
        self.check(Z, y, "rbf(sigma=1)", names, nu=True, value=0.5, balanced=True)

    def test_the_parameter_is_chosen_on_the_same_folds(self):
        _, Z, y = cloud(60, classes=2, seed=3, apart=0.8)
        self.check(Z, y, "rbf(sigma=1)", METRICS, select="same")
        self.check(Z, y, "rbf(sigma=0.3)", METRICS, nu=True, value=0.5, select="same", balanced=True)
        _, Z, y = cloud(60, classes=2, seed=3, apart=1.6)
        self.check(Z, y, "linear", ["accuracy", "auc"], nu=True, value=0.5, select="same", balanced=True)

    def test_the_parameter_is_chosen_inside_each_training_part(self):
        _, Z, y = cloud(60, classes=2, seed=4, apart=0.8)
        self.check(Z, y, "rbf(sigma=1)", ["accuracy", "auc", "f1"], select="nested")
        self.check(Z, y, "rbf(sigma=0.3)", ["accuracy", "auc"], nu=True, value=0.5, select="nested", balanced=True)

    def test_a_nu_that_cannot_be_had_is_skipped_or_refused(self):
        _, Z, y = cloud(100, classes=2, seed=5)
        y = (Z[:, 0] + np.random.default_rng(5).normal(size=100) > np.quantile(Z[:, 0], 0.8)).astype(int)
        self.check(Z, y, "rbf(sigma=0.3)", ["auc"], nu=True, value=0.1, select="same")
        with self.assertRaisesRegex(rkhs.DataError, naming("nu = 0.9")):
            rkhs.score("nusvm(nu=0.9)", Z, y=y)
        _, Z, y = cloud(70, classes=2, seed=1, apart=0.8)
        with self.assertWarnsRegex(rkhs.Advice, naming("nu = 0.1 | margin")):
            rkhs.score("nusvm(nu=0.1)", Z, y=y)

    def test_shuffled_folds_come_from_the_seed(self):
        _, Z, y = cloud(100, classes=2, seed=6, apart=0.7)
        values = [rkhs.score("svm(kernel=rbf(sigma=0.3), c=10)", Z, y=y, random_state=s, n_jobs=j, deviation=True) for s in range(4) for j in (1, 2)]
        self.assertEqual(values[::2], values[1::2])
        self.assertGreater(len(set(values)), 1)


# ---- Grams and regressions -------------------------------------------------------------------------------------------------


def left_out(K, ridge, X):
    """The sum of squares of what each row misses when it is left out."""
    sums = 0
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        C = np.linalg.solve(K[np.ix_(rest, rest)] + ridge * np.eye(len(rest)), X[rest])
        sums += ((X[i] - K[i, rest] @ C) ** 2).sum()
    return sums


def ridge_choice(Z, X):
    """Width and ridge of the grid with the least error, here in closed form."""
    D, best = cdist(Z, Z), (np.inf,)
    base = np.median(D[np.triu_indices(len(Z), 1)])
    for width in (0.0625, 0.125, 0.25, 0.5, 1, 2):
        for ridge in (1e-8, 1e-6, 1e-4, 1e-2, 1e-1):
            A = np.linalg.inv(np.exp(-D ** 2 / (2 * (base * width) ** 2)) + ridge * np.eye(len(Z)))
            best = min(best, (((A @ X / np.diag(A)[:, None]) ** 2).sum(), base * width, ridge))
    return best[1:]


class Regression(unittest.TestCase):
    def test_alignments_are_the_definition(self):
        for seed, n in enumerate((30, 300)):
            X, Z, _ = cloud(n, seed=seed)
            H = np.eye(n) - 1 / n
            for kernel, latent in ((None, "linear"), ("rbf(sigma=2)", "rbf(sigma=0.7)"), ("poly(degree=2)", "linear")):
                A = H @ rkhs.gram(X, kernel=kernel or "linear") @ H
                B = H @ rkhs.gram(Z, kernel=latent) @ H
                found = rkhs.score([f"cka(embedding_kernel={latent})", f"hsic(embedding_kernel={latent})"], Z, X, kernel=kernel)
                cka, hsic = found.values()
                want = (A * B).sum() / np.sqrt((A * A).sum() * (B * B).sum())
                self.assertAlmostEqual(cka, want, delta=TIGHT)
                self.assertAlmostEqual(hsic, (A * B).sum() / (n - 1) ** 2, delta=TIGHT * (A * B).sum() / (n - 1) ** 2)

    def test_the_width_of_most_entropy_embeds_well(self):
        """Evenness alone is largest for the smallest width, where nothing is left of the neighbours; times the share of the variance it is not."""
        for X in (make_circles(200, factor=0.4, noise=0.05, random_state=0)[0], load_digits().data[:200]):
            base, tried = np.median(cdist(X, X)), []
            for width in np.geomspace(0.03, 3, 7):
                kernel = f"rbf(sigma={base * width})"
                Z = rkhs.KernelPCA(2, kernel=kernel).fit_transform(X)
                tried.append((rkhs.score("entropy", Z, X, kernel=kernel), rkhs.score("trustworthiness(k=8)", Z, X)))
                K = rkhs.gram(X, kernel=kernel)
                share = ((Z - Z.mean(0)) ** 2).sum() / (np.trace(K) - K.mean() * len(K))
                self.assertAlmostEqual(tried[-1][0], share * rkhs.score("entropy", Z), delta=TIGHT)
            self.assertGreater(max(tried)[1], 0.98 * max(t for _, t in tried))
            self.assertLess(tried[0][1], 0.8 * max(tried)[1])

    def test_reconstruction_is_what_leaving_out_misses(self):
        for seed in range(2):
            X, Z, _ = cloud(30, seed=seed)
            width, ridge = ridge_choice(Z, X - X.mean(0))
            error = left_out(np.exp(-cdist(Z, Z) ** 2 / (2 * width ** 2)), ridge, X - X.mean(0))
            self.assertAlmostEqual(rkhs.score("reconstruction", Z, X), error / ((X - X.mean(0)) ** 2).sum(), delta=1e-8)

    def test_reconstruction_of_new_rows_is_by_the_others(self):
        X, Z, _ = cloud(300, seed=5)
        X[:, 0] = np.sin(Z[:, 0])
        train, new = slice(0, 40), slice(40, 300)
        mean = X[train].mean(0)
        width, ridge = ridge_choice(Z[train], X[train] - mean)
        kernel = f"rbf(sigma={width!r})"
        C = np.linalg.solve(rkhs.gram(Z[train], kernel=kernel) + ridge * np.eye(40), X[train] - mean)
        missed = X[new] - mean - rkhs.gram(Z[new], Z[train], kernel=kernel) @ C
        value = rkhs.score("reconstruction", Z[train], X[train], new_Z=Z[new], new_X=X[new])
        self.assertAlmostEqual(value, (missed ** 2).sum() / ((X[new] - mean) ** 2).sum(), delta=1e-8)

    def test_reconstruction_tells_good_embeddings_from_bad(self):
        t = np.linspace(0, 3, 300)
        X = np.c_[np.sin(t), np.cos(t), t]
        self.assertLess(rkhs.score("reconstruction", t[:, None], X), 1e-6)
        noise = np.random.default_rng(0).normal(size=(300, 1))
        self.assertGreater(rkhs.score("reconstruction", noise, X), 0.95)


# ---- what is refused, and what must not change ----------------------------------------------------------------------------


class Limits(unittest.TestCase):
    X, Z, y = cloud(60, seed=1)
    ALL = [entry["name"] for entry in rkhs.list("scores")]

    def refused(self, words, *args, **more):
        with self.assertRaisesRegex(rkhs.Error, naming(words)) as caught:
            rkhs.score(*args, **more)
        self.assertNotIn("\n", str(caught.exception))

    def test_every_score_is_the_same_on_any_number_of_threads(self):
        X, Z, y = cloud(300, seed=2)
        one, two, all_ = (rkhs.score(self.ALL, Z, X, y, n_jobs=jobs, deviation=True) for jobs in (1, 2, 3))
        self.assertEqual(repr(one), repr(two))
        self.assertEqual(repr(one), repr(all_))

    def test_scores_asked_for_together_and_alone_are_the_same(self):
        X, Z, y = cloud(120, seed=3)
        together = rkhs.score(self.ALL, Z, X, y)
        for name in self.ALL:
            self.assertEqual(together[name], rkhs.score(name, Z, X, y), msg=name)

    def test_wide_neighbourhoods_are_refused(self):
        for name in RANKS:
            self.refused("30 | below half | 60 rows", f"{name}(k=30)", self.Z, self.X)
            rkhs.score(f"{name}(k=29)", self.Z, self.X)
        self.refused("only 59 other rows", "knn(k=60)", self.Z, y=self.y)

    def test_constant_embeddings_have_values_or_sentences(self):
        Z = np.ones((60, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rkhs.Advice)
            for name in self.ALL:
                try:
                    self.assertTrue(np.isfinite(rkhs.score(name, Z, self.X, self.y)), msg=name)
                except rkhs.Error as error:
                    self.assertRegex(str(error), "equal|too close|that differ|the same")

    def test_constant_objects_have_values_or_sentences(self):
        X = np.ones((60, 2))
        for name in self.ALL:
            try:
                self.assertTrue(np.isfinite(rkhs.score(name, self.Z, X, self.y)), msg=name)
            except rkhs.Error as error:
                self.assertRegex(str(error), "equal")

    def test_what_is_no_number_is_refused(self):
        bad = self.Z.copy()
        for value in (np.nan, np.inf):
            bad[7, 1] = value
            for name in self.ALL:
                self.refused("row 8 | column 2", name, bad, self.X, self.y)

    def test_other_lengths_are_refused(self):
        for name in self.ALL:
            if name in ("entropy", "twonn"):  # of the embedding alone
                continue
            needs_labels = name not in RANKS + ["cka", "hsic", "reconstruction"]
            if needs_labels:
                self.refused("59 labels | 60 rows", name, self.Z, self.X, self.y[:59])
                self.refused("needs labels", name, self.Z, self.X)
            else:
                self.refused("59 objects | 60 rows", name, self.Z, self.X[:59], self.y)
                self.refused("needs objects", name, self.Z, None, self.y)

    def test_new_rows_of_other_shape_are_refused(self):
        for name in RANKS + ["knn", "reconstruction"]:
            self.refused("new rows | 1 dimension | 2", name, self.Z, self.X, self.y, new_Z=self.Z[:5, :1],
                         new_X=self.X[:5], new_y=self.y[:5])
        for name in RANKS + ["reconstruction"]:
            self.refused("columns", name, self.Z, self.X, new_Z=self.Z[:5], new_X=self.X[:5, :3])
            self.refused("needs new objects", name, self.Z, self.X, new_Z=self.Z[:5])
            self.refused("4 new objects", name, self.Z, self.X, new_Z=self.Z[:5], new_X=self.X[:4])
        self.refused("needs new labels", "knn", self.Z, y=self.y, new_Z=self.Z[:5])
        for name in ("svm", "nusvm", "silhouette", "davies_bouldin", "calinski_harabasz", "cka", "hsic"):
            self.refused("does not look at new rows", name, self.Z, self.X, self.y, new_Z=self.Z[:5], new_X=self.X[:5],
                         new_y=self.y[:5])

    def test_one_class_is_refused_where_there_is_nothing_to_tell_apart(self):
        for name in ("svm", "nusvm", "silhouette", "davies_bouldin", "calinski_harabasz"):
            self.refused("one class" if "svm" in name else "1 class", name, self.Z, y=np.zeros(60))
        self.assertEqual(rkhs.score("knn", self.Z, y=np.zeros(60)), 1)

    def test_what_is_missing_is_named_as_python_calls_it(self):
        self.refused("labels | y=", "knn", self.Z)
        self.refused("objects | X=", "trustworthiness", self.Z)
        self.refused("labels | new_y=", "knn", self.Z, y=np.arange(60) % 3, new_Z=self.Z)
        self.refused("rbf | rkhs.list('kernels')", "svm(kernel=rbff)", self.Z, y=np.arange(60) % 3)
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", self.Z)
            os.rename(f"{folder}/x.npy", f"{folder}/x.csv")
            with self.assertRaisesRegex(rkhs.FormatError, naming("x.csv | format='npy'")):
                rkhs.read(f"{folder}/x.csv")
            with self.assertRaisesRegex(rkhs.FormatError, naming("x.csv | rkhs.save")):
                rkhs.load(f"{folder}/x.csv")

    def test_classes_too_small_for_the_folds_are_refused(self):
        y = np.r_[np.zeros(56), np.ones(4)]
        self.refused("class 1 | 4 members | 5 folds", "svm", self.Z, y=y)
        self.refused("3 folds | inside", "svm(folds=2, select=nested)", self.Z, y=y)
        rkhs.score("svm(folds=4, select=nested)", self.Z, y=y)

    def test_forty_classes(self):
        _, Z, _ = cloud(400, seed=4)
        y = np.arange(400) % 40
        for name, value in rkhs.score(["knn", "silhouette", "svm(folds=2)", "davies_bouldin"], Z, y=y).items():
            self.assertTrue(np.isfinite(value), msg=name)
        self.refused("auc | two classes | 40", "svm(metric=auc, folds=2)", Z, y=y)

    def test_more_than_the_memory_is_refused(self):
        self.refused("limit | 20.0 MB", ["svm"], np.random.default_rng(0).normal(size=(3000, 2)), y=np.arange(3000) % 2, memory=20_000_000)

    def test_names_are_checked_before_the_work(self):
        self.refused("knn", "knm", self.Z, y=self.y)
        self.assertRaises(TypeError, rkhs.score, [1], self.Z)


class Tool(unittest.TestCase):
    def test_the_tool_and_the_package_agree_to_the_bit(self):
        X, Z, y = cloud(80, classes=2, seed=8)
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            for name, values in (("X", X), ("Z", Z), ("y", y)):
                np.save(at / f"{name}.npy", values[:60])
                np.save(at / f"new_{name}.npy", values[60:])
            names = ["trustworthiness(k=12)", "knn( k = 3 )", "reconstruction", "qnx"]
            more = ["svm(metric=f1)", "silhouette", "cka"]
            sets = ["--x", at / "X.npy", "--z", at / "Z.npy", "--labels", at / "y.npy", "--json"]
            new = ["--new-x", at / "new_X.npy", "--new-z", at / "new_Z.npy", "--new-labels", at / "new_y.npy"]

            def run(*words):
                done = subprocess.run([TOOL, "score", *words], capture_output=True, text=True, check=True)
                return json.loads(done.stdout)
            self.assertEqual(run(*names, *sets, *new),
                             rkhs.score(names, Z[:60], X[:60], y[:60], new_Z=Z[60:], new_X=X[60:], new_y=y[60:]))
            found = run(*names, *more, *sets, "--kernel", "rbf(sigma=median)")
            ours = rkhs.score(names + more, Z[:60], X[:60], y[:60], kernel="rbf(sigma=median)", deviation=True)
            self.assertEqual({**{name: value for name, (value, _) in ours.items()},
                              "svm(metric=f1) deviation": ours["svm(metric=f1)"][1]}, found)


if __name__ == "__main__":
    unittest.main()
