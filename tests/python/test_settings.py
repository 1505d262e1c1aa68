"""Settings of the wrong type, labels that are unknown, columns in another order: the right answer or one sentence."""
import io
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd

import rkhs
from rkhs import _rkhs
from rkhs._tables import python_name
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._tags import _safe_tags
from common import CLASSES, DESCENTS, TOOL, blobs, fitted, naming, output

warnings.simplefilter("ignore", rkhs.Advice)
X, Y = blobs(40)
EMBEDDERS = [cls for cls in CLASSES if hasattr(cls, "transform")]


class Settings(unittest.TestCase):
    def refused(self, words, call):
        with self.assertRaisesRegex((TypeError, ValueError), words):
            call()

    def test_a_parameter_of_another_type_is_refused_by_its_name(self):
        wrong = {"integer": ["2", 2.5, 2.0, True, np.nan, [2], 2j, np.bool_(True), b"2"], "real": ["0.5", True, np.nan, [1.0], 1j],
                 "true|false": ["true", 1, 0.0, "no"], "choice": [1, True, b"kpca", ["clip"]], "spec": [1, True, 0.5], "word": [1, True]}
        for cls in CLASSES:
            for p in cls._table["params"]:
                name = {"dim": "n_components", "neighbours": "n_neighbors"}.get(p["name"], p["name"])
                for value in wrong[p["kind"]]:
                    with self.subTest(model=cls.__name__, parameter=name, value=value):
                        self.refused(f"^{name} must be ", lambda: fitted(cls, X, **{name: value}))

    def test_other_spellings_of_a_parameter_are_accepted_and_shown_under_its_name(self):
        value = {"integer": 3, "real": 0.25, "true|false": True, "choice": "rbf", "spec": "exact", "word": "linear"}
        for cls in CLASSES:
            for old, name in cls._spellings.items():
                kind = next(p["kind"] for p in cls._table["params"] if python_name(p) == name)
                with self.subTest(model=cls.__name__, spelling=old):
                    model = cls(**{old: value[kind]})
                    self.assertEqual(model.get_params()[name], value[kind])
                    self.assertEqual(clone(model).get_params(), model.get_params())
                    self.assertEqual(cls().set_params(**{old: value[kind]}).get_params(), model.get_params())
                    self.assertNotIn(old, model.get_params())
        old = rkhs.TwinKernelEmbedding(k=5, lk=0.1, lx=0.01, latent="rbf", match="product", solver="lbfgs(iter=5, gtol=1e-3)").fit(X)
        new = rkhs.TwinKernelEmbedding(n_neighbors=5, repulsion=0.1, decay=0.01, embedding_kernel="rbf", attraction="product",
                                       max_iter=5, tol=1e-3).fit(X)
        np.testing.assert_array_equal(old.embedding_, new.embedding_)
        self.assertEqual(rkhs.SpectralContrastive(lambda_=3.5).ridge, 3.5)
        self.refused("got n_neighbors twice", lambda: rkhs.LaplacianEigenmaps(k=5, n_neighbors=6))
        self.refused("unexpected keyword argument 'neighbor'", lambda: rkhs.LaplacianEigenmaps(neighbor=5))

    def test_max_iter_and_tol_are_those_of_the_solver(self):
        model = rkhs.TwinKernelEmbedding(max_iter=3).fit(X)
        self.assertEqual(model.iterations_, 3)
        np.testing.assert_array_equal(rkhs.TwinKernelEmbedding(solver="lbfgs(max_iter=3)").fit(X).embedding_, model.embedding_)
        self.assertEqual(rkhs.KernelPCA(solver="lanczos(block=4)", max_iter=500, tol=1e-9).fit(X).report_["solver"], "lanczos")
        self.assertEqual(rkhs.KernelPCA(tol=1e-9).fit(X).report_["solver"], "lanczos")
        self.refused("max_iter is given twice", lambda: rkhs.KernelPCA(solver="lanczos(iter=9)", max_iter=5).fit(X))
        self.refused("dense has no parameter 'tol'", lambda: rkhs.KernelPCA(solver="dense", tol=0.1).fit(X))
        self.refused("^max_iter must be a whole number", lambda: rkhs.KernelPCA(max_iter=2.5).fit(X))
        self.refused("^tol must be a number", lambda: rkhs.KernelPCA(tol="small").fit(X))

    def test_max_iter_goes_into_a_solver_with_and_without_parentheses(self):
        for solver in ("lbfgs", "lbfgs()", "lbfgs( )", "lbfgs(memory=7)"):
            with self.subTest(solver=solver):
                model = rkhs.TwinKernelEmbedding(solver=solver, max_iter=3).fit(X)
                self.assertEqual(model.iterations_, 3)
                self.assertEqual(clone(model).get_params(), model.get_params())

    def test_max_iter_and_tol_without_a_solver_set_the_first_that_has_them(self):
        for cls in CLASSES:
            self.assertIn("solver=None", " ".join(cls.__doc__.split()), cls.__name__)
        self.assertEqual(rkhs.KernelPCA(max_iter=500).fit(X).report_["solver"], "lanczos")

    def test_a_kernel_knows_what_it_is_made_with(self):
        for text, types in {"2*precomputed": ["precomputed"], "normalize(rbf + linear)": ["normalize", "rbf", "linear"],
                            "mismatch(p=3, m=1, alphabet=python)": ["mismatch"], "rbf(sigma=median)[0,1] * linear^2": ["rbf", "linear"]}.items():
            for name in ("precomputed", "normalize", "rbf", "linear", "mismatch", "python", "median", ""):
                with self.subTest(kernel=text, type=name):
                    self.assertIs(_rkhs.kernel_uses(text, name), name in types)
        self.refused(naming("'rbff' | rbf"), lambda: _rkhs.kernel_uses("rbff", "rbf"))

    def test_a_kernel_made_with_precomputed_is_pairwise_for_scikit_learn(self):
        K = rkhs.gram(X, kernel="rbf(sigma=2)")
        for cls in CLASSES:
            for kernel, pairwise in {"2*precomputed": True, "precomputed^2": True, "precomputed": True, "rbf": False, None: False,
                                     "nothing(": False, np.dot: False}.items():
                with self.subTest(model=cls.__name__, kernel=kernel):
                    self.assertEqual(_safe_tags(cls(kernel=kernel), "pairwise"), pairwise)
        # A pairwise estimator is given both the rows and the columns of a fold.
        found = cross_val_score(rkhs.KernelRidge(kernel="2*precomputed", ridge=0.2), K, X[:, 0], cv=3)
        np.testing.assert_allclose(found, cross_val_score(rkhs.KernelRidge(kernel="2*rbf(sigma=2)", ridge=0.2), X, X[:, 0], cv=3), rtol=1e-9)

    def test_a_saved_kernel_may_have_the_alphabet_python(self):
        words = ["python", "typhoon", "potty", "pony", "tony", "photo"] * 3
        model = rkhs.KernelPCA(2, kernel="mismatch(p=3, m=1, alphabet=python)").fit(words)
        with tempfile.TemporaryDirectory() as folder:
            rkhs.save(model, f"{folder}/m.rkhs")
            again = rkhs.load(f"{folder}/m.rkhs")
        self.assertEqual(again.kernel_, model.kernel_)
        self.assertIn("alphabet=python", again.kernel)
        np.testing.assert_array_equal(again.transform(["phony", "python"]), model.transform(["phony", "python"]))

    def test_advice_names_the_line_of_the_caller(self):
        flat = np.outer(np.arange(20.0), [1.0, 1.0])
        model, pipeline = rkhs.KernelPCA(2, kernel="rbf(sigma=1)").fit(X), make_pipeline(StandardScaler(), rkhs.KernelPCA(2, kernel="linear"))
        numbered = pd.DataFrame({"Unnamed: 0": np.arange(40), "a": X[:, 0], "b": X[:, 1]})
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", np.zeros((3, 2, 2, 2)))
            calls = {"fit": lambda: rkhs.KernelPCA(2, kernel="linear").fit(flat),
                     "fit_transform": lambda: rkhs.KernelPCA(2, kernel="linear").fit_transform(flat),
                     "transform": lambda: model.transform(X + 1e3),
                     "set_output": lambda: clone(model).set_output(transform="pandas").fit(X).transform(X + 1e3),
                     "pipeline": lambda: pipeline.fit(flat),
                     "pipeline, fit_transform": lambda: pipeline.fit_transform(flat),
                     "a column that numbers the rows": lambda: rkhs.KernelPCA(2).fit(numbered),
                     "target": lambda: rkhs.KernelAutoencoder(max_iter=1).fit(X, X),
                     "gram": lambda: rkhs.gram(np.ones((5, 2)), kernel="rbf(sigma=median)"),
                     "score": lambda: rkhs.score("knn(k=3)", X, y=[None, *Y[1:]]),
                     "read": lambda: rkhs.read(f"{folder}/x.npy")}
            for name, call in calls.items():
                with self.subTest(call=name), warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    call()
                    advice = [w for w in caught if w.category is rkhs.Advice]
                    self.assertTrue(advice)
                    self.assertEqual({w.filename for w in advice}, {__file__})
                    self.assertEqual({w.lineno for w in advice}, {call.__code__.co_firstlineno})

    def test_numbers_of_numpy_are_numbers(self):
        Z = rkhs.LocalityPreservingProjections(2, n_neighbors=4, ridge=0.5).fit(X).embedding_
        for whole in (np.int64, np.int8, np.uint16):
            for real in (np.float64, np.float32):
                np.testing.assert_array_equal(rkhs.LocalityPreservingProjections(whole(2), n_neighbors=whole(4), ridge=real(0.5)).fit(X).embedding_, Z)
        self.assertEqual(rkhs.KernelAutoencoder(unit_length=np.bool_(True)).fit(X).embedding_.shape, (40, 2))

    def test_the_settings_of_every_estimator(self):
        for name, values in {"n_jobs": ["2", 2.5, True, 0, np.nan], "random_state": ["3", 2.5, True, -1, np.nan, 2**64], "kernel": [3, b"rbf", ["rbf"]],
                             "memory": ["1e9", 1e9, -5, 0, True, 2**70], "verbose": ["yes", None, []]}.items():
            for value in values:
                with self.subTest(name=name, value=value):
                    self.refused(name, lambda: rkhs.KernelPCA(**{name: value}).fit(X))
                    self.refused(name, lambda: rkhs.gram(X, **{name: value}))
                    if name != "kernel":
                        self.refused(name, lambda: rkhs.score("knn", X, y=Y, **{name: value}))
        for value in ("yes", 1, None, "False"):
            self.refused("supervised.*True or False", lambda: rkhs.KernelEmbedding(supervised=value).fit(X, Y))
        model = rkhs.KernelPCA().fit(X)
        for value in ("2", 2.5, 0, -1, True):
            self.refused("top must be", lambda: model.explain(X, top=value))
        self.refused("n_bits", lambda: rkhs.Bits(np.zeros((2, 2), np.uint8), n_bits=12.5))


