"""Data sets of the bench, made when a row first asks for one, the same in every run."""
import gzip
import pathlib

import numpy


class Sets:
    """Each function gives the path of a file; `scale` multiplies the numbers of rows, for a quick look. data: a folder
    of real sets."""

    def __init__(self, folder, scale, data=None):
        self.folder, self.scale, self.data = pathlib.Path(folder), scale, data and pathlib.Path(data)

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

    def mixture(self, rows, columns, groups=20, seed=13):
        """Round groups of the same size, a little apart."""
        def make(path):
            random = numpy.random.default_rng(seed)
            centres = random.standard_normal((groups, columns))
            group = random.integers(groups, size=rows)
            numpy.save(path, centres[group] + 0.5 * random.standard_normal((rows, columns)))
        return self.file(f"mixture_{rows}_{columns}_{groups}_{seed}.npy", make)

    def rare(self, rows, columns, seed=14):
        """Large groups with long tails, and a twentieth of the rows in tight groups of 1 to 32, far from all others."""
        def make(path):
            random, few = numpy.random.default_rng(seed), rows // 20
            group = numpy.repeat(numpy.arange(few), numpy.arange(few) % 32 + 1)[:few]
            apart = 3 * random.standard_normal((few, columns))[group] + 0.1 * random.standard_normal((few, columns))
            radius = random.standard_t(3, (rows - few, 1))
            large = random.standard_normal((8, columns))[random.integers(8, size=rows - few)]
            x = numpy.vstack([large + 0.2 * radius * random.standard_normal((rows - few, columns)), apart])
            numpy.save(path, x[random.permutation(rows)])
        return self.file(f"rare_{rows}_{columns}_{seed}.npy", make)

    def mnist(self, rows):
        """The first training images of MNIST, pixels from 0 to 1; None: the folder of real sets has them not."""
        images = self.data and self.data / "mnist" / "train-images-idx3-ubyte.gz"
        if not images or not images.exists():
            return None

        def make(path):
            with gzip.open(images) as file:
                x = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 784)[:rows]
            numpy.save(path, (x / 255).astype(numpy.float32))
        return self.file(f"mnist_{rows}.npy", make)

    def targets(self, rows, seed=1):
        return self.file(f"targets_{rows}_{seed}.npy",
                         lambda path: numpy.save(path, numpy.random.default_rng(seed).standard_normal((rows, 1))))

    def plane(self, rows, columns=50, seed=0):
        """An embedding of Sets.vectors: the first two columns."""
        return self.file(f"plane_{rows}_{columns}_{seed}.npy",
                         lambda path: numpy.save(path, numpy.load(self.vectors(rows, columns, seed))[:, :2].copy()))

    def triplets(self, rows):
        """Row i of three parts of so many rows each belongs to row i of the second, and not to row i of the third."""
        return self.file(f"triplets_{rows}.npy", lambda path: numpy.save(path, numpy.arange(3 * rows).reshape(3, rows).T.copy()))

    def classes(self, rows, count, seed=8):
        return self.file(f"classes_{rows}_{count}_{seed}.npy",
                         lambda path: numpy.save(path, numpy.random.default_rng(seed).integers(count, size=rows)))

    def counts(self, rows, columns, seed=9):
        """Small whole numbers, half of them 0, as in pictures and histograms."""
        def make(path):
            random = numpy.random.default_rng(seed)
            numpy.save(path, random.poisson(4, (rows, columns)) * random.integers(0, 2, (rows, columns)).astype(float))
        return self.file(f"counts_{rows}_{columns}_{seed}.npy", make)

    def bits(self, rows, bits, seed=10):
        """Fingerprints, a tenth of the bits set: an array of bool, and beside it (name + ".fps") as chemfp writes it."""
        def make(path):
            x = numpy.random.default_rng(seed).random((rows, bits)) < 0.1
            packed = numpy.packbits(x, axis=1, bitorder="little")
            lines = [f"{row.tobytes().hex()}\tobject{i}\n" for i, row in enumerate(packed)]
            pathlib.Path(path + ".fps").write_text(f"#FPS1\n#num_bits={bits}\n" + "".join(lines))
            numpy.save(path, x)
        return self.file(f"bits_{rows}_{bits}_{seed}.npy", make)

    def strings(self, rows, length, letters, end="", seed=11):
        """Lines of so many letters, all alike likely, and `end` after each."""
        def make(path):
            x = numpy.random.default_rng(seed).integers(ord("a"), ord("a") + letters, (rows, length), dtype=numpy.uint8)
            pathlib.Path(path).write_text("".join(row.tobytes().decode() + end + "\n" for row in x))
        return self.file(f"strings_{rows}_{length}_{letters}_{len(end)}_{seed}.txt", make)

    def molecules(self, rows, rounds, seed=12):
        """Graphs of 10 to 50 vertices, rings of six on trees, as GIN text; and beside it (name + ".npz") how often each colour of wl
        stands in each, by plain relabelling."""
        def make(path):
            random, lines, numbers, values, indices = numpy.random.default_rng(seed), [str(rows)], {}, [], []
            for _ in range(rows):
                labels, near = molecule(random)
                lines.append(f"{len(labels)} 0")
                lines += [" ".join(map(str, (labels[v], len(near[v]), *near[v]))) for v in range(len(labels))]
                counts = colours(labels, near, rounds, numbers)
                indices.append(numpy.array(sorted(counts)))
                values += [counts[c] for c in sorted(counts)]
            pathlib.Path(path).write_text("\n".join(lines) + "\n")
            save_csr(path + ".npz", numpy.array(values, float), indices, len(numbers))
        return self.file(f"molecules_{rows}_{rounds}_{seed}.gin", make)

    def drawings(self, rows, side=28, seed=12):
        """Images of a bent stroke, light on 0, as written digits are."""
        def make(path):
            random, grid = numpy.random.default_rng(seed), numpy.arange(side)
            x = numpy.empty((rows, side, side))
            for image in x:
                ends = random.uniform(0.2 * side, 0.8 * side, (4, 2))
                t = numpy.linspace(0, 1, 60)[:, None]
                line = (1 - t) ** 3 * ends[0] + 3 * t * (1 - t) ** 2 * ends[1] + 3 * t ** 2 * (1 - t) * ends[2] + t ** 3 * ends[3]
                square = (grid[:, None, None] - line[:, 0]) ** 2 + (grid[:, None] - line[:, 1]) ** 2
                image[:] = (255 * numpy.exp(-square.min(2) / 3)).round()
            numpy.save(path, x)
        return self.file(f"drawings_{rows}_{side}_{seed}.npy", make)

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


