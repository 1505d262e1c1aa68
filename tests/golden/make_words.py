#!/usr/bin/python3
"""Writes data/words_*.csv: cosines of word counts and of tf-idf by scikit-learn on the lines of data/strings.txt; new: of all
lines, with the vocabulary of all and the weights of the first half, where what only the others have is in no text.

    /usr/bin/python3 tests/golden/make_words.py
"""
import pathlib

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

folder = pathlib.Path(__file__).parent / "data"
lines = (folder / "strings.txt").read_text().splitlines()
for name, vectorizer in (("count", CountVectorizer), ("tfidf", TfidfVectorizer)):
    X = vectorizer(token_pattern=r"[^\W_]+", lowercase=True).fit_transform(lines).astype(float)
    np.savetxt(folder / f"words_{name}.csv", cosine_similarity(X), fmt="%.17g", delimiter=",")
words = CountVectorizer(token_pattern=r"[^\W_]+").fit(lines).vocabulary_
half = TfidfVectorizer(token_pattern=r"[^\W_]+", vocabulary=words).fit(lines[: len(lines) // 2])
np.savetxt(folder / "words_new.csv", cosine_similarity(half.transform(lines)), fmt="%.17g", delimiter=",")
