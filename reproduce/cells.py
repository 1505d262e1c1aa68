"""Results by cell: each is computed once, kept in a folder, and found there by the next run.

A cell is a name and what it depends on, {"draw": 0, "model": "kle(neighbours=13)"}, which is what its function is called with; its value is anything that JSON can hold, or an array, which is
kept as an NPY beside. A run that is stopped loses the cells it was at. Cells are not forgotten when the library changes: remove the folder
to compute them again.
"""
import collections
import hashlib
import json
import multiprocessing
import os
import pathlib
import sys
import time

import numpy as np


class Cells:
    def __init__(self, folder, seconds, processes=0, rank=lambda name, key: 0):
        """folder: where cells are kept; seconds: after which nothing more is computed. processes: 0 computes a cell when its value is asked
        for; others compute side by side in fill, those of low rank(name, key) first."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ends = time.monotonic() + seconds
        self.processes, self.rank = processes, rank
        self.wanted = {}  # cells that were asked for and are not there: path to (name, make, key)
        self.cpu = {}  # of those there: path to seconds

    def path(self, name, key):
        mark = hashlib.sha256(json.dumps([name, key], sort_keys=True).encode()).hexdigest()[:16]
        return self.folder / f"{name}-{mark}"

    def value(self, name, make, **key):
        """The cell's value, make(**key); None when it is not there (yet)."""
        path = self.path(name, key)
        kept = path.with_suffix(".json")
        if kept.exists():
            entry = json.loads(kept.read_text())
            self.cpu[path] = entry.get("cpu", 0)
            return np.load(path.with_suffix(".npy")) if entry["array"] else entry["value"]
        if not self.processes and time.monotonic() < self.ends:
            self.compute(path, name, make, key)
            return self.value(name, make, **key)
        self.wanted.setdefault(path, (name, make, key))
        return None

    def compute(self, path, name, make, key):
        cpu = time.process_time()
        value = make(**key)
        array = isinstance(value, np.ndarray)
        if array:
            np.save(path.with_suffix(".part.npy"), value)
            os.replace(path.with_suffix(".part.npy"), path.with_suffix(".npy"))
        cpu = time.process_time() - cpu
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"name": name, "key": key, "array": array, "value": None if array else value, "cpu": cpu}))
        os.replace(part, path.with_suffix(".json"))
        print(f"  {name} {' '.join(str(v) for v in key.values())}: {'array' if array else value} ({cpu:.1f} s)", file=sys.stderr, flush=True)

    def work(self, cells, next_one):
        """One process: takes cells until there are none, or time is up."""
        while time.monotonic() < self.ends:
            with next_one.get_lock():
                at = next_one.value
                next_one.value += 1
            if at >= len(cells):
                return
            path, (name, make, key) = cells[at]
            try:
                self.compute(path, name, make, key)
            except Exception as error:  # the others go on
                print(f"  {name} {key}: {error}", file=sys.stderr, flush=True)

    def fill(self, ask):
        """Computes the cells that ask() wants, rank by rank; asks again each time, for a cell may need others."""
        tried = set()
        while True:
            self.wanted = {}
            ask()
            ranks = {p: self.rank(name, key) for p, (name, _, key) in self.wanted.items() if p not in tried}
            if not ranks or time.monotonic() >= self.ends:
                return
            cells = [(p, self.wanted[p]) for p in ranks if ranks[p] == min(ranks.values())]
            tried |= {p for p, _ in cells}
            fork = multiprocessing.get_context("fork")
            next_one = fork.Value("q", 0)
            workers = [fork.Process(target=self.work, args=(cells, next_one)) for _ in range(self.processes)]
            for w in workers:
                w.start()
            for w in workers:
                w.join()

    def summary(self):
        """What was computed, and what was left out, in sentences; printed where cells are computed one by one."""
        lines = [f"{len(self.cpu)} cells, {sum(self.cpu.values()) / 60:.0f} minutes of one core in all."]
        missing = collections.Counter(name for name, _, _ in self.wanted.values())
        if missing:
            lines.append(f"Left out for lack of time: {len(self.wanted)} cells ({', '.join(f'{count} of {name}' for name, count in sorted(missing.items()))}); means are over what is there.")
        if not self.processes:
            print(*lines)
        return " ".join(lines)


def spread(values, digits=0):
    """'mean ± deviation' of what is there."""
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
