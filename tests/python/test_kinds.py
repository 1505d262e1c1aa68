"""Kinds of data and kernels of one's own: strings, bits, functions written in Python."""
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import rkhs
from common import CLASSES, DESCENTS, TOOL, blobs, fitted, naming, output

warnings.simplefilter("ignore", rkhs.Advice)
WORDS = ["banana", "bandana", "cabana", "kayak", "kodiak", "kayaks", "bananas", "cabanas"] * 3


def gaussian(x, y):
    return float(np.exp(-0.1 * np.sum((x - y) ** 2)))


def letters(x, y):
    return float(len(set(x) & set(y)))


def broken(x, y):
    raise LookupError("nothing to see")


class Labels(unittest.TestCase):
    """Models that can learn from classes do so where they are asked to, and as the tool does."""

    def test_classes_count_where_they_are_asked_for(self):
        X, y = blobs(40, 3, 4)
        words = np.array(["one", "two", "one too", "none"])[y]
        labelled = [cls for cls in CLASSES if "labels" in (cls._table["supervision"] or "")]
        self.assertEqual(labelled, [cls for cls in CLASSES if "supervised" in cls().get_params()])
        self.assertIn(rkhs.KernelEmbedding, labelled)
        for cls in labelled:
            plain, taught = cls().fit(X, y), cls(supervised=True).fit(X, y)
            np.testing.assert_array_equal(plain.embedding_, cls().fit_transform(X))
            self.assertGreater(abs(plain.embedding_ - taught.embedding_).max(), 1e-3)
            np.testing.assert_array_equal(cls(supervised=True).fit_transform(X, words), taught.embedding_)
            np.testing.assert_allclose(taught.transform(X), taught.embedding_, atol=1e-12)
            with tempfile.TemporaryDirectory() as folder:
                at = pathlib.Path(folder)
                np.save(at / "X.npy", X)
                np.save(at / "y.npy", y)
                subprocess.run([TOOL, "fit", cls._table["name"], "X.npy", "--labels", "y.npy", "-z", "Z.npy", "-o", "m.rkhs"],
                               cwd=at, check=True, capture_output=True)
                np.testing.assert_array_equal(np.load(at / "Z.npy"), taught.embedding_)
                self.assertTrue(rkhs.load(at / "m.rkhs").supervised)
                rkhs.save(plain, at / "p.rkhs")
                self.assertFalse(rkhs.load(at / "p.rkhs").supervised)

    def test_what_is_no_label_for_each_object_is_refused(self):
        X, y = blobs(40, 3, 4)
        for bad, words in ((None, "requires y"), (y[:39], r"\[40, 39\]"), (X[:, 0], "Unknown label type"), (X, "1d array")):
            with self.assertRaisesRegex(ValueError, words):
                rkhs.KernelEmbedding(supervised=True).fit(X, bad)


class Triplets(unittest.TestCase):
    def test_rows_that_belong_together(self):
        X = np.random.default_rng(0).normal(size=(30, 3))
        rows = np.c_[np.arange(30), (np.arange(30) + 1) % 30, (np.arange(30) + 15) % 30]
        for cls in (rkhs.KernelContrastive, rkhs.SpectralContrastive):
            given, pairs, drawn = cls().fit(X, triplets=rows), cls().fit(X, triplets=rows[:, :2].astype(np.int32)), cls().fit(X)
            np.testing.assert_allclose(given.transform(X), given.embedding_, atol=1e-12)
            np.testing.assert_array_equal(cls().fit_transform(X, triplets=rows), given.embedding_)
            self.assertEqual((given.report_["reference_objects"], pairs.report_["triplets"], drawn.report_["reference_objects"]), (30, 30, 60))
            self.assertEqual(drawn.embedding_.shape, (30, 2))
            for bad, words in (([[0, 0, 1]], "object 0 twice"), ([[0, 1, 30]], "is 30"),
                               ([[0.5, 1, 2]], "whole numbers"), ([[1]], "rows of 2 or 3")):
                with self.assertRaisesRegex(ValueError, words):
                    cls().fit(X, triplets=np.array(bad))
            apart = cls(kernel="rbf(sigma=1)").fit(X, positive=X[rows[:, 1]] + 0.1, negative=X[rows[:, 2]])
            self.assertEqual((apart.embedding_.shape, apart.report_["reference_objects"]), ((30, 2), 90))
            np.testing.assert_allclose(apart.transform(X), apart.embedding_, atol=1e-12)
            self.assertEqual(cls().fit_transform(X, positive=X + 0.1).shape, (30, 2))
            for bad, words in (({"negative": X}, "goes with positive"), ({"positive": X, "triplets": rows}, "not both"),
                               ({"positive": X[:9]}, "9 objects.* 30"), ({"positive": X[:, :2]}, "2 features")):
                with self.assertRaisesRegex(ValueError, words):
                    cls().fit(X, **bad)
        for second in ({"triplets": rows}, {"positive": X}):
            with self.assertRaisesRegex(ValueError, "takes no triplets"):
                rkhs.KernelPCA().fit(X, **second)
        self.assertEqual(rkhs.SpectralContrastive(ridge=3.5).fit(X).ridge_, 3.5)


