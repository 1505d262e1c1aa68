"""Estimators, made from the library's tables: one class a model, with its signature, defaults and words."""
import contextlib
import inspect
import re
import textwrap
import threading

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, RegressorMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from . import _rkhs
from ._advice import advise
from ._checks import classes_tuple, flag, known_labels, memory_of, parameter, whole
from ._data import (Bits, column_names, counts_rows, csr_tuple, dense_tuple, graphs_tuple, holds_graphs, holds_images,
                    holds_strings, images_tuple, kernel_argument, objects, other_names, short, strings_tuple)
from ._functions import seed_of, threads_of
from ._progress import progress_of
from ._purposes import PURPOSES
from ._tables import (OF_SOLVER, default_of, models, other_spellings, python_name, solver_with, spec_params, spec_text,
                      takes_labels, takes_target)

# What every estimator takes besides its model's own parameters: name, default, type, words.
COMMON_BEFORE = [
    ("kernel", None, "str, callable or None",
     'how two objects compare: "rbf(sigma=median)", "2*linear + cosine", "precomputed"; a function of two objects; '
     "None: the model's own choice for the kind of data. ``rkhs.list('kernels')`` shows all."),
]
# And every one that can learn from classes, which a pipeline hands to all its steps: they count where they are asked
# for.
LABELLED = [
    ("supervised", False, "bool", "True: ``fit(X, y)`` learns from the classes y too; False: y is ignored."),
]
COMMON_AFTER = [
    ("random_state", None, "int, RandomState or None", "the seed of everything random; None is 0: results repeat."),
    ("n_jobs", None, "int or None", "threads; None and -1 are all cores. It never changes a result."),
    ("memory", None, "int or None", "limit on the memory used, in bytes; None: 80% of what is available."),
    ("verbose", 0, "int or callable",
     "1: a progress bar; a function(stage, done, total) is called some ten times a second."),
]

# What the notes of every class say.
NOTE_OBJECTS = (
    "Objects are the rows of a matrix (C-contiguous float64 and float32 are read in place, anything else is copied "
    "once; float32 gives the results of float64 in half of the memory), of a "
    "scipy sparse matrix, images (n x height x width, or with 1, 3 or 4 channels behind), a list of str, a list of "
    "graphs, :class:`rkhs.Bits`, or the rows of a Gram matrix with ``kernel=\"precomputed\"``. A graph is a tuple "
    "(edges, labels) or (edges, labels, edge_labels): pairs of vertices, a whole number for each vertex (or how "
    "many there are, without labels), and one for each edge.")
NOTE_THREADS = (
    "Threads may share a fitted model: their calls wait for each other, and Ctrl-C ends a wait. A ``verbose`` callback "
    "or a kernel function that uses the model that calls it raises :class:`rkhs.BusyError`, and so does a process that "
    "was forked while another thread used the model. A fit that fails leaves the fit before it. Arrays must not be "
    "changed while a call reads them.")


class InUse(threading.local):
    """The estimators whose calls this thread is in."""

    def __init__(self):
        self.estimators = set()


in_use = InUse()