class Specs(unittest.TestCase):
    def test_parameters_are_set_and_asked_by_paths(self):
        text = _rkhs.spec_set("models", "kpca(gram=nystrom)", {"dim": "3", "gram.by": "uniform"})
        self.assertEqual(text, "kpca(gram=nystrom(by=uniform), dim=3)")
        self.assertEqual(_rkhs.spec_get("models", text, ("dim", "gram.by")), ("kpca", {"dim": "3", "gram.by": "uniform"}))
        self.assertEqual(_rkhs.spec_get("kernels", "rbf", ("gamma",)), ("rbf", {"gamma": None}))

    def test_what_the_library_refuses_is_an_error_with_its_sentence(self):
        for path, value, words in (("dim", "0", "at least 1"), ("dmi", "2", "did you mean dim"), ("gram.by", "uniform", "auto")):
            with self.assertRaisesRegex(rkhs.SpecError, words):
                _rkhs.spec_set("models", "kpca", {path: value})
        with self.assertRaises(rkhs.SpecError):
            _rkhs.spec_get("models", "kpcaa", ())
        with self.assertRaises(TypeError):
            _rkhs.spec_set("models", "kpca", {"dim": 2})


class Unknown(unittest.TestCase):
    """None, NaN and -1 are no class, in whatever form they come."""

    FORMS = [
        lambda y, lost: np.where(lost, -1, y), lambda y, lost: np.where(lost, np.nan, y), lambda y, lost: np.where(lost, -1.0, y),
        lambda y, lost: [None if gone else int(c) for c, gone in zip(y, lost)],
        lambda y, lost: [float("nan") if gone else int(c) for c, gone in zip(y, lost)],
        lambda y, lost: np.array([None if gone else c for c, gone in zip(y, lost)], dtype=object),
        lambda y, lost: np.array([pd.NA if gone else c for c, gone in zip(y, lost)], dtype=object),
        lambda y, lost: pd.Series(y).astype("Int64").mask(lost), lambda y, lost: pd.Series(y, dtype=float).mask(lost),
        lambda y, lost: np.where(lost, -1, y)[:, None],
    ]
    WORDS = [
        lambda y, lost: [None if gone else f"class {c}" for c, gone in zip(y, lost)],
        lambda y, lost: [np.nan if gone else f"class {c}" for c, gone in zip(y, lost)],
        lambda y, lost: pd.Series([f"class {c}" for c in y]).mask(lost),
        lambda y, lost: pd.Categorical(pd.Series([f"class {c}" for c in y]).mask(lost)),
        *(lambda y, lost, text=text: np.where(lost, text, [f"class {c}" for c in y]) for text in ("?", "", "NA", "nan")),
    ]

    def test_a_score_leaves_such_rows_out_and_says_so(self):
        Z, lost = X[:, :2], np.arange(40) % 7 == 3
        names = ["knn(k=3)", "silhouette", "svm(folds=3)"]
        want = rkhs.score(names, Z[~lost], y=Y[~lost])
        for form in self.FORMS + self.WORDS:
            with self.assertWarnsRegex(rkhs.Advice, naming("6 | label")):
                self.assertEqual(rkhs.score(names, Z, y=form(Y, lost)), want)
        new = rkhs.score("knn(k=3)", Z[:30], y=Y[:30], new_Z=Z[30:], new_y=np.where(lost, np.nan, Y)[30:])
        self.assertEqual(new, rkhs.score("knn(k=3)", Z[:30], y=Y[:30], new_Z=Z[30:][~lost[30:]], new_y=Y[30:][~lost[30:]]))

    def test_a_fit_from_classes_takes_them_as_unknown(self):
        lost = np.arange(40) % 5 == 3
        fit = rkhs.KernelEmbedding(supervised=True, solver="lbfgs(max_iter=5)").fit
        Z = fit(X, self.FORMS[0](Y, lost)).embedding_
        for form in self.FORMS[1:] + self.WORDS[:4]:
            np.testing.assert_array_equal(fit(X, form(Y, lost)).embedding_, Z)
        self.assertGreater(np.abs(Z - fit(X, Y).embedding_).max(), 1e-6)
        self.assertGreater(np.abs(Z - fit(X, np.where(lost, 9, Y)).embedding_).max(), 1e-6)

    def test_labels_that_are_all_unknown_or_mean_something_else_are_refused(self):
        for call in (lambda y: rkhs.KernelEmbedding(supervised=True).fit(X, y), lambda y: rkhs.score("knn", X, y=y)):
            with self.assertRaisesRegex(ValueError, "label"):
                call([None] * 40)
            for both in (np.where(Y == 0, -1, 1), np.where(Y == 0, -1.0, 1.0), [-1, 1] * 20, [-1, 1, None, pd.NA] * 10):
                with self.assertRaisesRegex(ValueError, naming("-1 | unknown label | None")):
                    call(both)

    def test_one_class_beside_none_is_no_pair_of_classes(self):
        rkhs.KernelEmbedding(supervised=True, solver="lbfgs(max_iter=2)").fit(X, [1, None, pd.NA, 1] * 10)

    def test_labels_of_which_none_is_known_are_said_to_be_unknown(self):
        for y in ([None] * 40, np.full(40, -1), np.full(40, -1.0), [-1] * 40, np.array([pd.NA] * 40, dtype=object)):
            with self.assertRaisesRegex(ValueError, naming("y | label | known")):
                rkhs.KernelEmbedding(supervised=True).fit(X, y)
            with self.assertRaises(ValueError) as caught:
                rkhs.score("knn", X, y=y)
            self.assertNotIn("-1 and 1", str(caught.exception))

    def test_a_whole_number_is_the_same_class_as_a_float(self):
        Z = X[:, :2]
        self.assertEqual(rkhs.score("knn(k=1)", Z, y=Y, new_Z=Z, new_y=Y.astype(float)), 1.0)