class Functions(unittest.TestCase):
    def test_a_function_is_the_kernel_that_it_computes(self):
        X, _ = blobs(40)
        for cls in (cls for cls in CLASSES if cls not in DESCENTS):
            ours, text = fitted(cls, X, kernel=gaussian), fitted(cls, X, kernel="rbf(gamma=0.1)")
            np.testing.assert_allclose(np.abs(output(ours, X[:9] + 0.1)), np.abs(output(text, X[:9] + 0.1)), atol=1e-9)
        np.testing.assert_allclose(rkhs.gram(X, X[:5], gaussian), rkhs.gram(X, X[:5], "rbf(gamma=0.1)"), rtol=1e-12)
        sparse = scipy.sparse.csr_matrix(np.where(X > 1, X, 0))
        np.testing.assert_allclose(rkhs.gram(sparse, kernel=gaussian), rkhs.gram(sparse.toarray(), kernel=gaussian), rtol=1e-12)

    def test_its_exception_comes_through_unchanged(self):
        X, _ = blobs(30)
        model = rkhs.KernelPCA(kernel=broken)
        with self.assertRaisesRegex(LookupError, "nothing to see"):
            model.fit(X)
        self.assertFalse(hasattr(model, "kernel_"))
        with self.assertRaisesRegex(LookupError, "nothing to see"):
            rkhs.gram(X, kernel=broken)
        with self.assertRaises(rkhs.Error):
            rkhs.gram(X, kernel=lambda x, y: float("nan"))
        with self.assertRaises(TypeError):
            rkhs.gram(X, kernel=3)

    def test_a_function_that_calls_its_own_estimator_is_told(self):
        X, _ = blobs(30)
        calls = {"fit": lambda: model.fit(X), "transform": lambda: model.transform(X), "update": lambda: model.update(X),
                 "fit_transform": lambda: model.fit_transform(X), "anomaly": lambda: model.anomaly(X)}
        inner = []

        def kernel(x, y):
            for name in inner:
                calls[name]()
            return gaussian(x, y)

        model = rkhs.KernelPCA(kernel=kernel).fit(X)
        before, fit = model.transform(X), model._model
        for outer in calls:
            for name in calls:
                inner[:] = [name]
                with self.subTest(outer=outer, inner=name), self.assertRaisesRegex(rkhs.BusyError, "the model that calls it"):
                    calls[outer]()
                inner.clear()
                self.assertIs(model._model, fit)
                np.testing.assert_array_equal(model.transform(X), before)

    def test_a_model_with_a_function_is_pickled_with_it(self):
        X, _ = blobs(40)
        model = rkhs.KernelPCA(kernel=gaussian).fit(X)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.transform(X[:5]), model.transform(X[:5]))
        again.fit(X[:20])  # with the same function, once more

    def test_a_model_file_with_a_function_is_loaded_with_it(self):
        X, _ = blobs(40)
        model = rkhs.KernelPCA(kernel=gaussian).fit(X)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.rkhs")
            rkhs.save(model, path)
            with self.assertRaisesRegex(rkhs.FormatError, naming("m.rkhs | Python function | rkhs.load(path, kernel=f)")):
                rkhs.load(path)
            with self.assertRaisesRegex(TypeError, "'rbf'"):
                rkhs.load(path, kernel="rbf")
            again = rkhs.load(path, kernel=gaussian)
        np.testing.assert_array_equal(again.transform(X[:5]), model.transform(X[:5]))
        self.assertIs(again.kernel, gaussian)
        np.testing.assert_array_equal(again.fit(X).embedding_, model.embedding_)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.rkhs")
            rkhs.save(rkhs.KernelPCA(kernel="rbf(gamma=1)").fit(X), path)
            with self.assertRaisesRegex(ValueError, naming("rbf(gamma=1) | function")):
                rkhs.load(path, kernel=gaussian)

    def test_functions_of_strings(self):
        K = rkhs.gram(WORDS[:8], kernel=letters)
        self.assertEqual(K[0, 3], 1.0)
        self.assertEqual(rkhs.KernelPCA(kernel=letters).fit(WORDS).transform(["papaya"]).shape, (1, 2))


