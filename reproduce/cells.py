"""Results by cell: each is computed once, kept in a folder, and found there by the next run.

A cell is a name and what it depends on, {"draw": 0, "model": "kle(k=13)"}, which is what its function is called with; its value is anything that JSON can hold, or an array, which is
kept as an NPY beside. A run that is stopped loses the cells it was at. Cells are not forgotten when the library changes: remove the folder
to compute them again.
"""
import base64
import collections
import hashlib
import json
import multiprocessing
import os
import pathlib
import struct
import sys
import time
import zlib

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


def curves(path, title, across, up, lines):
    """An SVG of lines with bars: lines is {name: [(x, mean, deviation), ...]}."""
    wide, high, left, low, top = 640, 400, 60, 50, 40
    xs = [x for line in lines.values() for x, _, _ in line]
    most = max(m + s for line in lines.values() for _, m, s in line)

    def place(x, y):
        return left + (x - min(xs)) / (max(xs) - min(xs) or 1) * (wide - left - 20), high - low - y / most * (high - low - top)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
             'font-family="sans-serif" font-size="12" fill="#333">', f'<rect width="{wide}" height="{high}" fill="#fff"/>',
             f'<text x="{wide / 2}" y="20" text-anchor="middle" font-size="14">{title}</text>',
             f'<text x="{wide / 2}" y="{high - 12}" text-anchor="middle">{across}</text>',
             f'<text transform="translate(16 {high / 2}) rotate(-90)" text-anchor="middle">{up}</text>']
    step = next((s for s in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5) if most / s <= 6), most / 5)
    for q in range(int(most / step) + 1):
        (x0, y), (x1, _) = place(min(xs), q * step), place(max(xs), 0)
        parts.append(f'<path d="M{x0:.1f} {y:.1f}H{x1:.1f}" stroke="#ddd"/><text x="{x0 - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{q * step:.2g}</text>')
    for x in sorted(set(xs)):
        if x == min(xs) or x % 5 == 0:
            parts.append(f'<text x="{place(x, 0)[0]:.1f}" y="{high - low + 16}" text-anchor="middle">{x}</text>')
    for q, (name, line) in enumerate(lines.items()):
        colour = ["#4477aa", "#cc6677", "#228833", "#aa3377"][q % 4]
        dots = [place(x, m) for x, m, _ in line]
        parts.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in dots)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, m, s in line:
            (a, b), (_, c) = place(x, m - s), place(x, m + s)
            parts.append(f'<path d="M{a:.1f} {b:.1f}V{c:.1f}" stroke="{colour}"/>')
        parts.append(f'<text x="{wide - 30}" y="{top + 10 + 16 * q}" text-anchor="end" fill="{colour}" font-weight="bold">{name}</text>')
    path.write_text("\n".join(parts) + "\n</svg>\n")


