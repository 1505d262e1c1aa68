"""Results by cell: each is computed once, kept in a folder, and found there by the next run.

A cell is a name and what it depends on, {"set": "mnist", "draw": 0, "model": "kle(k=13)"}; its value is anything that JSON can hold, or an
array, which is kept as an NPY beside. A run that is stopped loses the cell it was at. Cells are not forgotten when the library changes:
remove the folder to compute them again.
"""
import hashlib
import json
import os
import pathlib
import sys
import time

import numpy as np


class Cells:
    def __init__(self, folder, seconds):
        """folder: where cells are kept; seconds: after which only what is there already is used, and the rest is left out."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ends = time.monotonic() + seconds
        self.found = self.made = 0
        self.left_out = []

    def path(self, name, key):
        mark = hashlib.sha256(json.dumps([name, key], sort_keys=True).encode()).hexdigest()[:16]
        return self.folder / f"{name}-{mark}"

    def value(self, name, make, **key):
        """The cell's value; None when time is up and it is not there."""
        path = self.path(name, key)
        kept = path.with_suffix(".json")
        if kept.exists():
            self.found += 1
            entry = json.loads(kept.read_text())
            return np.load(path.with_suffix(".npy")) if entry["array"] else entry["value"]
        if time.monotonic() > self.ends:
            self.left_out.append(f"{name} {json.dumps(key)}")
            return None
        start = time.monotonic()
        value = make()
        self.made += 1
        array = isinstance(value, np.ndarray)
        if array:
            np.save(path.with_suffix(".part.npy"), value)
            os.replace(path.with_suffix(".part.npy"), path.with_suffix(".npy"))
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"name": name, "key": key, "array": array, "value": None if array else value,
                                    "seconds": time.monotonic() - start}))
        os.replace(part, kept)
        print(f"  {name} {' '.join(str(v) for v in key.values())}: {'array' if array else value}", file=sys.stderr, flush=True)
        return value

    def summary(self):
        print(f"{self.made} cells computed, {self.found} found in {self.folder}, {len(self.left_out)} left out for lack of time", flush=True)
        for cell in self.left_out[:10]:
            print(f"  left out: {cell}")
        if len(self.left_out) > 10:
            print(f"  ... and {len(self.left_out) - 10} more")


def spread(values, digits=0):
    """'mean +- deviation' of what is there."""
    values = [v for v in values if v is not None]
    if not values:
        return "-"
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits or 1}f}"


def table(head, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(str(c) for c in row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"