class RkhsEstimator(BaseEstimator):
    """What all estimators share. ``_table`` is the model's table."""

    _table = None
    _spellings = {}  # other accepted names of parameters
    max_iter = tol = None

    # ---- calls -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _used(self):
        """While a call computes: a callback of it that calls the same estimator is refused."""
        if id(self) in in_use.estimators:
            raise _rkhs.BusyError("this model is in use by this thread: a progress callback or a kernel function must "
                                  "not use the model that calls it")
        in_use.estimators.add(id(self))
        try:
            yield
        finally:
            in_use.estimators.discard(id(self))

    @contextlib.contextmanager
    def _watched(self):
        """The same, with what is to be told of its progress."""
        with self._used(), progress_of(self.verbose) as progress:
            yield progress

    # ---- data --------------------------------------------------------------------------------------------------------

    def _reset_features(self, n_features):
        self.__dict__.pop("feature_names_in_", None)
        if n_features is None:
            self.__dict__.pop("n_features_in_", None)
        else:
            self.n_features_in_ = n_features

    def _validate_objects(self, X, reset):
        """X for the library, checked as scikit-learn does; and the dtype of results."""
        if (type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32) and X.flags.c_contiguous
                and X.flags.aligned):
            # The common case without scikit-learn's passes over the data: the library looks for NaN itself.
            n, p = X.shape
            if n >= (2 if reset else 1) and p >= 1 and "feature_names_in_" not in self.__dict__:
                if reset:
                    self._reset_features(p)
                elif p != self.n_features_in_:
                    raise ValueError(f"X has {p} features, but {type(self).__name__} is expecting "
                                     f"{self.n_features_in_} features as input")
                return dense_tuple(X), X.dtype
        if isinstance(X, Bits):
            if reset:
                self._reset_features(X.n_bits)
            return X.as_tuple(), np.dtype(float)
        if holds_strings(X):
            if reset:
                self._reset_features(None)
            return strings_tuple(X), np.dtype(float)
        if holds_graphs(X):
            if reset:
                self._reset_features(None)
            return graphs_tuple(X), np.dtype(float)
        if holds_images(X):
            return self._describe_images(X, reset)
        names = column_names(X)
        self._check_columns(X, reset)
        X = self._validate_data(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset,
                                ensure_min_samples=2 if reset else 1)
        if hasattr(X, "tocsr"):
            return csr_tuple(X), X.dtype
        return dense_tuple(X, names), X.dtype

    def _check_columns(self, X, reset):
        """Columns whose names are no texts, which scikit-learn does not compare; and one that numbers the rows."""
        names = other_names(X)
        if reset:
            self._other_names = names
            if counts_rows(X):
                advise([(f"the first column, {X.columns[0]!r}, numbers the rows and is taken for a feature: read the "
                         "file with index_col=0, or drop the column", "", "")])
        elif names is not None and self.__dict__.get("_other_names", names) not in (None, names):
            raise ValueError("The feature names should match those that were passed during fit. Columns are "
                             f"{short(names)}, and were {short(self._other_names)}: give the same columns in the same "
                             "order")

    def _describe_images(self, X, reset):
        """The same for images, which are as many features as they have numbers."""
        features = int(np.prod(X.shape[1:]))
        if len(X) < (2 if reset else 1):
            raise ValueError(f"Found array with {len(X)} sample(s) (shape={X.shape}) while a minimum of 2 is required.")
        if reset:
            self._reset_features(features)
        elif features != self.n_features_in_:
            raise ValueError(f"X has {features} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        return images_tuple(X), X.dtype if X.dtype == np.float32 else np.dtype(float)

    def _describe_target(self, y, n):
        """Targets as a matrix, and whether they came as one column without being one."""
        y = check_array(y, ensure_2d=False, allow_nd=True, dtype=np.float64, order="C", input_name="y")
        if y.ndim > 2 and holds_images(y) and len(y) == n and not self._table["predicts"]:
            return images_tuple(y), False
        if y.ndim > 2:
            raise ValueError(f"y has {y.ndim} dimensions: give one column, or a matrix")
        if len(y) != n:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]")
        return dense_tuple(y.reshape(n, -1)), y.ndim == 1

    def _describe_classes(self, y, n):
        """Labels of any kind, one for each object."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None: it has "
                             "supervised=True")
        labels, known = known_labels(y)
        if len(known) != n:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(known)}]")
        if len(labels) == 0:
            raise ValueError("y has no label that is known: None, NaN and -1 are unknown")
        check_classification_targets(labels)
        return classes_tuple(y)

    def _describe_triplets(self, triplets, n):
        """Rows of objects that belong together, and one that does not."""
        rows = check_array(triplets, dtype=None, order="C", input_name="triplets")
        if rows.dtype.kind not in "iu" or rows.shape[1] not in (2, 3):
            raise ValueError(f"triplets are rows of 2 or 3 whole numbers, not {rows.dtype} of shape {rows.shape}")
        return "index", *rows.shape, n, np.ascontiguousarray(rows, dtype=np.int64)

    def _describe_supervision(self, triplets, positive, negative, n):
        """What belongs together: rows of objects, or other objects, one for each."""
        if self._table["supervision"] != "index rows":
            raise ValueError(f"{type(self).__name__} takes no triplets")
        if (triplets is None) == (positive is None):
            raise ValueError("give triplets or positive, not both" if positive is not None
                             else "negative goes with positive")
        if triplets is not None:
            return self._describe_triplets(triplets, n)
        return ("pairs", self._validate_objects(positive, reset=False)[0],
                None if negative is None else self._validate_objects(negative, reset=False)[0])

    def _target_of(self, y, target, n):
        """The numbers that the model learns to give: y of one that predicts, ``target`` of others, which ignore y."""
        if self._table["predicts"]:
            target = y
        elif target is not None and not takes_target(self._table):
            raise ValueError(f"{type(self).__name__} takes no target")
        elif target is None and takes_target(self._table) and getattr(y, "ndim", 1) > 1:
            advise([(f"{type(self).__name__} ignores y: give the numbers to reconstruct as target=, "
                     "as in fit(noisy, target=clean)", "", "")])
        if target is None:
            return None
        described, self._flat = self._describe_target(target, n)
        return described

    # ---- fit ---------------------------------------------------------------------------------------------------------

    def _spec(self):
        given = {p["name"]: parameter(python_name(p), p["kind"], getattr(self, python_name(p)))
                 for p in self._table["params"]}
        solver = next(p for p in self._table["params"] if p["name"] == "solver")
        given["solver"] = solver_with(solver, given["solver"], {
            "max_iter": parameter("max_iter", "integer", self.max_iter), "tol": parameter("tol", "real", self.tol)})
        return spec_text(self._table["name"], given)

    def _accept(self, keywords):
        """Parameters that a constructor got under another accepted spelling."""
        signature = inspect.signature(type(self)).parameters
        for keyword, value in keywords.items():
            name = self._spellings.get(keyword)
            if name is None:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {keyword!r}")
            if getattr(self, name) is not signature[name].default:
                raise TypeError(f"{type(self).__name__}() got {name} twice: as {name} and as {keyword}")
            setattr(self, name, value)

    def set_params(self, **params):
        """Sets parameters, by their names or another accepted spelling."""
        return super().set_params(**{self._spellings.get(name, name): value for name, value in params.items()})

    def __setstate__(self, state):
        super().__setstate__({self._spellings.get(name, name): value for name, value in state.items()})

    def _found(self):
        """The names of what a fit has left."""
        own = ("_model", "_flat", "_other_names")
        return {name for name in self.__dict__ if name in own or name.endswith("_") and not name.startswith("_")}

    def _fit(self, *data, **more):
        """Fits a twin, and takes what it found when it has ended well: after an error the old fit stays."""
        with self._used():
            twin, found = object.__new__(type(self)), self._found()
            twin.__dict__.update((name, value) for name, value in self.__dict__.items() if name not in found)
            dtype, advice = twin._fit_model(*data, **more)
            self.__dict__.update((name, twin.__dict__[name]) for name in twin._found())
            for name in found - twin._found():
                self.__dict__.pop(name, None)
        advise(advice)
        return dtype

    def _fit_model(self, X, y, triplets=None, start=None, positive=None, negative=None, target=None):
        spec, supervised = self._spec(), flag("supervised", getattr(self, "supervised", False))
        settings = seed_of(self.random_state), threads_of(self.n_jobs), memory_of(self.memory)
        kernel, watched = kernel_argument(self.kernel), progress_of(self.verbose)
        x, dtype = self._validate_objects(X, reset=True)
        if start is not None:
            start = dense_tuple(check_array(start, dtype=[np.float64, np.float32], order="C", input_name="start"))
        supervision = self._target_of(y, target, x[1])
        if triplets is not None or positive is not None or negative is not None:
            supervision = self._describe_supervision(triplets, positive, negative, x[1])
        elif supervised:
            supervision = self._describe_classes(y, x[1])
        model = _rkhs.Model(spec)
        with watched as progress:
            advice = model.fit(kernel, x, supervision, start, *settings, progress)
        self._adopt(model)
        return dtype, advice

    def _adopt(self, model):
        """Takes a fitted model and shows what it found."""
        self._model = model
        _, self.kernel_, _ = model.text()
        self.report_ = {}
        for name, text, rows, columns, numbers in model.report():
            value = text
            if text is None:
                value = np.frombuffer(numbers).reshape(rows, columns)
                if rows * columns == 1:
                    value = value.item()
                else:
                    value = value[0].copy() if rows == 1 and columns > 1 else value.copy()
                if name in ("eigenvalues", "explained_variance", "residuals"):
                    value = np.atleast_1d(value)
            self.report_[name] = value
            if name not in ("rows", "columns", "solver"):
                setattr(self, name + "_", value)
        self.n_iter_ = max(1, int(self.report_.get("iterations", 1)))

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def _fitted(self):
        model = self.__dict__.get("_model")
        if model is None:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                                 "arguments before using this estimator.")
        return model

    def _apply(self, X, place=None):
        model = self._fitted()
        x, dtype = self._validate_objects(X, reset=False)
        Z = np.empty((x[1], model.embedding()[1]))
        with self._watched() as progress:
            advice = model.transform(x, Z, threads_of(self.n_jobs), progress, place)
        if advice:
            advise(advice)
        return Z if dtype == np.float64 else Z.astype(dtype)

    def _update(self, X, y):
        """Adds objects to the model, with their targets if it predicts."""
        model, before = self._fitted(), self.report_
        x, _ = self._validate_objects(X, reset=False)
        target = None if y is None else self._describe_target(y, x[1])[0]
        with self._watched() as progress:
            advice = model.update(x, target, seed_of(self.random_state), threads_of(self.n_jobs),
                                  memory_of(self.memory), progress)
        self._adopt(model)
        for name in before.keys() - self.report_.keys():
            self.__dict__.pop(name + "_", None)
        advise(advice)
        return self

    def _reads_gram(self):
        """Whether X is rows of a Gram: the kernel is "precomputed", or is made with it."""
        try:
            return isinstance(self.kernel, str) and _rkhs.kernel_uses(self.kernel, "precomputed")
        except ValueError:
            return False

    def _more_tags(self):
        # What scikit-learn compares only where nothing is random: fit_transform with transform. A model that places
        # objects by its objective does not put training objects back where they were.
        return {"pairwise": self._reads_gram(), "preserves_dtype": [np.float64, np.float32],
                "non_deterministic": getattr(self, "place", "map") != "map",
                "requires_y": bool(getattr(self, "supervised", False))}


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RkhsEstimator):
    """A model whose output is an embedding."""

    def fit(self, X, y=None, *, target=None, triplets=None, start=None, positive=None, negative=None):
        """Learns the embedding of X; y, which pipelines hand to all their steps, counts with ``supervised=True`` alone.

        With that, y are classes; None, NaN and -1 (and "?", "NA", "" among texts) are objects whose class is not known.
        target : numbers, row by row, for models that learn to reconstruct objects (``KernelAutoencoder``): what the
        decoder learns to return; None: the objects themselves.
        triplets : rows of X, from 0, for models that learn from them: an object, one that belongs to it and one that
        does not, which may be left out; None: they are drawn.
        start : array, shape (n_objects, n_components), or None: an initial embedding, for models that take one; None:
        as the parameter of that name says.
        positive, negative : objects that belong to those of X, row by row, and ones that do not, which may be left out,
        in place of triplets.
        """
        self._fit(X, y, triplets, start, positive, negative, target)
        return self

    def fit_transform(self, X, y=None, *, target=None, triplets=None, start=None, positive=None, negative=None):
        """Learns the embedding of X and returns it; the same as ``fit`` takes."""
        dtype = self._fit(X, y, triplets, start, positive, negative, target)
        return self.embedding_.astype(dtype, copy=False)

    def transform(self, X, place=None):
        """The embedding of new objects; each row depends on its object alone.

        place : "map", "refine", "neighbour" or None: how, for models that have several ways; None: as the parameter
        says.
        """
        return self._apply(X, place)

    def inverse_transform(self, Z):
        """Approximate objects for embedded points."""
        model = self._fitted()
        Z = check_array(Z, dtype=[np.float64, np.float32], order="C", input_name="Z")
        if Z.shape[1] != self._n_features_out:
            raise ValueError(f"Z has {Z.shape[1]} columns, but the embedding has {self._n_features_out}")
        with self._watched() as progress:
            advice, rows, shape = model.inverse(dense_tuple(Z.astype(np.float64, copy=False)),
                                                threads_of(self.n_jobs), progress)
        advise(advice)
        back = objects(rows)
        if isinstance(back, list):
            return back
        if shape is not None:
            height, width, channels = shape
            back = back.reshape((len(back), height, width, channels) if channels > 1 else (len(back), height, width))
        return back.astype(Z.dtype, copy=False)

    def update(self, X):
        """Adds new objects to the model, which is fitted again with its parameters and kernel as they are.

        A model that takes an initial embedding starts from the one it has. ``report_["moved"]`` tells how far the old
        objects moved, over their deviation. The new rows of ``embedding_`` are the last; with landmarks or random
        features those of the objects that the model keeps come before them.
        """
        return self._update(X, None)

    def anomaly(self, X, by=None):
        """How unlike the training objects new ones are: one number for each, more is stranger.

        by : "error", "density", "both" or None. "error": how far the object is, in feature space, from its
            reconstruction out of its embedding. "density": -log of the density of the training objects' embeddings at
            its embedding (a Gaussian kernel density estimate). "both": the larger of the two, each as -log of the
            share of training objects that score as high when left out. None: "error", or "density" with
            ``kernel="precomputed"``.
        """
        model = self._fitted()
        x, _ = self._validate_objects(X, reset=False)
        scores = np.empty(x[1])
        with self._watched() as progress:
            advice = model.anomaly(x, scores, threads_of(self.n_jobs), progress, by)
        advise(advice)
        return scores

    def score(self, X, y=None, *, target=None):
        """Minus the mean squared error of ``inverse_transform(transform(X))`` to X or the target: more is better."""
        back = self.inverse_transform(self.transform(X))
        right = check_array(X if target is None else target, allow_nd=True)
        return -float(np.mean((back.reshape(right.shape) - right) ** 2))

    def explain(self, X, top=5):
        """The training objects that pull each object of X to its place, those that push it away, and their influence.

        Returns rows of training objects and influences, both n x 2 x top: first the pulls, then the pushes, largest
        first; -1 and 0 where there are fewer. Of a model that learned from positives and negatives, given or made,
        these follow the n objects: n to 2n - 1 are positives, from 2n on negatives. For models with a map
        z = B'k + c: the influence of object l is |k_l| |B_l|, and it pulls where k_l B_l points from c towards z.
        """
        model = self._fitted()
        top = whole("top", top, 1)
        x, _ = self._validate_objects(X, reset=False)
        rows, influence = np.empty((x[1], 2, top), np.int64), np.empty((x[1], 2, top))
        with self._watched() as progress:
            advice = model.explain(x, rows, influence, top, threads_of(self.n_jobs), progress)
        advise(advice)
        return rows, influence

    @property
    def embedding_(self):
        """The embedding of the training objects."""
        model = self.__dict__.get("_model")
        if model is None:
            raise AttributeError(f"{type(self).__name__} is not fitted, so it has no embedding_")
        while True:
            Z = np.empty(model.embedding())
            try:
                if model.embedding(Z) == Z.shape:
                    return Z
            except ValueError:  # another thread has added objects meanwhile
                continue

    @property
    def _n_features_out(self):
        return self._fitted().embedding()[1]


class Predictor(RegressorMixin, RkhsEstimator):
    """A model whose output stands for the target."""

    def fit(self, X, y):
        """Learns to predict y (one column or several) from X."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self._fit(X, y)
        return self

    def update(self, X, y):
        """Adds new objects and their targets to the model, with its parameters and kernel as they are."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        return self._update(X, y)

    def predict(self, X):
        """The predicted targets of new objects."""
        Z = self._apply(X)
        return Z[:, 0] if self._flat else Z

    def _more_tags(self):
        return {**super()._more_tags(), "multioutput": True, "requires_y": True}


# ---- classes from tables ---------------------------------------------------------------------------------------------


def signature_of(table):
    """[(name, default, type, words)] of a model's class."""
    own = []
    for p in table["params"]:
        words = p["brief"] + (f" ({p['bounds']})" if p["bounds"] else "")
        kind = {"integer": "int", "real": "float", "true|false": "bool"}.get(p["kind"], "str")
        own.append((python_name(p), default_of(p), kind if p["value"] is not None else kind + " or None", words))
    own += [(name, None, kind, words) for name, kind, words in OF_SOLVER]
    return own[:1] + COMMON_BEFORE + own[1:] + (LABELLED if takes_labels(table) else []) + COMMON_AFTER