class Strings(unittest.TestCase):
    def test_lists_arrays_and_series_are_the_same(self):
        import pandas as pd

        model = rkhs.KernelPCA(kernel="spectrum(p=2)").fit(WORDS)
        Z = model.transform(WORDS)
        for form in (tuple(WORDS), np.array(WORDS), np.array(WORDS, dtype=object), pd.Series(WORDS), [w.encode() for w in WORDS]):
            np.testing.assert_array_equal(model.transform(form), Z)
        self.assertEqual(model.inverse_transform(Z)[:3], WORDS[:3])

    def test_a_search_over_kernels_of_strings(self):
        y = [word[0] for word in WORDS]
        pipeline = make_pipeline(rkhs.KernelPCA(), KNeighborsClassifier(3))
        grid = {"kernelpca__kernel": ["ssk(p=2)", "spectrum(p=2)", letters]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(np.array(WORDS), y)
        self.assertGreater(search.best_score_, 0.9)

    def test_what_is_not_all_strings(self):
        with self.assertRaisesRegex(TypeError, "object 1"):
            rkhs.KernelPCA().fit(["a", 3, "b"])
        with self.assertRaises(ValueError):
            rkhs.KernelPCA(kernel="rbf").fit(WORDS)
        with self.assertRaises(ValueError):
            rkhs.KernelPCA(kernel="ssk").fit(np.eye(4))


def ring(size, extra=0):
    """A ring, and a chain of `extra` vertices on it; labels 0 and 1 in turn."""
    edges = [(v, (v + 1) % size) for v in range(size)] + [(v - 1, v) for v in range(size, size + extra)]
    return edges, [v % 2 for v in range(size + extra)]


class Graphs(unittest.TestCase):
    def setUp(self):
        self.graphs = [ring(3 + i % 4, i % 5) for i in range(20)]

    def test_wl_is_what_relabelling_counts(self):
        numbers, rows = {}, []
        for edges, now in self.graphs:
            near = [[u for e in edges for u in e if v in e and u != v] for v in range(len(now))]
            counts, now = {}, [(label,) for label in now]
            for _ in range(3):
                now = [numbers.setdefault(key, len(numbers)) for key in now]
                for c in now:
                    counts[c] = counts.get(c, 0) + 1
                now = [(c, tuple(sorted(now[u] for u in near[v]))) for v, c in enumerate(now)]
            rows.append(counts)
        F = np.zeros((len(rows), len(numbers)))
        for i, counts in enumerate(rows):
            F[i, list(counts)] = list(counts.values())
        np.testing.assert_array_equal(rkhs.gram(self.graphs, kernel="wl(h=2, normalize=false)"), F @ F.T)
        np.testing.assert_array_equal(rkhs.gram(self.graphs[:7], self.graphs[7:], "wl(h=2, normalize=false)"), F[:7] @ F[7:].T)

    def test_every_form_of_the_same_graphs(self):
        K = rkhs.gram(self.graphs, kernel="wl")
        arrays = [(np.array(e), np.array(y, np.int32)) for e, y in self.graphs]
        np.testing.assert_array_equal(rkhs.gram(arrays, kernel="wl"), K)
        bonds = [(e, y, [0] * len(e)) for e, y in self.graphs]
        np.testing.assert_array_equal(rkhs.gram(bonds, kernel="wl"), K)
        bare = [(e, len(y)) for e, y in self.graphs]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            rkhs.gram(bare, kernel="wl")
        self.assertIn("degrees", str(said[0].message))
        np.testing.assert_array_equal(rkhs.gram([([], [3]), ([], [3])], kernel="paths"), np.ones((2, 2)))

    def test_a_model_embeds_new_graphs_and_gives_kept_ones_back(self):
        model = rkhs.KernelPCA(kernel="wl").fit(self.graphs)
        np.testing.assert_allclose(model.transform(self.graphs), model.embedding_, atol=1e-9)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.transform(self.graphs[:3]), model.transform(self.graphs[:3]))
        edges, labels = model.inverse_transform(model.embedding_)[2]
        self.assertEqual(labels, self.graphs[2][1])
        self.assertEqual(sorted(map(tuple, edges)), sorted(tuple(sorted(e)) for e in self.graphs[2][0]))
        kept = rkhs.KernelPCA(kernel="wl").fit([(e, len(y), list(range(len(e)))) for e, y in self.graphs])
        back = kept.inverse_transform(kept.embedding_)[0]
        self.assertEqual(back[1], 3)
        self.assertEqual(dict(zip(map(tuple, back[0]), back[2])), {(0, 1): 0, (1, 2): 1, (0, 2): 2})

    def test_functions_of_graphs_and_what_is_no_graph(self):
        K = rkhs.gram(self.graphs, kernel=lambda x, y: float(len(x[0]) * len(y[0])))
        self.assertEqual(K.shape, (20, 20))
        with self.assertRaisesRegex(rkhs.Error, "ends at vertex 9"):
            rkhs.gram([([(0, 9)], [1, 2])], kernel="wl")
        with self.assertRaisesRegex(rkhs.Error, "0 vertices"):
            rkhs.gram([([], [])], kernel="wl")
        with self.assertRaisesRegex(TypeError, "object 1"):
            rkhs.gram([ring(3), "ring"], kernel="wl")
        with self.assertRaisesRegex(TypeError, naming("object 0 | labels | whole numbers")):
            rkhs.gram([([(0, 1)], [0.5, 1.0])], kernel="wl")
        with self.assertRaisesRegex(ValueError, naming("object 1 | labels")):
            rkhs.gram([ring(3), ([], 2)], kernel="wl")
        with self.assertRaisesRegex(ValueError, naming("1 edges | 2 labels")):
            rkhs.gram([([(0, 1)], [0, 1], [1, 2])], kernel="wl")
        with self.assertRaises(ValueError):
            rkhs.KernelPCA(kernel="rbf").fit(self.graphs)


