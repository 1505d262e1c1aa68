"""Remarks of the library as Python warnings, at the line of the caller."""
import functools
import sys
import warnings

CORE = "OPENBLAS_CORETYPE"  # the variable that the advice on slow kernels of BLAS names, and its subject
_told = set()  # what is said once in a process


class Advice(UserWarning):
    """A remark of the library that is no error: on the data, on a number that was chosen, on what was cut."""


@functools.cache
def convergence_warning():
    """The class ConvergenceWarning, made when it is first asked for, since it brings scikit-learn."""
    try:
        from sklearn.exceptions import ConvergenceWarning as base
    except ImportError:
        base = UserWarning
    doc = "A solver did not reach its tolerance. Where there is scikit-learn, it is its ConvergenceWarning too."
    return type("ConvergenceWarning", (Advice, base), {"__doc__": doc, "__module__": "rkhs"})


def _in_python(sentence, hint):
    """The sentence with the parameter that it names as Python writes it: gram='nystrom(landmarks=500)'."""
    name, _, value = hint.partition("=")
    return sentence.replace(hint, f"{name}='{value}'") if hint else sentence


def _with_numpy(advice):
    """The advice, and once in a process that slow kernels of BLAS slow down NumPy, too."""
    yield from advice
    if CORE not in _told and any(subject == CORE for _, subject, _ in advice):
        _told.add(CORE)
        yield f"products of NumPy are as slow, if it uses the same OpenBLAS: set {CORE} before Python starts", CORE, ""


def advise(advice):
    """Warns of each (sentence, subject, hint) at the caller's line: the nearest outside of this package and of
    scikit-learn, which wraps its methods."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("rkhs", "sklearn"):
        level, frame = level + 1, frame.f_back
    for sentence, subject, hint in _with_numpy(advice):
        kind = convergence_warning() if subject == "convergence" else Advice
        warnings.warn(_in_python(sentence, hint), kind, stacklevel=level)
