#!/usr/bin/python3
"""Writes data/jaccard_*.npy: SciPy's Jaccard distances of bits, and scikit-learn's kernel PCA of one minus these.

    /usr/bin/python3 tests/golden/make_jaccard.py    (made with SciPy 1.10.1 and scikit-learn 1.2.1)
"""
import pathlib

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
random = np.random.RandomState(5)
x, y = random.rand(60, 167) < 0.2, random.rand(15, 167) < 0.2
train, new = 1 - cdist(x, x, "jaccard"), 1 - cdist(y, x, "jaccard")
model = KernelPCA(n_components=4, kernel="precomputed", eigen_solver="dense")
scores = model.fit_transform(train)
signs = np.sign(scores[np.argmax(np.abs(scores), axis=0), np.arange(4)])
np.save(FOLDER / "jaccard_x.npy", x)
np.save(FOLDER / "jaccard_y.npy", y.astype(np.uint8))
np.save(FOLDER / "jaccard_kernel.npy", new)
np.save(FOLDER / "jaccard_scores.npy", np.ascontiguousarray(scores * signs))
np.save(FOLDER / "jaccard_new.npy", np.ascontiguousarray(model.transform(new) * signs))
