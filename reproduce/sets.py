"""The data sets of the papers, read from the folder that DATA names (its README says where each is from)."""
import gzip

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