def gamma_of(path, rows=1000):
    """1 / (2 sigma^2) with sigma the median distance of the first rows, to three digits."""
    x = numpy.load(path, mmap_mode="r")[:rows].astype(float)
    square = (x * x).sum(1)
    distances = (square[:, None] + square - 2 * x @ x.T)[numpy.triu_indices(len(x), 1)]
    return float(f"{0.5 / numpy.median(distances):.3g}")


def molecule(random):
    """(labels, neighbours): a tree whose vertices are at times rings of six, most of them alike."""
    size, near = int(random.integers(10, 51)), [[]]

    def join(u, v):
        near[u].append(v)
        near[v].append(u)
    while len(near) < size:
        to, ring = len(near) - 1 if random.random() < 0.6 else int(random.integers(len(near))), 6 if random.random() < 0.12 else 1
        near.extend([] for _ in range(ring))
        for v in range(len(near) - ring, len(near)):
            join(v - 1 if v > len(near) - ring else to, v)
        if ring > 1:
            join(len(near) - ring, len(near) - 1)
    return random.choice(10, len(near), p=[.7, .12, .1, .03, .02, .01, .01, .005, .003, .002]).tolist(), near


def colours(labels, near, rounds, numbers):
    """How often each colour of wl is there; `numbers` has those of all graphs."""
    now, counts = [numbers.setdefault((label,), len(numbers)) for label in labels], {}
    for left in range(rounds, -1, -1):
        for c in now:
            counts[c] = counts.get(c, 0) + 1
        if left:
            now = [numbers.setdefault((c, tuple(sorted(now[u] for u in around))), len(numbers)) for c, around in zip(now, near)]
    return counts


def save_csr(path, values, indices, columns):
    starts = numpy.cumsum([0] + [len(row) for row in indices])
    numpy.savez(path, format=numpy.array(b"csr"), shape=numpy.array([len(indices), columns]), data=values,
                indices=numpy.concatenate(indices).astype(numpy.int32), indptr=starts.astype(numpy.int32))