class Packed(unittest.TestCase):
    def test_bits_in_either_order_are_the_table_that_was_packed(self):
        table = np.random.default_rng(0).random((30, 50)) < 0.2
        K = rkhs.gram(table.astype(float), kernel="tanimoto")
        for order in ("big", "little"):
            bits = rkhs.Bits(np.packbits(table, axis=1, bitorder=order), 50, bitorder=order)
            np.testing.assert_array_equal(rkhs.gram(bits, kernel="tanimoto"), K)
            np.testing.assert_array_equal(rkhs.gram(bits[3:9], bits, "tanimoto"), K[3:9])
            model = rkhs.KernelPCA(5).fit(bits)
            self.assertEqual(model.n_features_in_, 50)
            self.assertTrue(set(np.unique(model.inverse_transform(model.embedding_))) <= {0.0, 1.0})
        inter = (table[:, None] & table).sum(-1)
        union = (table[:, None] | table).sum(-1)
        np.testing.assert_allclose(K, np.where(union == 0, 1, inter / np.maximum(union, 1)), rtol=1e-14)


def moved(image, dy, dx):
    """An image moved down and to the right, into zeros."""
    h, w = image.shape[:2]
    out = np.zeros_like(image)
    out[max(0, dy):h + min(0, dy), max(0, dx):w + min(0, dx)] = image[max(0, -dy):h + min(0, -dy), max(0, -dx):w + min(0, -dx)]
    return out


