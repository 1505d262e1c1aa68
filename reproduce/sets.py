"""The data sets of the papers, read from the folder that DATA names (its README says where each is from)."""
import gzip
import io

import numpy as np


class Sets:
    def __init__(self, folder):
        self.folder = folder

    def mnist(self, draw, count=50):
        """`count` images of each digit, the draw-th such lot, with values in [0, 1]: (images, labels)."""
        x = np.load(self.folder / "mnist/mnist_5000_x.npy")
        y = np.load(self.folder / "mnist/mnist_5000_y.npy")
        rows = np.concatenate([np.flatnonzero(y == c)[draw * count:(draw + 1) * count] for c in range(10)])
        return x[rows].astype(float).reshape(-1, 28, 28) / 255, y[rows].astype(int)

    def first(self, name, train, test, seed):
        """A set of vectors, shuffled and split: (X, y, new X, new y)."""
        load = {"mnist": ("mnist/mnist_5000", 255), "fashion": ("fashion_mnist/fashion_5000", 255), "digits": ("digits/digits", 16)}
        path, most = load[name]
        x = np.load(self.folder / f"{path}_x.npy").astype(float) / most
        y = np.load(self.folder / f"{path}_y.npy").astype(int)
        order = np.random.default_rng(seed).permutation(len(x))[:train + test]
        x, y = x[order].reshape(train + test, -1), y[order]
        return x[:train], y[:train], x[train:], y[train:]

    def any(self, name, train, test, seed):
        """As `first`, of more sets; the classes of the roll are its quarters."""
        if name in ("mnist", "fashion", "digits"):
            return self.first(name, train, test, seed)
        if name == "swiss roll":
            x, t = self.swiss_roll()
            y = np.searchsorted(np.quantile(t, [.25, .5, .75]), t)
        else:
            x, y = self.few(name, seed)
        order = np.random.default_rng(seed).permutation(len(x))[:train + test]
        x, y = np.ascontiguousarray(x[order]), y[order]
        return x[:train], y[:train], x[train:], y[train:]

    def reuters(self, topics, train, test):
        """The first texts of the first topics: (texts, labels, new texts, new labels)."""
        lots = {}
        with gzip.open(self.folder / "reuters21578/reuters_single_topic.tsv.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                topic, text = line.rstrip("\n").split("\t", 1)
                lots.setdefault(topic, []).append(text.replace("\\n", " "))
        names = list(lots)[:topics]
        old = [(t, name) for name in names for t in lots[name][:train]]
        new = [(t, name) for name in names for t in lots[name][train:train + test]]
        return [t for t, _ in old], [n for _, n in old], [t for t, _ in new], [n for _, n in new]

    def circles(self, draw):
        """Three rings of 80, 110 and 190 points, min-max scaled: (X, labels)."""
        g = np.random.default_rng(draw)
        lots = []
        for count, radius in ((80, 2), (110, 8), (190, 16)):
            angle = g.uniform(0, 2 * np.pi, count)
            lots.append(radius * np.c_[np.cos(angle), np.sin(angle)])
        x = np.vstack(lots) + g.normal(0, 0.5, (380, 2))
        return (x - x.min(0)) / (x.max(0) - x.min(0)), np.repeat([0, 1, 2], (80, 110, 190))

    def frey(self):
        return np.load(self.folder / "frey_faces/frey_faces.npy").astype(float) / 255

    def swiss_roll(self):
        """2000 points, scaled to [0, 1], and their place along the roll."""
        x = np.load(self.folder / "swiss_roll/swiss_roll_X.npy").astype(float)
        return (x - x.min(0)) / (x.max(0) - x.min(0)), np.load(self.folder / "swiss_roll/swiss_roll_t.npy").astype(float).ravel()

    def nci(self):
        """2305 molecules: (fingerprints, whether each is active in each of 59 cell lines)."""
        return (np.load(self.folder / "nci_cancer/fp3_bits_2305.npy").astype(np.uint8),
                (np.load(self.folder / "nci_cancer/gi50_scores_2305.npy") >= 60).astype(int))

    def pixels(self, name):
        """(rows of pixels in [0, 1], labels) of a set of images."""
        if name == "mnist":
            return np.load(self.folder / "mnist/mnist_5000_x.npy").reshape(5000, -1) / 255, np.load(self.folder / "mnist/mnist_5000_y.npy").astype(int)
        path = {"cifar10": "cifar10/cifar10_train5000", "svhn": "svhn/svhn_train4000"}[name]
        with gzip.open(self.folder / f"{path}_x.npy.gz") as f:
            x = np.load(io.BytesIO(f.read()))
        return x.reshape(len(x), -1) / 255, np.load(self.folder / f"{path}_y.npy").astype(int)

    def few(self, name, seed):
        """A small set to learn classes of: (x, y)."""
        if name == "circles":
            return self.circles(seed)
        if name == "cubes":
            from sklearn.datasets import make_classification  # classes at the corners of a hypercube: what the paper's source has of cubes
            return make_classification(n_samples=400, random_state=seed)
        if name in ("iris", "ionosphere"):
            return np.load(self.folder / f"{name}/{name}_x.npy").astype(float), np.unique(np.load(self.folder / f"{name}/{name}_y.npy"), return_inverse=True)[1]
        x, y = self.pixels(name.split(",")[0])
        if "two" in name:
            x, y = x[y < 2], y[y < 2]
        rows = np.random.default_rng(seed).permutation(len(x))[:500]
        return x[rows], y[rows]

    def five(self, name, seed):
        """225 images of the first five classes to learn from, and as many to test on, below each other: (labels, pixels)."""
        x, y = self.pixels(name)
        rows = np.random.default_rng(seed).permutation(np.flatnonzero(y < 5))[:450]
        return y[rows], x[rows]

    def flows(self, seed, train=1000, test=500):
        """CICIoT2023, the edition of 39 columns: `train` benign flows, and `test` others of each class: (X, {class: X})."""
        x = np.load(self.folder / "ciciot2023/ciciot2023_x.npy").astype(float)
        y = np.load(self.folder / "ciciot2023/ciciot2023_y.npy")
        names = (self.folder / "ciciot2023/classes.txt").read_text().split()
        draw = np.random.default_rng(seed)
        rows = {name: draw.permutation(np.flatnonzero(y == code)) for code, name in enumerate(names)}
        rows["Web"] = draw.permutation(np.concatenate([rows.pop(name) for name in ("WebAttack", "Uploading", "Malware")]))
        benign = rows.pop("Benign")
        lots = {"Benign": benign[train:train + test], **{name: own[:test] for name, own in rows.items()}}
        return x[benign[:train]], {name: x[own] for name, own in lots.items()}
