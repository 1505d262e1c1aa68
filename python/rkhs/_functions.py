"""What is not an estimator: gram, score, load, save, list."""
import warnings

import numpy as np

from . import _rkhs
from ._data import Bits, as_tuple, classes_tuple, kernel_argument
from ._progress import progress_of
from ._tables import models, tables


class Advice(UserWarning):
    """A remark of the library that is no error: on the data, on a number that was chosen, on what was cut."""


def advise(sentences):
    for sentence in sentences:
        warnings.warn(sentence, Advice, stacklevel=3)


def threads_of(n_jobs):
    """Threads for scikit-learn's n_jobs; 0 is all cores."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if n_jobs < 0:
        import os

        return max(1, len(os.sched_getaffinity(0)) + 1 + n_jobs)
    return int(n_jobs)


def seed_of(random_state):
    """The seed for scikit-learn's random_state: None is 0, so that results repeat."""
    if random_state is None:
        return 0
    if hasattr(random_state, "randint"):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    if random_state < 0:
        raise ValueError(f"random_state must be at least 0, not {random_state}")
    return int(random_state)


def gram(X, Y=None, kernel="rbf(sigma=median)", *, random_state=None, n_jobs=None, memory=None, verbose=0):
    """The Gram matrix of X, or of X against Y.

    Parameters
    ----------
    X, Y : matrices, sparse matrices, lists of str, :class:`Bits`
        Objects; Y is X unless given. C-contiguous float64 matrices are read where they are.
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
    rows = len_of(a)
    K = np.empty((rows, rows if b is None else len_of(b)))
    sentences, _ = _rkhs.gram(kernel_argument(kernel), a, b, K, seed_of(random_state), threads_of(n_jobs), memory or 0, progress_of(verbose))
    advise(sentences)
    return K


def len_of(data):
    return {"strings": lambda d: len(d[1]), "bits": lambda d: d[2], "classes": lambda d: d[2]}.get(
        data[0], lambda d: d[-2])(data)


def score(name, Z, X=None, y=None, *, n_jobs=None, verbose=0):
    """One number for an embedding.

    Parameters
    ----------
    name : str
        As in ``rkhs.list("scores")``: "knn(k=5)".
    Z : matrix
        The embedding.
    X : any data, optional
        The objects, for scores that compare with them.
    y : labels, optional

    Returns
    -------
    value : float

    Examples
    --------
    >>> import rkhs
    >>> rkhs.score("knn(k=1)", [[0.0], [0.1], [1.0], [1.1]], y=["a", "a", "b", "b"])
    1.0
    """
    labels = None if y is None else classes_tuple(y)
    sentences, value = _rkhs.score(name, as_tuple(X), as_tuple(Z), labels, threads_of(n_jobs), progress_of(verbose))
    advise(sentences)
    return value


def load(path):
    """A fitted estimator from a model file, whoever wrote it: Python, C or the tool."""
    from ._estimators import from_model

    return from_model(_rkhs.load(path))


def save(estimator, path):
    """Writes a fitted estimator as a model file, which C and the tool read too. It contains training objects."""
    model = getattr(estimator, "_model", None)
    if model is None:
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' before saving it.")
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


__all__ = ["Advice", "Bits", "gram", "list", "load", "save", "score", "models"]