def example_of(title, predicts):
    """Lines that run as they stand, of any model."""
    use = ".fit(X, X[:, 0]).predict(X[:2]).shape" if predicts else ".fit(X).transform(X[:2]).shape"
    return ["Examples", "--------", ">>> import numpy as np, rkhs",
            ">>> X = np.random.default_rng(0).normal(size=(50, 4))",
            f">>> rkhs.{title}(){use}", "(2,)" if predicts else "(2, 2)", ""]


def doc_of(title, table, parameters):
    """What the model is for, an example, the formula, then parameters, attributes and notes."""
    predicts = table["predicts"]
    lines = [table["brief"][0].upper() + table["brief"][1:] + ".", ""]
    lines += textwrap.wrap(PURPOSES.get(table["name"], ""), 100) + [""]
    lines += example_of(title, predicts)
    lines += ["It solves", "", f"    {table['formula']}", ""] if table["formula"] else []
    lines += textwrap.wrap("where " + table["where"] + ".", 100) + [""] if table["where"] else []
    lines += [f"Cost: {table['cost']}."] if table["cost"] else []
    lines += ["", "Parameters", "----------"]
    for name, default, kind, words in parameters:
        lines += [f"{name} : {kind}, default={default!r}"] + textwrap.wrap(words, 96, initial_indent="    ",
                                                                          subsequent_indent="    ")
    lines += ["", "Attributes", "----------"]
    if not predicts:
        lines += ["embedding_ : array, shape (n_objects, n_components)", "    The embedding of the training objects."]
    lines += ["kernel_ : str", "    The kernel with every bandwidth rule (sigma=median) turned into a number.",
              "report_ : dict", "    What the fit found; its items are attributes too, their names with an underscore.",
              "", "Notes", "-----", *textwrap.wrap(NOTE_OBJECTS, 100), *textwrap.wrap(NOTE_THREADS, 100),
              "Pickles and saved models contain training objects."]
    return "\n".join(lines) + "\n"


