"""Kinds of data and kernels of one's own: strings, bits, functions written in Python."""
import os
import pickle
import tempfile
import unittest
import warnings

import numpy as np
import scipy.sparse
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import rkhs
from common import CLASSES, blobs, fitted, output

warnings.simplefilter("ignore", rkhs.Advice)
WORDS = ["banana", "bandana", "cabana", "kayak", "kodiak", "kayaks", "bananas", "cabanas"] * 3


def gaussian(x, y):
    return float(np.exp(-0.1 * np.sum((x - y) ** 2)))


def letters(x, y):
    return float(len(set(x) & set(y)))


def broken(x, y):
    raise LookupError("nothing to see")


class Functions(unittest.TestCase):
    def test_a_function_is_the_kernel_that_it_computes(self):
        X, _ = blobs(70)
        for cls in CLASSES:
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
            with self.assertRaisesRegex(rkhs.Error, "python"):
                rkhs.load(path)
            again = rkhs.load(path, kernel=gaussian)
        np.testing.assert_array_equal(again.transform(X[:5]), model.transform(X[:5]))
        self.assertIs(again.kernel, gaussian)
        np.testing.assert_array_equal(again.fit(X).embedding_, model.embedding_)

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


if __name__ == "__main__":
    unittest.main()
