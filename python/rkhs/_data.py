"""From Python's objects to what the library reads: tuples that begin with a kind and a number of objects (see _rkhs.c)."""
import numpy as np


class Bits:
    """Bit sets, packed eight to a byte as :func:`numpy.packbits` does.

    Parameters
    ----------
    packed : array of uint8, shape (n_objects, n_bytes)
    n_bits : int, optional
        Bits of each object; all of the bytes unless given.
    bitorder : "big" or "little"
        As in :func:`numpy.packbits`.

    Examples
    --------
    >>> import numpy as np, rkhs
    >>> bits = rkhs.Bits(np.packbits(np.eye(3, 20, dtype=bool), axis=1), n_bits=20)
    >>> len(bits), bits.shape
    (3, (3, 20))
    """

    def __init__(self, packed, n_bits=None, bitorder="big"):
        packed = np.ascontiguousarray(packed)
        if packed.dtype != np.uint8 or packed.ndim != 2:
            raise ValueError(f"packed bits are a 2-D array of uint8, not {packed.ndim}-D of {packed.dtype}")
        n_bits = 8 * packed.shape[1] if n_bits is None else int(n_bits)
        if not 8 * (packed.shape[1] - 1) < n_bits <= 8 * packed.shape[1]:
            raise ValueError(f"{n_bits} bits do not fill {packed.shape[1]} bytes a row")
        if bitorder not in ("big", "little"):
            raise ValueError(f"bitorder must be 'big' or 'little', not {bitorder!r}")
        self.packed, self.n_bits, self.bitorder = packed, n_bits, bitorder

    @property
    def shape(self):
        return len(self.packed), self.n_bits

    def __len__(self):
        return len(self.packed)

    def __getitem__(self, index):
        return Bits(np.atleast_2d(self.packed[index]), self.n_bits, self.bitorder)

    def as_tuple(self):
        """What the library reads: the lowest bit first."""
        packed = self.packed if self.bitorder == "little" else TURNED[self.packed]
        return ("bits", *self.shape, packed)


TURNED = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), axis=1, bitorder="little")[:, 0]


def holds_strings(X):
    """Whether X is a sequence of str (or bytes): the objects are strings."""
    if isinstance(X, np.ndarray):
        if X.dtype.kind in "US":
            return X.ndim == 1
        return X.dtype == object and X.ndim == 1 and len(X) > 0 and isinstance(X[0], (str, bytes))
    if type(X).__name__ == "Series" and hasattr(X, "to_numpy"):
        return holds_strings(X.to_numpy())
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], (str, bytes))


def strings_tuple(X):
    encoded = []
    for i, s in enumerate(X):
        if isinstance(s, str):
            s = s.encode()
        elif not isinstance(s, bytes):
            raise TypeError(f"object {i} is {type(s).__name__}, the first is a string: give strings only")
        encoded.append(s)
    return ("strings", len(encoded), encoded)


def dense_tuple(X):
    """A C-contiguous float64 or float32 matrix as it is."""
    return ("float" if X.dtype == np.float32 else "dense", *X.shape, X)


def csr_tuple(X):
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return ("csr", *X.shape, np.ascontiguousarray(X.data, dtype=np.float64), np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.indptr, dtype=np.int64))


def as_tuple(X):
    """Any data, without scikit-learn's checks: for functions. The library's own checks follow."""
    if X is None:
        return None
    if isinstance(X, Bits):
        return X.as_tuple()
    if holds_strings(X):
        return strings_tuple(X)
    if hasattr(X, "tocsr"):
        return csr_tuple(X)
    X = np.asarray(X)
    if X.ndim == 1:
        raise ValueError("Expected 2D array, got 1D array instead: rows are objects. Reshape your data with "
                         "array.reshape(-1, 1) if it has a single feature, or array.reshape(1, -1) if it is a single object.")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"objects are rows of numbers, strings, bits or a sparse matrix, not an array of {X.dtype}")
    if X.dtype != np.float32:
        X = X.astype(np.float64, copy=False)
    return dense_tuple(np.ascontiguousarray(X.reshape(len(X), -1)))


class Callable:
    """A kernel written in Python, for the library: fills a tile of values, pair by pair."""

    def __init__(self, function):
        self.function = function

    def __call__(self, a, b, out):
        a, b = objects(a), objects(b)
        values = np.frombuffer(out).reshape(len(a), len(b))
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                values[i, j] = self.function(x, y)


def objects(rows):
    """What the library gives back: a matrix, or strings."""
    return rows if isinstance(rows, list) else np.frombuffer(rows[2]).reshape(rows[0], rows[1])


def kernel_argument(kernel):
    """A kernel for the library: its text, or a function under the name that functions have."""
    if callable(kernel):
        return ("python", Callable(kernel))
    if kernel is not None and not isinstance(kernel, str):
        raise TypeError(f"kernel must be a text, a function of two objects, or None, not {type(kernel).__name__}")
    return kernel


def classes_tuple(y):
    """Class labels of any kind."""
    names, codes = np.unique(np.asarray(y), return_inverse=True)
    return ("classes", len(codes), codes.astype(np.int64), [str(name) for name in names], len(names))