def make_class(title):
    """The class of a model."""
    table = models()[title]
    parameters = signature_of(table)
    first, rest = parameters[0], parameters[1:]
    arguments = ", ".join([f"{first[0]}={first[1]!r}", "*"] + [f"{name}={default!r}" for name, default, _, _ in rest])
    body = "\n".join(f"    self.{name} = {name}" for name, _, _, _ in parameters)
    scope = {}
    # scikit-learn reads the signature, and takes no notice of what gathers other keywords.
    exec(f"def __init__(self, {arguments}, **aliases):\n{body}\n"
         "    if aliases:\n        self._accept(aliases)\n", scope)
    scope["__init__"].__qualname__ = f"{title}.__init__"
    return type(title, (Predictor if table["predicts"] else Embedder,),
                {"__init__": scope["__init__"], "__doc__": doc_of(title, table, parameters), "__module__": "rkhs",
                 "__qualname__": title, "_table": table, "_spellings": other_spellings(table["params"])})


def from_text(text, **settings):
    """An estimator with the parameters of a spec text that the library wrote."""
    import rkhs

    table, params = spec_params(text)
    return getattr(rkhs, table["title"])(**{**params, **settings})


def from_model(model, function=None):
    """An estimator around a fitted model of the library, whose kernel may be a function."""
    text, kernel, calls_function = model.text()
    if function is not None and not calls_function:
        raise ValueError(f"the kernel of this model is {kernel}, not a function: load it without kernel=")
    estimator = from_text(text, kernel=function or kernel)
    estimator._adopt(model)
    if takes_labels(estimator._table):
        estimator.supervised = estimator.report_.get("supervision") == "labels"
    if estimator.report_.get("columns", 0) > 0:
        estimator.n_features_in_ = int(estimator.report_["columns"])
    names = model.columns()
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator._flat = model.embedding()[1] == 1
    return estimator
