"""Settings and labels, checked before the library sees them: a wrong one is one sentence that names it."""
import math
import numbers

import numpy as np


def is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def whole(name, value, least=None, most=None):
    """A whole number within its bounds, as an int."""
    if not is_number(value):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if not isinstance(value, numbers.Integral):
        raise ValueError(f"{name} must be a whole number of type int, not {value!r}")
    value = int(value)
    if least is not None and value < least or most is not None and value > most:
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be {bounds}, not {value}")
    return value


def real(name, value):
    if not is_number(value):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if math.isnan(value):
        raise ValueError(f"{name} must be a number, not nan")
    return float(value)


def flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def parameter(name, kind, value):
    """The value of a model's parameter, of the kind that its table says; None is left to the library."""
    if value is None:
        return None
    if kind == "integer":
        return whole(name, value)
    if kind == "real":
        return real(name, value)
    if kind == "true|false":
        return flag(name, value)
    if kind == "real or bandwidth rule" and not isinstance(value, str):
        return real(name, value)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {value!r}")
    return value


def memory_of(memory):
    """Bytes for the library, where 0 is its own choice."""
    return 0 if memory is None else whole("memory", memory, 1, 2**63 - 1)


# ---- labels ----------------------------------------------------------------------------------------------------------


def is_unknown(label):
    """Whether an object has no label: None, NaN (pandas' NA and NaT too) or the number -1."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return is_number(label) and (label == -1 or label != label)


def known_labels(y):
    """The labels of one column, those that are known, and where these are."""
    if isinstance(y, (list, tuple)):
        column = np.empty(len(y), dtype=object)  # NumPy would make the text "nan" of NaN beside texts
        column[:] = y
        y = column
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead: one label for each object")
    if y.dtype == object:
        known = np.array([not is_unknown(label) for label in y], dtype=bool)
        labels = np.array(y[known].tolist())
    else:
        known = y != -1 if y.dtype.kind in "if" else np.ones(len(y), bool)
        if y.dtype.kind == "f":
            known &= ~np.isnan(y)
        labels = y[known]
    if labels.dtype.kind == "f" and (labels == np.round(labels)).all():
        labels = labels.astype(np.int64)  # whole numbers beside NaN are floats in NumPy, and 1.0 is the class 1
    only_ones = labels.dtype.kind in "iu" and len(labels) and (labels == 1).all()
    if only_ones and any(is_number(label) and label == -1 for label in y[~known]):
        raise ValueError("y has the labels -1 and 1, and -1 stands for an unknown label: give two classes other "
                         "names, as y > 0 does, or write None for objects whose class is unknown")
    return labels, known


def classes_tuple(y):
    """Class labels of any kind for the library; unknown ones have the code -1."""
    labels, known = known_labels(y)
    names, inverse = np.unique(labels, return_inverse=True)
    codes = np.full(len(known), -1, dtype=np.int64)
    codes[known] = inverse
    return ("classes", len(codes), codes, [str(name) for name in names], len(names))
