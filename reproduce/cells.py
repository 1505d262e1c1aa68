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


def bars(path, title, groups):
    """An SVG of bars with deviations: groups is {name: {bar: values}}; all groups have bars of the same names."""
    names = list(dict.fromkeys(bar for group in groups.values() for bar in group))
    step, gap, left, high, top = 11, 26, 60, 420, 40
    low = 70 + 14 * ((len(names) + 3) // 4)
    wide = left + sum(step * len(names) + gap for _ in groups) + 10
    at = {g: {b: [v for v in values if v is not None] for b, values in group.items()} for g, group in groups.items()}
    most = max([np.mean(v) + np.std(v) for group in at.values() for v in group.values() if v] or [1])
    colours = ["#bbbbbb", "#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#004488", "#999933", "#882255", "#44aa99", "#332288",
               "#ddcc77", "#117733", "#cc6677", "#88ccee", "#aa4499"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high + low - 70}" width="{wide}" height="{high + low - 70}" '
             'font-family="sans-serif" font-size="11" fill="#333">', f'<rect width="{wide}" height="{high + low - 70}" fill="#fff"/>',
             f'<text x="{wide / 2}" y="20" text-anchor="middle" font-size="14">{title}</text>']

    def y_of(v):
        return high - 70 - v / most * (high - 70 - top)
    for q in range(6):
        v = q * most / 5
        parts.append(f'<path d="M{left} {y_of(v):.1f}H{wide - 10}" stroke="#ddd"/><text x="{left - 6}" y="{y_of(v) + 4:.1f}" text-anchor="end">{v:.3g}</text>')
    x = left + gap / 2
    for g, group in at.items():
        parts.append(f'<text x="{x + step * len(names) / 2:.1f}" y="{high - 54}" text-anchor="middle">{g}</text>')
        for q, name in enumerate(names):
            v = group.get(name)
            if v:
                mean, dev = np.mean(v), np.std(v)
                parts.append(f'<rect x="{x + step * q:.1f}" y="{y_of(mean):.1f}" width="{step - 2}" height="{high - 70 - y_of(mean):.1f}" fill="{colours[q % len(colours)]}"/>'
                             f'<path d="M{x + step * q + step / 2 - 1:.1f} {y_of(mean - dev):.1f}V{y_of(mean + dev):.1f}" stroke="#333"/>')
        x += step * len(names) + gap
    for q, name in enumerate(names):
        u, v = left + (q % 4) * (wide - left) / 4, high - 34 + 14 * (q // 4)
        parts.append(f'<rect x="{u:.1f}" y="{v - 9:.1f}" width="10" height="10" fill="{colours[q % len(colours)]}"/><text x="{u + 14:.1f}" y="{v:.1f}">{name}</text>')
    path.write_text("\n".join(parts) + "\n</svg>\n")
