#!/usr/bin/python3
"""Speed and memory beside other programs, on this machine, in one run: `make bench`, `make bench ROWS=gram,krr`.

Every measurement is a process of its own, on the same data and the same number of threads. The runs of ours, of the peer and
of the limit alternate, and ratios are taken within a round, so that what else the machine does falls on all alike; the table
shows medians and [least..most]. Read the ratios: seconds belong to the machine. When others use it too, the seconds of the
processors, in the TSV, are steadier. The rows stand in rows.py.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import jobs
import numpy
import picture
import rows
import sets

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS")
HEAT = 1 << 29  # bytes of memory that a job touches before it begins
COLUMNS = ("row", "what", "size", "threads", "ours_s", "ours_min_s", "ours_max_s", "peer", "peer_s", "peer_min_s", "peer_max_s",
           "ratio", "ratio_min", "ratio_max", "wanted", "share", "limit", "ours_peak_mb", "peer_peak_mb",
           "ours_cpu_s", "peer_cpu_s", "difference", "memory", "memory_wanted", "beyond_s", "beyond_wanted_s")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="only these, with commas: " + ", ".join(rows.ROWS))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="for both sides (all cores)")
    parser.add_argument("--repeats", type=int, default=9, help="runs of each side (9)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of rows, for a quick look (1)")
    parser.add_argument("--to", type=pathlib.Path, default=jobs.CORE.parent, help="the folder for table.tsv and table.svg")
    options = parser.parse_args()
    names = [name for name in options.rows.replace(",", " ").split() if name]
    for name in names:
        if name not in rows.ROWS:
            parser.error(f"there is no row '{name}': there are {', '.join(rows.ROWS)}")
    options.names = names or [name for name, function in rows.ROWS.items() if not function.ask]
    return options


# ---- running ------------------------------------------------------------------------------------------------------------


def run(job, threads, scale, out=None):
    """What a job prints, or {"missing": ...}. A job that fails otherwise ends the bench: its numbers would be wrong."""
    command = [str(word) for word in job.command(threads, out)]
    environment = {**os.environ, **{name: str(threads) for name in THREADS}, "BENCH_HEAT": str(int(HEAT * min(scale, 1)))}
    try:
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        return {"missing": command[0]}
    if result.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}\n{result.stderr}")
    found = json.loads(result.stdout.splitlines()[-1])
    return {name: value / job.calls if name in ("seconds", "cpu") else value for name, value in found.items()}


class Measured:
    """The runs of one row."""

    def __init__(self, name, row, options, folder):
        self.name, self.row, self.ours, self.peer, self.limit = name, row, [], [], []
        self.scale = options.scale
        self.threads = min(row.threads or options.threads, options.threads)
        self.missing, self.difference, self.note, self.versions = None, None, None, {}
        keep = row.compare or row.note
        files = [str(folder / f"made_ours.{row.ours.out}"), str(folder / f"made_peer.{row.peer.out}") if row.peer else None]
        for turn in range(min(options.repeats, row.repeats or options.repeats)):
            parts = [(self.ours, row.ours, files[0]), (self.peer, row.peer, files[1]),
                     (self.limit, row.limit and row.limit.job, None)]
            for results, job, out in parts if turn % 2 == 0 else reversed(parts):  # who comes first may find things cold
                if job and not (job is row.peer and (self.missing or turn >= (row.peer_repeats or options.repeats))):
                    results.append(self.run_one(job, out if keep and turn == 0 else None))
        if self.missing:
            self.peer = []
        if row.compare and self.peer:
            self.difference = difference(*files, row.compare, row.times != 1)
        if row.note:
            self.note = row.note(files[0], files[1] if self.peer else None)
        for file in files:
            if file:
                pathlib.Path(file).unlink(missing_ok=True)

    def run_one(self, job, out=None):
        result = run(job, self.threads, self.scale, out)
        if "missing" in result and job is self.row.peer:
            self.missing = f"{job.who}: not installed ({job.package})"
        elif "missing" in result:
            sys.exit(f"bench: {result['missing']} is missing: scripts/install-deps bench")
        self.versions.update(result.get("versions", {}))
        return result

    def cells(self):
        """One line of the TSV: {column: value}, None where there is nothing to say."""
        row, cells = self.row, dict.fromkeys(COLUMNS)
        cells.update(row=self.name, what=row.what, size=row.size, threads=self.threads, wanted=row.wanted,
                     memory_wanted=row.memory, beyond_wanted_s=row.beyond)
        cells["peer"] = self.missing or (row.peer.who if row.peer else None)
        cells["difference"] = self.difference
        for side, results in (("ours", self.ours), ("peer", self.peer)):
            if results:
                spread(cells, side, "_s", [result["seconds"] for result in results])
                cells[side + "_cpu_s"] = statistics.median(result["cpu"] for result in results)
                cells[side + "_peak_mb"] = statistics.median(result["peak"] for result in results) / 1e6
        pairs = [(o, self.peer[min(i, len(self.peer) - 1)]) for i, o in enumerate(self.ours)] if self.peer else []
        if pairs:
            spread(cells, "ratio", "", [row.times * p["seconds"] / o["seconds"] for o, p in pairs])
            if cells["peer_peak_mb"]:
                cells["memory"] = cells["ours_peak_mb"] / cells["peer_peak_mb"]
        if row.beyond and (pairs or not row.peer):
            cells["beyond_s"] = statistics.median([o["seconds"] - p["seconds"] for o, p in pairs] or [cells["ours_s"]])
        if self.limit:
            shares = [row.limit.factor * l["seconds"] / o["seconds"] for o, l in zip(self.ours, self.limit)]
            cells.update(share=statistics.median(shares), limit=row.limit.text)
        return cells


def spread(cells, name, unit, values):
    cells[name + unit], cells[name + "_min" + unit], cells[name + "_max" + unit] = (
        statistics.median(values), min(values), max(values))


def difference(ours, peer, compare, part):
    """The largest difference between what both made, over the largest number. part: the peer made the first corner only."""
    load = lambda path: numpy.loadtxt(path, delimiter=",", ndmin=2) if path.endswith(".csv") else numpy.load(path)
    a, b = load(ours), load(peer)
    if part:
        a = a[:b.shape[0], :b.shape[1]]
    if a.shape != b.shape:
        sys.exit(f"bench: ours made {a.shape}, the peer {b.shape}: they did not do the same")
    if compare == "signs":
        b = b * numpy.sign((a * b).sum(0))
    return float(abs(a - b).max() / abs(b).max())


# ---- printing -----------------------------------------------------------------------------------------------------------


def show(value, form):
    return "-" if value is None else format(value, form)


def ranged(cells, name, unit, form):
    if cells[name + unit] is None:
        return "-"
    return "{} [{}..{}]".format(*(format(cells[name + part + unit], form) for part in ("", "_min", "_max")))


def wanted(c):
    """What the project wants of a row, and whether it missed it."""
    words = []
    if c["wanted"] is not None:
        words.append(f"{c['wanted']:.2f}" + (" MISSED" if c["ratio"] is not None and c["ratio"] < c["wanted"] else ""))
    for name, bound, text in (("memory", "memory_wanted", "MB x{:.2g}"), ("beyond_s", "beyond_wanted_s", "+{:.2g} s")):
        if c[bound] is not None:
            missed = f" MISSED: {c[name]:.2g}" if c[name] is not None and c[name] > c[bound] else ""
            words.append(text.format(c[bound]) + missed)
    return ", ".join(words) or "-"


def table_line(c):
    return [c["what"], c["size"], str(c["threads"]), ranged(c, "ours", "_s", ".3g"), ranged(c, "peer", "_s", ".3g"),
            ranged(c, "ratio", "", ".2f"), wanted(c), show(c["share"], ".0%"), c["limit"] or "-",
            show(c["ours_peak_mb"], ".0f"), show(c["peer_peak_mb"], ".0f"), show(c["difference"], ".0e"), c["peer"] or "-"]


def print_table(lines):
    head = ["what", "size", "thr", "ours, s", "peer, s", "ratio", "wanted", "share", "of the limit", "MB", "peer's MB", "differs",
            "peer"]
    body = [table_line(c) for c in lines]
    widths = [max(len(line[i]) for line in [head] + body) for i in range(len(head))]
    for line in [head, ["-" * width for width in widths]] + body:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def write_tsv(lines, path):
    def text(value):
        return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    path.write_text("".join("\t".join(cells) + "\n" for cells in [COLUMNS] + [[text(c[k]) for k in COLUMNS] for c in lines]))


def main():
    options = arguments()
    if not jobs.CORE.exists():
        sys.exit(f"bench: {jobs.CORE} is not there: run `make bench`")
    options.to.mkdir(parents=True, exist_ok=True)
    lines, notes, versions = [], [], {}
    with tempfile.TemporaryDirectory(prefix="rkhs-bench-") as folder:
        data = sets.Sets(folder, options.scale)
        for name in options.names:
            for row in rows.ROWS[name](data):
                measured = Measured(name, row, options, pathlib.Path(folder))
                lines.append(measured.cells())
                versions.update(measured.versions)
                if measured.note:
                    notes.append(f"{row.what} {row.size}: {measured.note}")
                print(f"  {name}: {row.what}, {row.size}: {show(lines[-1]['ratio'], '.2f')}", file=sys.stderr)
    write_tsv(lines, options.to / "table.tsv")
    picture.draw(lines, options.to / "table.svg")
    names = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    print(f"\nmedian [least..most] of {options.repeats} rounds; ratio: the peer's time over ours, above 1 ours is faster; share: the "
          f"time of the limit over ours;\nwanted: the least ratio; MB x: the most memory, over the peer's; + s: the most seconds "
          f"beyond the peer's;\nMB: by how much memory rose; differs: the largest difference over the largest number. "
          f"{names}\n")
    print_table(lines)
    print("".join(f"\n{note}" for note in notes))
    print(f"\n{options.to / 'table.tsv'}  {options.to / 'table.svg'}")


if __name__ == "__main__":
    main()
