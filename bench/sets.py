"""Data sets of the bench, made when a row first asks for one, the same in every run."""
import pathlib

import numpy


class Sets:
    """Each function gives the path of a file; `scale` multiplies the numbers of rows, for a quick look."""

    def __init__(self, folder, scale):
        self.folder, self.scale = pathlib.Path(folder), scale

    def rows(self, n):
        return n if self.scale == 1 else max(20, int(n * self.scale))

    def file(self, name, make):
        path = self.folder / name
        if not path.exists():
            make(str(path))
        return str(path)

    def vectors(self, rows, columns=50, seed=0):
        """Normal columns whose widths fall by a tenth each: the spectrum of the Gram decays, as that of real data does."""
        def make(path):
            numpy.save(path, numpy.random.default_rng(seed).standard_normal((rows, columns)) * 0.9 ** numpy.arange(columns))
        return self.file(f"vectors_{rows}_{columns}_{seed}.npy", make)

    def targets(self, rows, seed=1):
        return self.file(f"targets_{rows}_{seed}.npy",
                         lambda path: numpy.save(path, numpy.random.default_rng(seed).standard_normal((rows, 1))))

    def table(self, rows, columns, digits):
        """A CSV of numbers with so many significant digits; 17: as a program writes doubles to the last bit."""
        def make(path):
            values = numpy.random.default_rng(2).standard_normal((rows, columns))
            numpy.savetxt(path, values, delimiter=",", fmt=f"%.{digits}g")
        return self.file(f"table_{rows}_{columns}_{digits}.csv", make)

    def sparse(self, rows, columns, density):
        """Numbers anywhere, as scipy.sparse.save_npz writes them."""
        each = max(1, round(columns * density))

        def make(path):
            random = numpy.random.default_rng(3)
            indices = [numpy.sort(random.choice(columns, each, replace=False)) for _ in range(rows)]
            save_csr(path, random.random(rows * each), indices, columns)
        return self.file(f"sparse_{rows}_{columns}_{each}.npz", make)

    def text(self, rows, columns):
        """Word counts: 50 to 250 words a document, drawn by Zipf's law, 1 + log counts, rows of length one."""
        def make(path):
            random = numpy.random.default_rng(4)
            often = 1 / numpy.arange(1, columns + 1) ** 1.05
            often /= often.sum()
            indices, values = [], []
            for _ in range(rows):
                words, counts = numpy.unique(random.choice(columns, random.integers(50, 250), p=often), return_counts=True)
                weights = 1 + numpy.log(counts)
                indices.append(words)
                values.append(weights / numpy.sqrt((weights ** 2).sum()))
            save_csr(path, numpy.concatenate(values), indices, columns)
        return self.file(f"text_{rows}_{columns}.npz", make)


def save_csr(path, values, indices, columns):
    starts = numpy.cumsum([0] + [len(row) for row in indices])
    numpy.savez(path, format=numpy.array(b"csr"), shape=numpy.array([len(indices), columns]), data=values,
                indices=numpy.concatenate(indices).astype(numpy.int32), indptr=starts.astype(numpy.int32))
