"""Remarks of the library as Python warnings, at the line of the caller."""
import sys
import warnings

CORE = "OPENBLAS_CORETYPE"  # the variable that the advice on slow kernels of BLAS names
_told = set()  # what is said once in a process


class Advice(UserWarning):
    """A remark of the library that is no error: on the data, on a number that was chosen, on what was cut."""


def _with_numpy(sentences):
    """The sentences, and once in a process that slow kernels of BLAS slow down NumPy, too."""
    yield from sentences
    if CORE not in _told and any(CORE in sentence for sentence in sentences):
        _told.add(CORE)
        yield f"products of NumPy are as slow, if it uses the same OpenBLAS: set {CORE} before Python starts"


def advise(sentences):
    """Warns at the caller's line: the nearest outside of this package and of scikit-learn, which wraps its methods."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("rkhs", "sklearn"):
        level, frame = level + 1, frame.f_back
    for sentence in _with_numpy(sentences):
        warnings.warn(sentence, Advice, stacklevel=level)
