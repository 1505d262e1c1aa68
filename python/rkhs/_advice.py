"""Remarks of the library as Python warnings, at the line of the caller."""
import sys
import warnings


class Advice(UserWarning):
    """A remark of the library that is no error: on the data, on a number that was chosen, on what was cut."""


def advise(sentences):
    """Warns at the caller's line: the nearest outside of this package and of scikit-learn, which wraps its methods."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("rkhs", "sklearn"):
        level, frame = level + 1, frame.f_back
    for sentence in sentences:
        warnings.warn(sentence, Advice, stacklevel=level)
