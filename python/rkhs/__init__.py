"""Kernel representation learning: scikit-learn estimators on any data that has a kernel.

>>> import numpy as np, rkhs
>>> X = np.random.default_rng(0).normal(size=(100, 5))
>>> model = rkhs.KernelPCA(n_components=2, kernel="rbf(sigma=median)").fit(X)
>>> model.transform(X[:3]).shape
(3, 2)

Every model of the library is a class here, made from the library's own tables when it is first asked for: see
``dir(rkhs)`` and ``help(rkhs.KernelPCA)``. ``rkhs.list("kernels")`` tells what a kernel's text may say.
"""
from ._rkhs import (ArgumentError, BugError, BusyError, Cancelled, DataError, Error, FileError, FormatError,
                    MemoryLimitError, NumericError, SpecError, __version__)
from ._advice import Advice, convergence_warning as _convergence_warning
from ._functions import Bits, gram, list, load, model, read, save, score
from ._tables import models as _models

__all__ = ["Advice", "ArgumentError", "Bits", "BugError", "BusyError", "Cancelled", "ConvergenceWarning", "DataError",
           "Error", "FileError", "FormatError", "MemoryLimitError", "NumericError", "SpecError", "gram", "list", "load",
           "model", "read", "save", "score", *_models()]


def __getattr__(name):
    if name == "ConvergenceWarning":
        return _convergence_warning()
    if name not in _models():
        raise AttributeError(f"module 'rkhs' has no attribute {name!r}")
    from ._estimators import make_class  # brings scikit-learn, which nobody waits for who does not use it

    globals()[name] = made = make_class(name)
    return made


def __dir__():
    return sorted({*globals(), *__all__})