def bars(path, title, groups):
    """An SVG of bars with deviations: groups is {name: {bar: values}}; all groups have bars of the same names."""
    names = list(dict.fromkeys(bar for group in groups.values() for bar in group))
    step, gap, left, high, top = max(11, 90 // len(names)), 26, 60, 420, 40
    wide = left + sum(step * len(names) + gap for _ in groups) + 10
    columns = max(1, (wide - left) // (30 + 7 * max(map(len, names))))  # of the legend
    low = 84 + 14 * ((len(names) + columns - 1) // columns)
    at = {g: {b: [v for v in values if v is not None] for b, values in group.items()} for g, group in groups.items()}
    most = max([np.mean(v) + np.std(v) for group in at.values() for v in group.values() if v] or [1])
    # of two words the first has the hue and the second how light it is
    first, second = (list(dict.fromkeys(n.rsplit(" ", 1)[q] if " " in n else n for n in names)) for q in (0, -1))
    hues = ["#bbbbbb", "#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#004488"]

    def colour(name):
        if " " not in name or len(first) == len(names):
            return hues[first.index(name.rsplit(" ", 1)[0] if len(first) < len(names) else name) % len(hues)]
        words = name.rsplit(" ", 1)
        light = .65 * second.index(words[1]) / max(1, len(second) - 1)
        return "#" + "".join(f"{round(int(hues[first.index(words[0]) % len(hues)][q:q + 2], 16) * (1 - light) + 255 * light):02x}" for q in (1, 3, 5))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high + low - 70}" width="{wide}" height="{high + low - 70}" '
             'font-family="sans-serif" font-size="11" fill="#333">', f'<rect width="{wide}" height="{high + low - 70}" fill="#fff"/>',
             f'<text x="{wide / 2}" y="20" text-anchor="middle" font-size="14">{title}</text>']

    def y_of(v):
        return high - 70 - v / most * (high - 70 - top)
    tick = 10 ** np.floor(np.log10(most / 2))
    tick = next(tick * s for s in (.5, 1, 2, 5) if most / (tick * s) <= 6)
    for q in range(int(most / tick) + 1):
        v = q * tick
        parts.append(f'<path d="M{left} {y_of(v):.1f}H{wide - 10}" stroke="#ddd"/><text x="{left - 6}" y="{y_of(v) + 4:.1f}" text-anchor="end">{v:.3g}</text>')
    x = left + gap / 2
    for g, group in at.items():
        for line, word in enumerate(g.split(", ")):
            parts.append(f'<text x="{x + step * len(names) / 2:.1f}" y="{high - 55 + 13 * line}" text-anchor="middle">{word}</text>')
        for q, name in enumerate(names):
            v = group.get(name)
            if v:
                mean, dev = np.mean(v), np.std(v)
                parts.append(f'<rect x="{x + step * q:.1f}" y="{y_of(mean):.1f}" width="{step - 2}" height="{high - 70 - y_of(mean):.1f}" fill="{colour(name)}"/>'
                             f'<path d="M{x + step * q + step / 2 - 1:.1f} {y_of(mean - dev):.1f}V{y_of(mean + dev):.1f}" stroke="#333"/>')
        x += step * len(names) + gap
    for q, name in enumerate(names):
        u, v = left + (q % columns) * (wide - left) / columns, high - 20 + 14 * (q // columns)
        parts.append(f'<rect x="{u:.1f}" y="{v - 9:.1f}" width="10" height="10" fill="{colour(name)}"/><text x="{u + 14:.1f}" y="{v:.1f}">{name}</text>')
    path.write_text("\n".join(parts) + "\n</svg>\n")


def png(grey):
    """A picture of numbers from 0 (black) to 1, as the bytes of a PNG."""
    pixels = np.clip(np.rint(255 * grey), 0, 255).astype("u1")

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def tiles(path, title, rows):
    """An SVG of rows of small images: rows is {name: images, n x h x w}."""
    left, top, high, gap = 110, 40, 44, 6
    count, h, w = next(iter(rows.values())).shape
    wide, step = left + count * high * w // h + 10, high + gap
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {top + step * len(rows)}" width="{wide}" height="{top + step * len(rows)}" '
             'font-family="sans-serif" font-size="12" fill="#333">', f'<rect width="{wide}" height="{top + step * len(rows)}" fill="#fff"/>',
             f'<text x="{wide / 2}" y="22" text-anchor="middle" font-size="14">{title}</text>']
    for q, (name, images) in enumerate(rows.items()):
        strip = base64.b64encode(png(np.hstack(list(images)))).decode()
        parts.append(f'<text x="{left - 8}" y="{top + step * q + high / 2 + 4:.0f}" text-anchor="end">{name}</text>'
                     f'<image x="{left}" y="{top + step * q}" width="{count * high * w // h}" height="{high}" image-rendering="pixelated" '
                     f'href="data:image/png;base64,{strip}"/>')
    path.write_text("\n".join(parts) + "\n</svg>\n")
