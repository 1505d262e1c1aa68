"""Estimators in scikit-learn's world: pipelines, searches, pandas, pickles, dtypes, kinds of data."""
import doctest
import inspect
import pickle
import re
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone
from sklearn.decomposition import KernelPCA as PeerKernelPCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge as PeerKernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rkhs
from common import CLASSES, DESCENTS, ROOT, TOOL, blobs, child, fitted, naming, output
from rkhs._purposes import PURPOSES

warnings.simplefilter("ignore", rkhs.Advice)


class Tables(unittest.TestCase):
    def test_every_model_of_the_library_is_a_class(self):
        self.assertEqual({cls.__name__ for cls in CLASSES}, {model["title"] for model in rkhs.list("models")})
        self.assertLessEqual({cls.__name__ for cls in CLASSES}, set(dir(rkhs)))

    def test_signatures_and_documentation_say_what_the_tables_say(self):
        for cls in CLASSES:
            parameters = inspect.signature(cls).parameters
            for p in cls._table["params"]:
                name = {"dim": "n_components", "neighbours": "n_neighbors"}.get(p["name"], p["name"])
                default = parameters[name].default
                self.assertEqual("" if default is None else str(default).lower().removesuffix(".0"), p["value"] or "")
                self.assertIn(p["brief"].split()[0], cls.__doc__)
                self.assertIn(f"\n{name} : ", cls.__doc__)

    def test_help_opens_with_what_the_model_is_for_and_an_example(self):
        for cls in CLASSES:
            purpose = PURPOSES[cls._table["name"]]
            places = [cls.__doc__.find(part) for part in (" ".join(purpose.split()[:5]), "\nExamples\n", "\nParameters\n")]
            self.assertEqual(places, sorted(places), cls.__name__)
            self.assertGreater(places[0], 0, cls.__name__)

    def test_stubs_name_every_class_and_parameter(self):
        stubs = (TOOL.parent / "python" / "rkhs" / "__init__.pyi").read_text()
        compile(stubs, "__init__.pyi", "exec")
        for cls in CLASSES:
            part = stubs.split(f"class {cls.__name__}:")[1].split("\nclass ")[0]
            for name in inspect.signature(cls).parameters:
                self.assertRegex(part, rf"\b{name}: ")

    def test_scikit_learn_is_imported_only_with_an_estimator(self):
        done = child("import sys, rkhs; rkhs.gram([[1.0], [2.0]]); rkhs.list('models'); print('sklearn' in sys.modules)")
        self.assertEqual(done.stdout.split(), ["False"], done.stderr)

    def test_an_unknown_name_is_an_attribute_error(self):
        with self.assertRaisesRegex(AttributeError, "KernelXYZ"):
            rkhs.KernelXYZ

    def test_doctests(self):
        failed = tried = 0
        modules = [rkhs, *(__import__(f"rkhs.{name}", fromlist=["x"]) for name in ("_data", "_functions"))]
        for module in modules:
            result = doctest.testmod(module, verbose=False)
            failed, tried = failed + result.failed, tried + result.attempted
        runner = doctest.DocTestRunner(verbose=False)
        for cls in CLASSES:
            for test in doctest.DocTestFinder().find(cls, cls.__name__, globs={}):
                if test.examples:
                    runner.run(test)
        self.assertEqual(failed + runner.failures, 0)
        self.assertGreater(tried + runner.tries, 8)

    def test_the_python_lines_of_the_readme_run(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        self.assertTrue(blocks)
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks:
                done = child(block, cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)


class Conventions(unittest.TestCase):
    def setUp(self):
        self.X, self.y = blobs()

    def test_pipeline_search_and_clone(self):
        pipeline = make_pipeline(StandardScaler(), rkhs.KernelPCA(), KNeighborsClassifier())
        grid = {"kernelpca__n_components": [1, 2], "kernelpca__kernel": ["linear", "rbf(sigma=median)"]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(self.X, self.y)
        self.assertGreater(search.best_score_, 0.9)
        for cls in CLASSES:
            made = cls(kernel="linear", random_state=3)
            self.assertEqual(clone(made).get_params(), made.get_params())
            self.assertEqual(made.set_params(kernel="rbf").kernel, "rbf")

    def test_search_by_the_estimators_own_score(self):
        search = GridSearchCV(rkhs.KernelPCA(), {"n_components": [1, 2, 3]}, cv=3).fit(self.X)
        self.assertEqual(search.best_params_["n_components"], 3)

    def test_precomputed_is_cut_by_rows_and_columns(self):
        K = rbf_kernel(self.X, gamma=0.1)
        target = self.X[:, 0] - self.X[:, 0].mean()
        ours = cross_val_score(rkhs.KernelRidge(ridge=0.1, kernel="precomputed"), K, target, cv=4)
        peer = cross_val_score(PeerKernelRidge(alpha=0.1, kernel="precomputed"), K, target, cv=4)
        np.testing.assert_allclose(ours, peer, rtol=1e-9)

    def test_a_refit_that_fails_leaves_the_old_fit(self):
        X, y = blobs(40)
        names = pd.DataFrame(X, columns=list("abcd"))
        for cls in CLASSES:
            model = cls(**({"solver": "lbfgs(max_iter=2)"} if cls in DESCENTS else {})).fit(names, X[:, 0])
            before, state = output(model, names), {**model.__dict__}
            for wrong in (np.full((9, 2), np.nan), X[:1], "text", X[:, :0], np.where(X == X[3, 3], np.inf, X)):
                with self.subTest(model=cls.__name__), self.assertRaises(ValueError):
                    model.fit(wrong, np.ones((len(wrong), 3)))
                self.assertEqual(model.__dict__.keys(), state.keys())
                self.assertTrue(all(model.__dict__[name] is value for name, value in state.items()))
                np.testing.assert_array_equal(output(model, names), before)
        model = rkhs.KernelPCA().fit(X)
        with self.assertRaisesRegex(ValueError, "dim = 99"):
            model.set_params(n_components=99).fit(X)
        self.assertEqual(model.transform(X).shape, (40, 2))
        model.set_params(n_components=3).fit(names)
        self.assertEqual(([*model.feature_names_in_], model.embedding_.shape), ([*"abcd"], (40, 3)))
        self.assertFalse(hasattr(model.fit(X), "feature_names_in_"))

    def test_pandas_in_and_out(self):
        frame = pd.DataFrame(self.X, columns=list("abcd"))
        Z = rkhs.KernelPCA().set_output(transform="pandas").fit_transform(frame)
        self.assertEqual(list(Z.columns), ["kernelpca0", "kernelpca1"])
        model = rkhs.KernelPCA().fit(frame)
        self.assertEqual(list(model.feature_names_in_), list("abcd"))
        with self.assertRaisesRegex(ValueError, "feature names"):
            model.transform(frame.rename(columns={"a": "z"}))
        self.assertEqual(list(model.get_feature_names_out()), ["kernelpca0", "kernelpca1"])

    def test_repr_shows_what_differs_from_the_defaults(self):
        self.assertEqual(repr(rkhs.KernelPCA(n_components=3, kernel="linear")), "KernelPCA(kernel='linear', n_components=3)")

    def test_float32_stays_float32_and_other_layouts_give_the_same_numbers(self):
        for cls in CLASSES:
            few = {"solver": "lbfgs(max_iter=5)"} if cls in DESCENTS else {}
            model = fitted(cls, self.X, **few)
            Z = output(model, self.X)
            single = fitted(cls, self.X.astype(np.float32), **few)
            self.assertEqual(output(single, self.X.astype(np.float32)).dtype, np.float32)
            if cls not in DESCENTS:
                np.testing.assert_allclose(output(single, self.X.astype(np.float32)), Z, atol=1e-4)
            for other in (np.asfortranarray(self.X), self.X[:, ::-1][:, ::-1], self.X.tolist(), np.repeat(self.X, 2, 0)[::2]):
                np.testing.assert_array_equal(output(model, other), Z)

    def test_float32_gives_the_bits_of_the_same_numbers_in_float64(self):
        single = self.X.astype(np.float32)
        double = single.astype(np.float64)
        for cls in CLASSES:
            few = {"solver": "lbfgs(max_iter=5)"} if cls in DESCENTS else {}
            a, b = (cls(**few).fit(X, double[:, 0]) for X in (single, double))
            np.testing.assert_array_equal(output(a, double), output(b, double))
            np.testing.assert_array_equal(output(a, single), output(b, double).astype(np.float32))
            again = pickle.loads(pickle.dumps(a))
            np.testing.assert_array_equal(output(again, single), output(a, single))
        for kernel in ("rbf", "linear", "cosine[1:3] + laplacian", lambda x, y: float(x @ y)):
            np.testing.assert_array_equal(rkhs.gram(single, kernel=kernel), rkhs.gram(double, kernel=kernel))
            np.testing.assert_array_equal(rkhs.gram(single, double[3:], kernel=kernel),
                                          rkhs.gram(double, double[3:], kernel=kernel))

    def test_float32_is_borrowed(self):
        X = np.random.default_rng(3).random((4000, 600)).astype(np.float32)  # 9.6 MB
        for kernel in ("rbf(gamma=0.01)", "linear"):
            params = {"gram": "nystrom(landmarks=20)", "memory": 8_000_000, "n_jobs": 1}
            rkhs.KernelPCA(2, kernel=kernel, **params).fit(X).transform(X)
            with self.assertRaises(rkhs.MemoryLimitError):  # the limit counts what is copied
                rkhs.KernelPCA(2, kernel=f"standardize({kernel})", **params).fit(X)

    def test_sparse_matrices(self):
        X = np.where(np.abs(self.X) > 2, self.X, 0)
        for form in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
            Z = rkhs.KernelPCA(kernel="linear").fit(form(X)).transform(form(X))
            np.testing.assert_allclose(np.abs(Z), np.abs(rkhs.KernelPCA(kernel="linear").fit(X).transform(X)), atol=1e-10)

    def test_the_same_as_scikit_learn(self):
        ours = rkhs.KernelPCA(3, kernel="rbf(gamma=0.05)").fit(self.X)
        peer = PeerKernelPCA(3, kernel="rbf", gamma=0.05).fit(self.X)
        np.testing.assert_allclose(np.abs(ours.transform(self.X)), np.abs(peer.transform(self.X)), atol=1e-9)
        target = np.c_[self.X[:, 0], self.X[:, 1]]
        ours = rkhs.KernelRidge(0.5, kernel="rbf(gamma=0.05)").fit(self.X, target)
        peer = PeerKernelRidge(0.5, kernel="rbf", gamma=0.05).fit(self.X, target)
        np.testing.assert_allclose(ours.predict(self.X), peer.predict(self.X), rtol=1e-9)
        np.testing.assert_allclose(rkhs.gram(self.X, self.X[:5], "rbf(gamma=0.05)"), rbf_kernel(self.X, self.X[:5], 0.05),
                                   rtol=1e-12)

    def test_a_start_is_where_the_descent_begins(self):
        X, _ = blobs()
        start = np.random.default_rng(3).normal(size=(len(X), 2))
        for cls in CLASSES:
            if cls not in DESCENTS:
                if not cls._table["predicts"]:
                    with self.assertRaisesRegex(rkhs.Error, "start"):
                        cls().fit(X, start=start)
                continue
            stay = cls(solver="lbfgs(max_iter=0)")
            Z = stay.fit_transform(X, start=start)
            if cls in (rkhs.TwinKernelEmbedding, rkhs.GPLVM):  # others begin as near as their map can be
                np.testing.assert_allclose(np.abs(Z), np.abs(start), rtol=1e-12)  # columns may be turned
            other = stay.fit_transform(X, start=start[::-1])
            self.assertGreater(np.abs(Z - other).max(), 1e-3, cls.__name__)
            np.testing.assert_array_equal(stay.fit(X, start=start.tolist()).embedding_, Z)
            with self.assertRaisesRegex(rkhs.DataError, naming("start | 90 x 3 | 90 x 2")):
                cls().fit(X, start=np.zeros((90, 3)))
            with self.assertRaises(ValueError):
                cls().fit(X, start=[[np.nan, 0]] * 90)

    def test_score_is_the_librarys(self):
        self.assertEqual(rkhs.score("knn(k=3)", self.X, y=self.y), 1.0)
        names = np.array(["left", "right"])
        self.assertEqual(rkhs.score("knn(k=1)", [[0.0], [0.1], [5.0], [5.1]], y=names[[0, 0, 1, 1]]), 1.0)


class Kept(unittest.TestCase):
    """Models that are pickled, saved, read by others."""

    def test_pickles_move_between_processes(self):
        X, _ = blobs()
        models = [fitted(cls, X, **({"solver": "lbfgs(max_iter=5)"} if cls in DESCENTS else {})) for cls in CLASSES]
        with tempfile.TemporaryDirectory() as folder:
            for i, model in enumerate(models):
                with open(f"{folder}/{i}.pickle", "wb") as file:
                    pickle.dump(model, file)
                np.save(f"{folder}/{i}.npy", output(model, X))
            np.save(f"{folder}/x.npy", X)
            done = child("import pickle, sys, numpy as np\nfolder = sys.argv[1]\nX = np.load(f'{folder}/x.npy')\n"
                         "for i in range(int(sys.argv[2])):\n    m = pickle.load(open(f'{folder}/{i}.pickle', 'rb'))\n"
                         "    Z = m.predict(X) if hasattr(m, 'predict') else m.transform(X)\n"
                         "    assert np.array_equal(Z, np.load(f'{folder}/{i}.npy')), m\n    print(repr(m))", folder, len(models))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.strip(), "\n".join(repr(model) for model in models))

    def test_the_tool_and_python_make_the_same_bytes(self):
        X, _ = blobs()
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", X)
            model = rkhs.KernelPCA(3, kernel="rbf(sigma=median)", gram="nystrom(landmarks=40)", random_state=5).fit(X)
            rkhs.save(model, f"{folder}/python.rkhs")
            subprocess.run([TOOL, "fit", "kpca(dim=3, gram=nystrom(landmarks=40))", "x.npy", "--kernel", "rbf(sigma=median)",
                            "--seed", "5", "-o", "tool.rkhs", "-z", "z.npy", "--quiet"], cwd=folder, check=True)
            with open(f"{folder}/python.rkhs", "rb") as a, open(f"{folder}/tool.rkhs", "rb") as b:
                self.assertEqual(a.read(), b.read())
            np.testing.assert_array_equal(np.load(f"{folder}/z.npy"), model.embedding_)
            loaded = rkhs.load(f"{folder}/tool.rkhs")
            self.assertIs(type(loaded), rkhs.KernelPCA)
            np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
            self.assertEqual(loaded.n_components, 3)
            self.assertEqual(loaded.kernel, model.kernel_)

    def test_what_is_not_fitted_cannot_be_saved(self):
        with self.assertRaises(NotFittedError):
            rkhs.save(rkhs.KernelPCA(), "never.rkhs")

    def test_a_damaged_file_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/m.rkhs"
            rkhs.save(rkhs.KernelPCA().fit(blobs()[0]), path)
            with open(path, "r+b") as file:
                file.seek(900)
                file.write(b"\xff")
            with self.assertRaises(rkhs.FormatError):
                rkhs.load(path)
            with self.assertRaises(OSError):
                rkhs.load(f"{folder}/none.rkhs")


class Explained(unittest.TestCase):
    def test_pulls_and_pushes_are_the_largest_terms_of_the_map(self):
        X, _ = blobs()
        model = rkhs.KernelPCA(2, kernel="rbf(sigma=2)").fit(X)
        new = X[:7] + 0.1
        rows, influence = model.explain(new, top=3)
        K, Z = rbf_kernel(new, X, gamma=0.125), model.transform(new)
        kernel = rbf_kernel(X, gamma=0.125)
        c = model.transform(np.full((1, X.shape[1]), 1e6))  # far from all: the offset alone
        B = np.linalg.lstsq(kernel, model.embedding_ - c, rcond=None)[0]
        for i in range(7):
            terms = K[i][:, None] * B
            size, pull = np.linalg.norm(terms, axis=1), terms @ (Z[i] - c[0]) >= 0
            for side, which in enumerate((pull, ~pull)):
                right = np.sort(size[which])[::-1][:3]
                np.testing.assert_allclose(influence[i, side], right, rtol=1e-4)
                np.testing.assert_allclose(size[rows[i, side]], influence[i, side], rtol=1e-4)
                self.assertTrue(which[rows[i, side]].all())

    def test_models_without_a_map_say_so(self):
        X, _ = blobs()
        with self.assertRaisesRegex(rkhs.ArgumentError, naming("tke | objective")):
            rkhs.TwinKernelEmbedding(2).fit(X).explain(X[:3])

    def test_rows_of_landmarks_are_those_of_the_training_objects(self):
        X, _ = blobs()
        model = rkhs.KernelPCA(2, gram="nystrom(by=given, rows=[3,8,11,20])").fit(X)
        rows, _ = model.explain(X[:5], top=2)
        self.assertLessEqual(set(rows.ravel()), {3, 8, 11, 20, -1})


class Autoencoder(unittest.TestCase):
    def test_codes_go_back_to_targets(self):
        rng = np.random.default_rng(0)
        X, _ = blobs()
        noisy = X + 0.1 * rng.standard_normal(X.shape)
        model = rkhs.KernelAutoencoder(3, ridge=0.01).fit(noisy, target=X)
        self.assertEqual(model.inverse_transform(model.transform(noisy)).shape, X.shape)
        self.assertGreater(model.score(noisy, target=X), -X.var())
        narrow = rkhs.KernelAutoencoder(3).fit(noisy, target=X[:, :2])
        self.assertEqual(narrow.inverse_transform(narrow.embedding_).shape, (len(X), 2))

    def test_y_counts_for_no_model_that_is_not_told_so(self):
        X, y = blobs(40)
        for cls in (cls for cls in CLASSES if not cls._table["predicts"]):
            few = {"solver": "lbfgs(max_iter=2)"} if cls in DESCENTS else {}
            alone = cls(**few).fit(X)
            pipeline = make_pipeline(cls(**few), KNeighborsClassifier(1)).fit(X, y)
            np.testing.assert_array_equal(pipeline[0].embedding_, alone.embedding_, cls.__name__)
            self.assertEqual(pipeline[0].score(X, y), alone.score(X))
            if cls is not rkhs.KernelAutoencoder:
                with self.assertRaisesRegex(ValueError, "takes no target"):
                    cls(**few).fit(X, target=X)
        with self.assertWarnsRegex(rkhs.Advice, "target="):
            rkhs.KernelAutoencoder().fit(X, X + 1)

    def test_images_come_back_as_the_images_of_the_targets(self):
        images = np.random.default_rng(1).random((20, 4, 5))
        model = rkhs.KernelAutoencoder(2).fit(images, target=images[:, :2])
        self.assertEqual(model.inverse_transform(model.embedding_).shape, (20, 2, 5))
        self.assertEqual(rkhs.KernelAutoencoder(2).fit(images).inverse_transform(np.eye(2)).shape, (2, 4, 5))


class BadInput(unittest.TestCase):
    def test_sentences_and_classes(self):
        X, _ = blobs()
        model = rkhs.KernelPCA().fit(X)
        for error, words, call in [
            (rkhs.SpecError, "rbf", lambda: rkhs.KernelPCA(kernel="rfb").fit(X)),
            (rkhs.SpecError, "sigma", lambda: rkhs.KernelPCA(kernel="rbf(sigma=-1)").fit(X)),
            (rkhs.DataError, "rows", lambda: rkhs.KernelPCA(1000).fit(X)),
            (rkhs.SpecError, "dim", lambda: rkhs.KernelPCA(0).fit(X)),
            (ValueError, "4 features", lambda: model.transform(X[:, :3])),
            (ValueError, "1D array", lambda: model.transform(X[0])),
            (ValueError, "omplex", lambda: model.transform(X + 1j)),
            (rkhs.DataError, "row 2, column 3", lambda: model.transform(np.where(np.arange(8).reshape(2, 4) == 6, np.nan, 0.0))),
            (ValueError, "y", lambda: rkhs.KernelRidge().fit(X, None)),
            (ValueError, "inconsistent", lambda: rkhs.KernelRidge().fit(X, X[:5, 0])),
            (ValueError, "columns", lambda: model.inverse_transform(X)),
            (rkhs.MemoryLimitError, "nystrom",
             lambda: rkhs.KernelPCA(kernel="rbf(sigma=1)", gram="exact", memory=12_000_000).fit(np.tile(X, (20, 1)))),
            (ValueError, "no list", lambda: rkhs.list("kernel")),
            (ValueError, "random_state", lambda: rkhs.KernelPCA(random_state=-1).fit(X)),
        ]:
            with self.subTest(words), self.assertRaisesRegex(error, words):
                call()

    def test_object_arrays_of_neither_numbers_nor_strings(self):
        with self.assertRaises((ValueError, TypeError)):
            rkhs.KernelPCA().fit(np.array([{}, {}, {}], dtype=object))

    def test_advice_is_a_warning(self):
        X = blobs()[0]
        with self.assertWarns(rkhs.Advice):
            rkhs.KernelPCA().fit(np.c_[X, 1e6 * X[:, 0]])

    def test_not_converging_is_a_warning_of_its_own(self):
        X = blobs()[0]
        self.assertTrue(issubclass(rkhs.ConvergenceWarning, rkhs.Advice))
        self.assertTrue(issubclass(rkhs.ConvergenceWarning, ConvergenceWarning))
        for words, model in [
            (r"solver='lbfgs\(max_iter=4\)'", rkhs.TwinKernelEmbedding(max_iter=1)),
            (r"solver='lanczos\(max_iter=4\)'", rkhs.KernelPCA(solver="lanczos(max_iter=1, tol=1e-15)")),
        ]:
            with self.subTest(words), self.assertWarnsRegex(ConvergenceWarning, words):
                model.fit(X)

    def test_a_long_fit_says_so_before_it_starts(self):
        X = np.random.default_rng(0).normal(size=(200_000, 2))
        stages = []

        def stop(stage, done, total):
            stages.append(stage)
            if stage == "neighbours":  # the first that takes long
                raise KeyboardInterrupt

        with warnings.catch_warnings(record=True) as caught, self.assertRaises(KeyboardInterrupt):
            warnings.simplefilter("always")
            rkhs.TwinKernelEmbedding(kernel="rbf(sigma=1)", n_jobs=1, verbose=stop).fit(X)
        self.assertTrue([w for w in caught if "takes about" in str(w.message) and w.filename == __file__], stages)

    def test_a_long_fit_that_is_an_error_does_not_start(self):
        X = np.random.default_rng(0).normal(size=(200_000, 2))
        with warnings.catch_warnings(), self.assertRaisesRegex(rkhs.Advice, "rows take about a minute"):
            warnings.simplefilter("error", rkhs.Advice)
            rkhs.TwinKernelEmbedding(kernel="rbf(sigma=1)", n_jobs=1).fit(X)


if __name__ == "__main__":
    unittest.main()
