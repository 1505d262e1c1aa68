"""From Python's objects to what the library reads: tuples that begin with a kind and a number of objects (see
_rkhs.c)."""
import numpy as np

from ._checks import whole


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
        n_bits = 8 * packed.shape[1] if n_bits is None else whole("n_bits", n_bits)
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


def holds_graphs(X):
    """Whether X is a list of tuples (edges, labels) or (edges, labels, edge_labels): the objects are graphs."""
    if not isinstance(X, list) or not X or not isinstance(X[0], tuple) or len(X[0]) not in (2, 3):
        return False
    edges, labels = X[0][:2]
    if np.ndim(labels) > 1 or isinstance(edges, (str, bytes)) or not hasattr(edges, "__len__"):
        return False
    return len(edges) == 0 or (hasattr(edges[0], "__len__") and len(edges[0]) == 2)


def whole_numbers(values, what):
    values = np.asarray(values)
    if values.size and values.dtype.kind not in "iub":
        raise TypeError(f"{what} are whole numbers, not {values.dtype}")
    return values.astype(np.int64)


def graphs_tuple(X):
    """Graphs; where the labels of vertices are one number, it says how many vertices there are, and they have none."""
    vertices, counts, ends, labels, edge_labels = [], [], [np.empty(0, np.int64)], [], []
    bare, bonded = np.ndim(X[0][1]) == 0, len(X[0]) == 3
    for i, graph in enumerate(X):
        if not isinstance(graph, tuple) or len(graph) != (3 if bonded else 2):
            raise TypeError(f"object {i} is no tuple of {3 if bonded else 2}, as the first is: give all graphs alike")
        edges = whole_numbers(graph[0], f"object {i}: vertices")
        edges = edges.reshape(len(edges), 2 if edges.size == 0 else -1)
        own = whole_numbers(graph[1], f"object {i}: labels of vertices")
        if (own.ndim == 0) != bare:
            raise ValueError(f"object {i} has {'labels' if bare else 'no labels'} of vertices, the first has "
                             f"{'none' if bare else 'some'}: give all graphs alike")
        if len(edges) and edges.shape[1] != 2:
            raise ValueError(f"object {i}: edges are pairs of vertices, not rows of {edges.shape[1]}")
        vertices.append(int(own) if bare else len(own))
        counts.append(len(edges))
        ends.append(edges.ravel())
        labels.append(own)
        if bonded:
            edge_labels.append(whole_numbers(graph[2], f"object {i}: labels of edges"))
            if len(edge_labels[-1]) != len(edges):
                raise ValueError(f"object {i} has {len(edges)} edges and {len(edge_labels[-1])} labels of edges")
    if min(vertices) < 0:
        raise ValueError("a graph has no fewer than 0 vertices")
    return ("graphs", len(X), np.array(vertices, np.int64), np.array(counts, np.int64), np.concatenate(ends),
            None if bare else np.concatenate(labels), np.concatenate(edge_labels) if bonded else None)


def dense_tuple(X, names=None):
    """A C-contiguous float64 or float32 matrix as it is, unless it is not aligned; and the names of its columns."""
    return ("float" if X.dtype == np.float32 else "dense", *X.shape, np.require(X, requirements=["C", "A"]), names)


def column_names(X):
    """The names of a table's columns, if all are texts and no two are the same."""
    names = [*getattr(X, "columns", ())]
    return names if names and all(isinstance(name, str) for name in names) and len({*names}) == len(names) else None


def other_names(X):
    """The names of a table's columns, if none is a text: numbers, dates, tuples."""
    names = [*getattr(X, "columns", ())]
    return names if names and not any(isinstance(name, str) for name in names) else None


def short(names, most=5):
    """The first of some names, for a sentence."""
    return ", ".join(map(str, names[:most])) + (", ..." if len(names) > most else "")


def counts_rows(X):
    """Whether the first column of a table is an index that pandas wrote to a file, and named when it read the file.

    A part of the rows will do, in any order: numbers from 0 on, no two the same."""
    if column_names(X) is None or not X.columns[0].startswith("Unnamed: 0"):
        return False
    numbers = np.asarray(X[X.columns[0]])
    return (numbers.dtype.kind in "iu" and len(numbers) > 1 and numbers.min() >= 0
            and len(np.unique(numbers)) == len(numbers))


def holds_images(X):
    """Whether X is an array of images: n x height x width, or with 1, 3 or 4 channels behind."""
    return (isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.size > 0
            and (X.ndim == 3 or (X.ndim == 4 and X.shape[3] in (1, 3, 4))))


def images_tuple(X):
    single = X.dtype == np.float32
    return ("float images" if single else "images", *X.shape[:3], X.shape[3] if X.ndim == 4 else 1,
            np.require(X, np.float32 if single else np.float64, ["C", "A"]))


def csr_tuple(X):
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return ("csr", *X.shape, np.require(X.data, np.float64, ["C", "A"]),
            np.ascontiguousarray(X.indices, dtype=np.int32), np.ascontiguousarray(X.indptr, dtype=np.int64))


def as_tuple(X):
    """Any data, without scikit-learn's checks: for functions. The library's own checks follow."""
    if X is None:
        return None
    if isinstance(X, Bits):
        return X.as_tuple()
    if holds_strings(X):
        return strings_tuple(X)
    if holds_graphs(X):
        return graphs_tuple(X)
    if hasattr(X, "tocsr"):
        return csr_tuple(X)
    names = column_names(X)
    X = np.asarray(X)
    if holds_images(X):
        return images_tuple(X)
    if X.ndim == 1:
        raise ValueError("Expected 2D array, got 1D array instead: rows are objects. Reshape your data with "
                         "array.reshape(-1, 1) if it has a single feature, or array.reshape(1, -1) if it is a single "
                         "object.")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"objects are rows of numbers, strings, bits or a sparse matrix, not an array of {X.dtype}")
    if X.dtype != np.float32:
        X = X.astype(np.float64, copy=False)
    return dense_tuple(np.ascontiguousarray(X.reshape(len(X), -1)), names)


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
    """What the library gives back: a matrix, a sparse one, or strings, or graphs."""
    if isinstance(rows, list):
        return rows
    if len(rows) == 3:
        return np.frombuffer(rows[2]).reshape(rows[0], rows[1])
    from scipy.sparse import csr_matrix

    n, p, values, columns, starts = rows
    parts = np.frombuffer(values), np.frombuffer(columns, np.int32), np.frombuffer(starts, np.int64)
    return csr_matrix(parts, (n, p))


def kernel_argument(kernel):
    """A kernel for the library: its text, or a function under the name that functions have."""
    if callable(kernel):
        return ("python", Callable(kernel))
    if kernel is not None and not isinstance(kernel, str):
        raise TypeError(f"kernel must be a text, a function of two objects, or None, not {type(kernel).__name__}")
    return kernel
