#!/usr/bin/python3
"""Writes examples/data from the data sets inside Debian's python3-sklearn.

Run with Debian's own Python: /usr/bin/python3 tools/export_examples.py
Running it again gives the same bytes.
"""
import pathlib

import numpy
from sklearn import datasets

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "data"


def export_iris():
    iris = datasets.load_iris()
    lines = ["sepal_length,sepal_width,petal_length,petal_width,species"]
    for row, label in zip(iris.data, iris.target):
        lines.append(",".join(f"{value:.1f}" for value in row) + "," + iris.target_names[label])
    (FOLDER / "iris.csv").write_text("\n".join(lines) + "\n")
    written = numpy.array([[float(v) for v in line.split(",")[:4]] for line in lines[1:]])
    assert (written == iris.data).all(), "one decimal must hold every value"


def export_digits():
    digits = datasets.load_digits()
    pixels = digits.data.astype(numpy.uint8)
    assert (pixels == digits.data).all(), "pixels must be whole numbers below 256"
    numpy.save(FOLDER / "digits.npy", pixels)
    numpy.save(FOLDER / "digits_labels.npy", digits.target.astype(numpy.uint8))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    export_iris()
    export_digits()
