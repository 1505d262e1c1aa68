"""What is not an estimator: read, gram, score, load, save, list."""
import numpy as np

from . import _rkhs
from ._advice import advise
from ._checks import classes_tuple, memory_of, whole
from ._data import Bits, as_tuple, kernel_argument, objects
from ._progress import progress_of
from ._tables import models, tables


def threads_of(n_jobs):
    """Threads for scikit-learn's n_jobs; 0 is all cores."""
    if n_jobs is None:
        return 0
    n_jobs = whole("n_jobs", n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of threads, or None or -1 for all cores, not 0")
    if n_jobs == -1:
        return 0
    if n_jobs < 0:
        import os

        return max(1, len(os.sched_getaffinity(0)) + 1 + n_jobs)
    return n_jobs


def seed_of(random_state):
    """The seed for scikit-learn's random_state: None is 0, so that results repeat."""
    if random_state is None:
        return 0
    if hasattr(random_state, "randint"):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    return whole("random_state", random_state, 0, 2**64 - 1)


def read(path, format=None, *, labels=False, memory=None, verbose=0):
    """Objects from a file in any format that the tool reads: CSV, NPY, MAT, FASTA, ... (``rkhs.list("formats")``).

    Parameters
    ----------
    path : str or path
        The file, or a folder of images or graphs.
    format : str, optional
        Which format, with its parameters: "mat(key=A)", "csv(label=-1)". By the name's ending unless given.
    labels : bool
        Reads class labels in place of objects.
    memory, verbose : as in :func:`gram`

    Returns
    -------
    X : matrix, sparse matrix, images (n, height, width[, channels]), list of str or of graphs
        As the estimators take them. With labels=True a list of str, None where there is none.

    Examples
    --------
    >>> import numpy, os, tempfile, rkhs
    >>> name = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> numpy.save(name, [[1.0, 2.0], [3.0, 4.0]])
    >>> rkhs.read(name)
    array([[1., 2.],
           [3., 4.]])
    """
    with progress_of(verbose) as progress:
        advice, rows, shape = _rkhs.read(path, format, labels, memory_of(memory), progress)
    advise(advice)
    X = objects(rows)
    if shape is None:
        return X
    return X.reshape((len(X), *(shape if shape[2] > 1 else shape[:2])))


def gram(X, Y=None, kernel="rbf(sigma=median)", *, random_state=None, n_jobs=None, memory=None, verbose=0):
    """The Gram matrix of X, or of X against Y.

    Parameters
    ----------
    X, Y : matrices, sparse matrices, lists of str, of graphs (edges, labels), :class:`Bits`
        Objects; Y is X unless given. C-contiguous float64 and float32 matrices are read where they are. Tables
        whose columns have names (pandas) are matched by these.
    kernel : str or callable
        As in ``rkhs.list("kernels")``: "rbf(gamma=0.1) + 2*linear". Rules such as sigma=median are taken from X. Or a
        function of two objects that gives a number.
    random_state, n_jobs, verbose : as in the estimators
    memory : int, optional
        The most bytes to hold at a time.

    Returns
    -------
    K : array of float64, shape (len(X), len(Y))

    Examples
    --------
    >>> import rkhs
    >>> rkhs.gram([[1.0, 0.0], [1.0, 1.0]], kernel="linear")
    array([[1., 1.],
           [1., 2.]])
    """
    a, b = as_tuple(X), as_tuple(Y)
    K = np.empty((a[1], (b or a)[1]))
    with progress_of(verbose) as progress:
        advice, _ = _rkhs.gram(kernel_argument(kernel), a, b, K, seed_of(random_state), threads_of(n_jobs),
                                  memory_of(memory), progress)
    advise(advice)
    return K


def score(names, Z, X=None, y=None, *, kernel=None, new_Z=None, new_X=None, new_y=None, deviation=False,
          random_state=None, n_jobs=None, memory=None, verbose=0):
    """Numbers that say how good an embedding is.

    Parameters
    ----------
    names : str or list of str
        As in ``rkhs.list("scores")``: "knn(k=5)", ["trustworthiness(k=12)", "continuity(k=12)"]. Those of one family
        share their work.
    Z : matrix
        The embedding, a row for each object.
    X : any data, optional
        The objects, for scores that compare with them.
    y : labels, optional
        Classes, for scores that need them. None, NaN and -1 are unknown, and so are the texts that are in files ("?",
        "NA", ""): scores that need labels leave these rows out.
    kernel : str, optional
        Distances between objects are those of its feature space; otherwise X are vectors. cka, hsic: their kernel.
    new_Z, new_X, new_y : as Z, X and y, optional
        With new_Z the scores are of these rows: their neighbours are sought in Z, and what is learned is learned from
        Z.
    deviation : bool
        Gives (value, standard deviation over folds) in place of a value; NaN where there are no folds.
    random_state, n_jobs, memory, verbose : as in :func:`gram`

    Returns
    -------
    value : float, or for a list of names a dict {name: float}

    Examples
    --------
    >>> import rkhs
    >>> Z, y = [[0.0], [0.1], [1.0], [1.1]], ["a", "a", "b", "b"]
    >>> rkhs.score("knn(k=1)", Z, y=y)
    1.0
    >>> rkhs.score(["qnx(k=1)", "knn(k=1)"], Z, Z, y, new_Z=[[0.2]], new_X=[[0.9]], new_y=["b"])
    {'qnx(k=1)': 0.0, 'knn(k=1)': 0.0}
    """
    one = isinstance(names, str)
    wanted = [names] if one else [*names]
    sets = (as_tuple(Z), as_tuple(X), None if y is None else classes_tuple(y), as_tuple(new_Z), as_tuple(new_X),
            None if new_y is None else classes_tuple(new_y))
    with progress_of(verbose) as progress:
        advice, values, deviations = _rkhs.score(tuple(wanted), sets, kernel, seed_of(random_state),
                                                    threads_of(n_jobs), memory_of(memory), progress)
    advise(advice)
    found = dict(zip(wanted, zip(values, deviations) if deviation else values))
    return found[names] if one else found


def model(spec, **settings):
    """The estimator that a model's text describes, as the tool reads it; settings are those of every estimator.

    Examples
    --------
    >>> import rkhs
    >>> rkhs.model("kpca(dim=3)", kernel="rbf(gamma=0.1)")
    KernelPCA(kernel='rbf(gamma=0.1)', n_components=3)
    """
    from ._estimators import from_text

    return from_text(_rkhs.Model(spec).text()[0], **settings)


def load(path, kernel=None):
    """A fitted estimator from a model file, whoever wrote it: Python, C or the tool.

    A model whose kernel is a Python function is loaded with the same function as ``kernel``: the file holds no code.
    """
    from ._estimators import from_model

    if kernel is not None and not callable(kernel):
        raise TypeError(f"kernel must be the function that the model was fitted with, not {kernel!r}: a text is in "
                        "the file")
    return from_model(_rkhs.load(path, kernel and kernel_argument(kernel)[1]), kernel)


def save(estimator, path):
    """Writes a fitted estimator as a model file, which C and the tool read too. It contains training objects."""
    model = getattr(estimator, "_model", None)
    if model is None:
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' before saving "
                             "it.")
    model.save(path)


def list(what=None):
    """What there is: ``list()`` the names of the lists, ``list("kernels")`` the types of one, each as a dict.

    Examples
    --------
    >>> import rkhs
    >>> [model["title"] for model in rkhs.list("models")][:2]
    ['KernelPCA', 'KernelRidge']
    """
    if what is None:
        return [*tables()]
    if what not in tables():
        raise ValueError(f"there is no list {what!r}: the lists are {', '.join(tables())}")
    return [{**entry, "params": [dict(p) for p in entry["params"]]} for entry in tables()[what]]


__all__ = ["Advice", "Bits", "gram", "list", "load", "model", "read", "save", "score", "models"]