class Images(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(0).integers(0, 256, (24, 5, 4)).astype(float)

    def test_vector_kernels_see_the_flattened_images(self):
        flat = self.X.reshape(24, -1)
        for kernel in (None, "rbf(sigma=500)", "linear[0,3:7]", gaussian):
            images, rows = rkhs.KernelPCA(3, kernel=kernel).fit(self.X), rkhs.KernelPCA(3, kernel=kernel).fit(flat)
            np.testing.assert_array_equal(images.embedding_, rows.embedding_)
            np.testing.assert_array_equal(images.transform(self.X[:5]), rows.transform(flat[:5]))
            np.testing.assert_array_equal(images.transform(flat[:5]), rows.transform(flat[:5]))
            self.assertEqual(images.n_features_in_, 20)
            self.assertEqual(images.inverse_transform(images.embedding_).shape, (24, 5, 4))
            np.testing.assert_array_equal(images.inverse_transform(images.embedding_).reshape(24, -1), rows.inverse_transform(rows.embedding_))
        self.assertLess(rkhs.KernelPCA(3).fit(self.X).score(self.X), 0)

    def test_a_shift_kernel_is_the_mean_over_shifts(self):
        for X in (self.X, np.random.default_rng(1).random((6, 4, 3, 3))):
            copies = np.array([[moved(x, dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)] for x in X])
            rows = copies.reshape(len(X) * 9, -1)
            square = ((rows[:, None] - rows) ** 2).sum(-1)
            for gamma in (1e-5, 0.3):
                K = np.exp(-gamma * square).reshape(len(X), 9, len(X), 9)
                np.testing.assert_allclose(rkhs.gram(X, kernel=f"shift(rbf(gamma={gamma}))"), K.mean((1, 3)), rtol=1e-10)
                np.testing.assert_allclose(rkhs.gram(X, kernel=f"align(rbf(gamma={gamma}))"), K.max((1, 3)), rtol=1e-10)

    def test_colours_come_back_and_models_are_stored(self):
        X = np.random.default_rng(2).random((12, 4, 3, 3)).astype(np.float32)
        model = rkhs.KernelPCA(2, kernel="shift(rbf)").fit(X)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.transform(X), model.transform(X))
        back = again.inverse_transform(again.embedding_)
        self.assertEqual(back.shape, X.shape)
        self.assertEqual(model.transform(X).dtype, np.float32)

    def test_images_of_another_shape_are_refused(self):
        model = rkhs.KernelPCA(2).fit(self.X)
        with self.assertRaisesRegex(ValueError, naming("4 x 5 x 1 | 5 x 4 x 1")):
            model.transform(self.X.reshape(24, 4, 5))
        with self.assertRaisesRegex(ValueError, "expecting 20 features"):
            model.transform(self.X[:, :3])
        with self.assertRaisesRegex(ValueError, naming("height | width")):
            rkhs.KernelPCA(2, kernel="shift(rbf)").fit(self.X.reshape(24, -1))
        with self.assertRaisesRegex(ValueError, "is NaN"):
            rkhs.KernelPCA(2).fit(np.where(self.X > 250, np.nan, self.X))


class Files(unittest.TestCase):
    X = np.arange(12.0).reshape(4, 3)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_what_scipy_saves_as_mat_is_read(self):
        words, path = ["Z\u00fcrich", "a b", "", "cat"], self.folder / "x.mat"
        for packed in (False, True):
            scipy.io.savemat(path, {"X": self.X, "S": scipy.sparse.csc_matrix(self.X), "big": np.array([[2**53 + 1, -1]]), "flag": self.X > 5,
                                    "y": np.array(words, dtype=object), "rows": np.array(words), "s": {"a": {"b": [1]}}, "c": self.X * 1j,
                                    "n": np.array([[3, 1, 3, 2]])}, do_compression=packed)
            np.testing.assert_array_equal(rkhs.read(path), self.X)
            sparse = rkhs.read(path, "mat(key=S)")
            self.assertTrue(scipy.sparse.issparse(sparse) and sparse.nnz == 11)
            np.testing.assert_array_equal(sparse.toarray(), self.X)
            self.assertEqual(rkhs.read(path, "mat(key=big)").tolist(), [[2.0**53, -1.0]])
            np.testing.assert_array_equal(rkhs.read(path, "mat(key=flag)"), self.X > 5)
            self.assertEqual(rkhs.read(path, "mat(key=y)"), words)
            self.assertEqual(rkhs.read(str(path), "mat(key=rows)"), words)
            self.assertEqual(rkhs.read(path, labels=True), ["Z\u00fcrich", "a b", None, "cat"])
            self.assertEqual(rkhs.read(path, "mat(key=n)", labels=True), ["3", "1", "3", "2"])
            with self.assertRaisesRegex(rkhs.DataError, "x.mat: the variable c is complex"):
                rkhs.read(path, "mat(key=c)")
            with self.assertRaisesRegex(rkhs.DataError, "no variable Q; there are X "):
                rkhs.read(path, "mat(key=Q)")

    def test_files_of_every_kind_come_as_the_estimators_take_them(self):
        images, path = np.arange(24.0).reshape(2, 3, 4), self.folder / "x.npy"
        np.save(path, images)
        np.testing.assert_array_equal(rkhs.read(path), images)
        (self.folder / "x.txt").write_text("one\ntwo\n")
        self.assertEqual(rkhs.read(self.folder / "x.txt"), ["one", "two"])
        (self.folder / "x.svm").write_text("1 1:0.5 3:2\n2 2:4\n")
        np.testing.assert_array_equal(rkhs.read(self.folder / "x.svm").toarray(), [[0.5, 0, 2], [0, 4, 0]])
        with self.assertRaisesRegex(rkhs.FileError, "none.csv"):
            rkhs.read(self.folder / "none.csv")
        with self.assertRaisesRegex(rkhs.SpecError, "nosuch"):
            rkhs.read(path, "nosuch")
        with self.assertRaises(rkhs.MemoryLimitError):
            rkhs.read(path, memory=1000)


if __name__ == "__main__":
    unittest.main()
