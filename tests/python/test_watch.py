"""Anomaly scores and updates, against SciPy and NumPy."""
import pickle
import unittest
import warnings

import numpy as np
from scipy.stats import gaussian_kde
from sklearn.exceptions import NotFittedError

import rkhs
from common import CLASSES, blobs, naming

warnings.simplefilter("ignore", rkhs.Advice)
EMBEDDERS = [cls for cls in CLASSES if hasattr(cls, "transform")]


class Anomaly(unittest.TestCase):
    def test_the_density_is_that_of_scipy(self):
        X, _ = blobs()
        new = X[:20] + 0.3
        for cls in (rkhs.KernelPCA, rkhs.TwinKernelEmbedding):
            model = cls(n_components=2).fit(X)
            expected = -gaussian_kde(model.embedding_.T).logpdf(model.transform(new).T)
            np.testing.assert_allclose(model.anomaly(new, by="density"), expected, rtol=1e-9)

    def test_the_error_of_a_linear_kernel_is_that_of_the_inverse(self):
        X, _ = blobs()
        model = rkhs.KernelPCA(n_components=2, kernel="linear").fit(X)
        new = np.vstack([X[:5] + 0.1, [[30, -20, 50, 0]]])
        missed = ((new - model.inverse_transform(model.transform(new))) ** 2).sum(1) / (X**2).sum(1).mean()
        scores = model.anomaly(new)
        np.testing.assert_allclose(scores, missed, rtol=1e-7)
        self.assertEqual(scores.argmax(), 5)
        self.assertEqual(scores.shape, (6,))

    def test_kinds_and_grams(self):
        words = ["the cat sat", "the cat ran", "a cat sat", "a cat ran", "the cat"]
        scores = rkhs.KernelPCA().fit(words).anomaly(["the cat sat on", "xyzzy"])
        self.assertGreater(scores[1], scores[0])
        X, _ = blobs()
        K = rkhs.gram(X, kernel="rbf(sigma=3)")
        given, own = rkhs.KernelPCA(kernel="precomputed").fit(K), rkhs.KernelPCA(kernel="rbf(sigma=3)").fit(X)
        np.testing.assert_allclose(given.anomaly(K[:7]), own.anomaly(X[:7], by="density"), rtol=1e-6)
        with self.assertRaisesRegex(rkhs.DataError, "use density"):
            given.anomaly(K, by="error")

    def test_refusals(self):
        X, _ = blobs()
        model = rkhs.KernelPCA().fit(X)
        with self.assertRaisesRegex(rkhs.SpecError, naming("error | density | both")):
            model.anomaly(X, by="eror")
        with self.assertRaisesRegex(ValueError, "4 features"):
            model.anomaly(X[:, :3])
        with self.assertRaisesRegex(rkhs.DataError, "NaN"):
            model.anomaly(np.full((2, 4), np.nan))
        with self.assertRaises(NotFittedError):
            rkhs.KernelPCA().anomaly(X)
        self.assertFalse(hasattr(rkhs.KernelRidge, "anomaly"))


class Update(unittest.TestCase):
    def test_an_update_is_a_fit_on_all(self):
        X, _ = blobs()
        model = rkhs.KernelPCA(n_components=2).fit(X[:80])
        before, kernel = model.embedding_, model.kernel_
        self.assertIs(model.update(X[80:]), model)
        Z = rkhs.KernelPCA(n_components=2, kernel=kernel).fit_transform(X)
        Z *= np.sign((Z[:80] * before).sum(0))
        np.testing.assert_allclose(model.embedding_, Z, atol=1e-10)
        self.assertEqual((model.kernel_, model.report_["rows"], model.new_rows_), (kernel, 90, 10))
        spread = np.sqrt(((before - before.mean(0)) ** 2).sum())
        self.assertAlmostEqual(model.moved_, np.sqrt(((Z[:80] - before) ** 2).sum()) / spread, places=9)

    def test_every_model_takes_new_objects_or_says_why_not(self):
        X, _ = blobs()
        for cls in EMBEDDERS:
            model = cls().fit(X[:80])
            try:
                model.update(X[80:])
            except rkhs.ArgumentError as why:
                self.assertRegex(str(why), "fit on all")
                self.assertEqual(len(model.embedding_), 80)
            else:
                self.assertEqual(len(model.embedding_), 90)
                self.assertTrue(np.isfinite(model.embedding_).all())

    def test_refusals_leave_the_model(self):
        X, _ = blobs()
        model = rkhs.BackConstrainedTKE(gram="nystrom(landmarks=20)").fit(X)
        with self.assertRaisesRegex(rkhs.ArgumentError, "20 of the 90"):
            model.update(X)
        model = rkhs.KernelPCA().fit(X)
        for error, words, new in ((ValueError, "4 features", X[:, :2]), (rkhs.DataError, "NaN", np.full((2, 4), np.nan))):
            with self.assertRaisesRegex(error, words):
                model.update(new)
        self.assertEqual(len(model.embedding_), 90)

    def test_landmarks_add_new_objects(self):
        X, _ = blobs()
        for cls in (rkhs.KernelPCA, rkhs.LocalityPreservingProjections, rkhs.NeighbourhoodPreservingEmbedding):
            model = cls(gram="nystrom(landmarks=20)").fit(X[:80])
            again = pickle.loads(pickle.dumps(model)).update(X[80:])
            self.assertIs(model.update(X[80:]), model)
            self.assertEqual((len(model.embedding_), model.objects_seen_, model.new_rows_), (30, 90, 10))
            np.testing.assert_array_equal(again.embedding_, model.embedding_)
            np.testing.assert_allclose(model.transform(X[80:]), model.embedding_[20:], atol=1e-10)
            self.assertFalse(hasattr(model, "components_"))

    def test_targets_are_added(self):
        X, _ = blobs()
        Y = np.column_stack([X.sum(1), X[:, 0] ** 2])
        for gram in ("exact", "nystrom(by=given, rows=[0:20])", "features(count=30)"):
            for y in (Y, Y[:, 0]):
                model = rkhs.KernelRidge(gram=gram, kernel="rbf(sigma=2)").fit(X[:50], y[:50])
                self.assertIs(model.update(X[50:80], y[50:80]).update(X[80:], y[80:]), model)
                whole = rkhs.KernelRidge(gram=gram, kernel="rbf(sigma=2)").fit(X, y)
                np.testing.assert_allclose(model.predict(X), whole.predict(X), atol=1e-9)
                self.assertEqual(model.predict(X).shape, y.shape)
                self.assertAlmostEqual(model.training_error_, whole.training_error_, places=9)
        before = model.predict(X)
        with self.assertRaisesRegex(ValueError, "y"):
            model.update(X, None)
        with self.assertRaisesRegex(ValueError, "inconsistent"):
            model.update(X, y[:3])
        with self.assertRaisesRegex(rkhs.DataError, "2 columns"):
            model.update(X, Y)
        with self.assertRaises(NotFittedError):
            rkhs.KernelRidge().update(X, y)
        with self.assertRaises(TypeError):
            rkhs.KernelPCA().fit(X).update(X, y)
        np.testing.assert_array_equal(model.predict(X), before)


if __name__ == "__main__":
    unittest.main()