class Columns(unittest.TestCase):
    """The columns of a table have names: another order is refused by whatever takes new objects."""

    def setUp(self):
        self.frame = pd.DataFrame(X, columns=list("abcd"))
        self.turned = self.frame[list("dcba")]

    def test_every_method_refuses_columns_in_another_order(self):
        for cls in EMBEDDERS:
            few = {"solver": "lbfgs(max_iter=2)"} if cls in DESCENTS else {}
            model = cls(**few).fit(self.frame)
            for method in (model.transform, model.anomaly, model.update, model.explain, model.score):
                for wrong in (self.turned, self.frame.rename(columns={"a": "z"}), self.frame[list("abc")]):
                    with self.subTest(model=cls.__name__, method=method.__name__), self.assertRaisesRegex(ValueError, "feature names"):
                        method(wrong)
        ridge = rkhs.KernelRidge().fit(self.frame, X[:, 0])
        for method in (ridge.predict, lambda wrong: ridge.score(wrong, X[:, 0])):
            with self.assertRaisesRegex(ValueError, "feature names"):
                method(self.turned)
        with self.assertRaisesRegex(ValueError, "feature names"):
            rkhs.KernelContrastive().fit(self.frame, positive=self.turned)

    def test_columns_named_by_numbers_keep_their_order(self):
        for names in ([0, 1, 2, 3], [10, 20, 30, 40], [3, 1, 2, 0]):
            frame = pd.DataFrame(X, columns=names)
            model = pickle.loads(pickle.dumps(rkhs.KernelPCA().fit(frame)))
            np.testing.assert_array_equal(model.transform(frame), model.transform(X))
            for wrong in (frame[names[::-1]], frame.rename(columns={names[0]: 9})):
                for method in (model.transform, model.update, model.anomaly):
                    with self.assertRaisesRegex(ValueError, "feature names should match.*in the same order"):
                        method(wrong)
            np.testing.assert_array_equal(model.fit(X).transform(frame[names[::-1]]), model.transform(X[:, ::-1]))

    def test_a_column_that_numbers_the_rows_is_said_and_kept(self):
        text = self.frame.to_csv()
        read = pd.read_csv(io.StringIO(text))
        for frame in (read, read.sample(20, random_state=0)):
            with self.assertWarnsRegex(UserWarning, "'Unnamed: 0'.*index_col=0"):
                self.assertEqual(rkhs.KernelPCA().fit(frame).n_features_in_, 5)
        numbers = read.assign(**{"Unnamed: 0": X[:, 0]})
        for frame in (pd.read_csv(io.StringIO(text), index_col=0), numbers):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                rkhs.KernelPCA().fit(frame)

    def test_functions_of_two_tables_match_them(self):
        np.testing.assert_array_equal(rkhs.gram(self.frame, self.turned[:5]), rkhs.gram(X, X[:5]))
        with self.assertRaisesRegex(rkhs.DataError, "'?a'?"):
            rkhs.gram(self.frame, self.frame.rename(columns={"a": "z"}))
        self.assertEqual(rkhs.score("qnx", X[:30], self.frame[:30], new_Z=X[30:], new_X=self.turned[30:]),
                         rkhs.score("qnx", X[:30], X[:30], new_Z=X[30:], new_X=X[30:]))

    def test_a_model_file_keeps_the_names(self):
        for cls in CLASSES:
            few = {"solver": "lbfgs(max_iter=2)"} if cls in DESCENTS else {}
            model = cls(**few).fit(self.frame, X[:, 0])
            with tempfile.TemporaryDirectory() as folder:
                rkhs.save(model, f"{folder}/m.rkhs")
                again = rkhs.load(f"{folder}/m.rkhs")
            self.assertEqual([*again.feature_names_in_], [*"abcd"])
            np.testing.assert_array_equal(output(again, self.frame[:5]), output(model, self.frame[:5]))
            with self.assertRaisesRegex(ValueError, "feature names"):
                output(again, self.turned)
        plain = pickle.loads(pickle.dumps(rkhs.KernelPCA().fit(X)))
        self.assertFalse(hasattr(plain, "feature_names_in_"))

    def test_the_tool_matches_a_table_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            model = rkhs.KernelPCA().fit(self.frame)
            rkhs.save(model, f"{folder}/m.rkhs")
            self.turned.to_csv(f"{folder}/x.csv", index=False)
            subprocess.run([TOOL, "transform", "m.rkhs", "x.csv", "-o", "z.npy", "--quiet"], cwd=folder, check=True)
            np.testing.assert_allclose(np.load(f"{folder}/z.npy"), model.embedding_, atol=1e-12)

    def test_names_that_are_no_texts_or_not_different_do_not_count(self):
        for names in ([0, 1, 2, 3], ["a", "a", "b", "c"]):
            frame = pd.DataFrame(X, columns=names)
            np.testing.assert_array_equal(rkhs.KernelPCA().fit(frame).embedding_, rkhs.KernelPCA().fit(X).embedding_)
        numbers = pd.DataFrame(X)
        model = rkhs.KernelPCA().fit(numbers)
        np.testing.assert_array_equal(model.transform(numbers), model.transform(X))
        K = rkhs.gram(X)
        named = pd.DataFrame(K, columns=[f"object {i}" for i in range(40)])
        model = rkhs.KernelPCA(kernel="precomputed").fit(named)
        np.testing.assert_array_equal(model.transform(named[:5]), rkhs.KernelPCA(kernel="precomputed").fit(K).transform(K[:5]))


if __name__ == "__main__":
    unittest.main()
