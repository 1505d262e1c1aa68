#!/usr/bin/python3
"""Speed and memory beside other programs, on this machine, in one run: `make bench`, `make bench ROWS=gram,krr`.

Every measurement is a process of its own, on the same data and the same number of threads. The runs of ours, of the peer and
of the limit alternate, and ratios are taken within a round, so that what else the machine does falls on all alike; the table
shows medians and [least..most]. Read the ratios: seconds belong to the machine. When others use it too, the seconds of the
processors, in the TSV, are steadier. The rows stand in rows.py.
"""
import argparse
import json
import math
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
import table

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS")
HEAT = 1 << 29  # bytes of memory that a job touches before it begins
UNSET, CORES = "unset", "unset,Haswell,SkylakeX"
# What the processor must have to run OpenBLAS's kernels of a core type.
NEEDED = {UNSET: "", "Prescott": "ssse3", "Nehalem": "sse4_2", "Sandybridge": "avx", "Haswell": "avx2 fma", "Zen": "avx2 fma",
          "SkylakeX": "avx512f avx512bw avx512dq avx512vl", "Cooperlake": "avx512f avx512bw avx512dq avx512vl avx512_bf16"}
BLAS_WANTED, BEFORE_WANTED = 1.15, 1.05  # the most of the slowest core type over the fastest, and of ours over ours before


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="only these, with commas: " + ", ".join(rows.ROWS))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="for both sides (all cores)")
    parser.add_argument("--repeats", type=int, default=9, help="runs of each side (9)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of rows, for a quick look (1)")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("DATA") or None,
                        help="a folder of real sets, for rows that use one: mnist/train-images-idx3-ubyte.gz ($DATA)")
    parser.add_argument("--to", type=pathlib.Path, default=jobs.BUILD / "bench", help="the folder for table.tsv and table.svg")
    parser.add_argument("--blas", nargs="?", const=CORES, metavar="CORES",
                        help=f"ours on several core types of OpenBLAS, which must not matter ({CORES}; known: {', '.join(NEEDED)})")
    parser.add_argument("--before", type=pathlib.Path, metavar="DIR", help="ours as well from this build folder of another commit")
    options = parser.parse_args()
    names = [name for name in options.rows.replace(",", " ").split() if name]
    for name in names:
        if name not in rows.ROWS:
            parser.error(f"there is no row '{name}': there are {', '.join(rows.ROWS)}")
    options.cores = core_types(parser, options.blas) if options.blas else [None]
    if options.before and not (options.before / "bench" / jobs.CORE).exists():
        parser.error(f"{options.before / 'bench' / jobs.CORE} is not there: ninja -C {options.before} bench/{jobs.CORE}")
    options.names = names or [name for name, function in rows.ROWS.items() if not function.ask]
    return options


def core_types(parser, text):
    """Those of a list with commas that this processor can run."""
    path, found = pathlib.Path("/proc/cpuinfo"), []
    flags = set(path.read_text().split()) if path.exists() else set()
    for core in text.split(","):
        if core not in NEEDED:
            parser.error(f"there is no core type '{core}': there are {', '.join(NEEDED)}")
        if set(NEEDED[core].split()) <= flags:
            found.append(core)
        else:
            print(f"  {core} is left out: this processor cannot run it", file=sys.stderr)
    return found or [UNSET]


# ---- running ------------------------------------------------------------------------------------------------------------


def environment(job, threads, scale, core):
    """Of a job. core: of BLAS, or "unset"; None leaves what is set."""
    words = {**os.environ, **{name: str(threads) for name in THREADS}, "BENCH_HEAT": str(int(HEAT * min(scale, 1)))}
    words.update(job.environment)
    if core:
        words["OPENBLAS_CORETYPE"] = core
    if core == UNSET:
        del words["OPENBLAS_CORETYPE"]
    return words


def run(command, job, words, timeout=None):
    """What a job prints, or {"missing": ...}, or {"failed": ...}, also after so many seconds."""
    command = [str(word) for word in command]
    try:
        result = subprocess.run(command, env=words, capture_output=True, text=True, timeout=timeout)
    except FileNotFoundError:
        return {"missing": command[0]}
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {timeout:g} s"}
    if result.returncode != 0:
        return {"failed": f"{' '.join(command)}\n{result.stderr}"}
    found = json.loads(result.stdout.splitlines()[-1])
    return {name: value / job.calls if name in ("seconds", "cpu") else value for name, value in found.items()}


class Measured:
    """The runs of one row: of ours, the peer, the limit, and ours as it was before, each on one core type of BLAS or more."""

    def __init__(self, name, row, options, folder):
        self.name, self.row, self.options = name, row, options
        self.threads = min(row.threads or options.threads, options.threads)
        self.runs = {}  # by side and core type
        self.left_out = {}  # sides that cannot be run, and why
        self.difference, self.note, self.versions, self.blas = None, None, {}, {}
        self.best = options.cores[-1]
        keep = row.compare or row.note
        self.jobs = {"ours": row.ours, "before": row.ours, "peer": row.peer, "limit": row.limit and row.limit.job}
        files = {side: self.jobs[side] and str(folder / f"made_{side}.{self.jobs[side].out}") for side in ("ours", "peer")}
        parts = self.parts()
        for turn in range(min(options.repeats, row.repeats or options.repeats)):
            for side, core in parts if turn % 2 == 0 else reversed(parts):  # who comes first may find things cold
                if side != "peer" or turn < (row.peer_repeats or options.repeats):
                    self.run_one(side, core, files.get(side) if keep and turn == 0 and core == self.best else None)
        if row.compare and self.of("peer"):
            self.difference = difference(*files.values(), row.compare, row.times != 1)
        if row.note:
            self.note = row.note(files["ours"], files["peer"] if self.of("peer") else None)
        for file in files.values():
            if file:
                pathlib.Path(file).unlink(missing_ok=True)

    def parts(self):
        """What is run in a round, in order: (side, core type). The peer runs on the best core type, and as it is by itself."""
        cores, row = self.options.cores, self.row
        parts = [(side, core) for core in cores for side in (["ours", "before"] if self.has_before() else ["ours"])]
        if row.peer:
            parts += [("peer", core) for core in cores if core in (self.best, UNSET)]
        return parts + ([("limit", self.best)] if row.limit else [])

    def has_before(self):
        folder, program = self.options.before, self.row.ours.program
        return bool(folder and program and (folder / "bench" / program).exists())

    def run_one(self, side, core, out=None):
        """A job that fails ends the bench, as its numbers would be wrong. But the row may be newer than what was before."""
        if side in self.left_out:
            return
        job = self.jobs[side]
        build = self.options.before if side == "before" else jobs.BUILD
        result = run(job.command(self.threads, out, build), job, environment(job, self.threads, self.options.scale, core))
        if "missing" in result and side == "peer":
            self.left_out[side] = f"{job.who}: not installed ({job.package})"
        elif "missing" in result:
            sys.exit(f"bench: {result['missing']} is missing: scripts/install-deps bench")
        elif "failed" in result and side == "before":
            self.left_out[side] = "could not be run before: " + result["failed"].splitlines()[-1]
        elif "failed" in result:
            sys.exit(f"bench: {result['failed']}")
        else:
            self.runs.setdefault((side, core), []).append(result)
            self.versions.update(result.get("versions", {}))
            if result.get("blas"):
                self.blas.setdefault(core, set()).add(result["blas"])

    def of(self, side, core=None):
        """The runs of a side, on the best core type unless another is named; none if it was left out."""
        return [] if side in self.left_out else self.runs.get((side, core or self.best), [])

    def pairs(self, above, below):
        """The runs of two sides, each (side, core type), round by round; a side that was run less often goes on with its last."""
        above, below = self.of(*above), self.of(*below)
        rounds = range(max(len(above), len(below))) if above and below else []
        return [(above[min(i, len(above) - 1)], below[min(i, len(below) - 1)]) for i in rounds]

    def ratio(self, above, below):
        """The median of the ratios of seconds, or None."""
        found = [a["seconds"] / b["seconds"] for a, b in self.pairs(above, below)]
        return statistics.median(found) if found else None

    def cells(self):
        """One line of the TSV: {column: value}, None where there is nothing to say."""
        row, cells = self.row, dict.fromkeys(table.columns(self.options))
        cells.update(row=self.name, what=row.what, size=row.size, threads=self.threads, wanted=row.wanted, share_wanted=row.share,
                     memory_wanted=row.memory, memory_mb_wanted=row.memory_mb, beyond_wanted_s=row.beyond,
                     slope_wanted=row.slope)
        cells["peer"] = self.left_out.get("peer") or (row.peer.who if row.peer else None)
        cells["difference"] = self.difference
        for side in ("ours", "peer"):
            if self.of(side):
                spread(cells, side, "_s", [result["seconds"] for result in self.of(side)])
                cells[side + "_cpu_s"] = statistics.median(result["cpu"] for result in self.of(side))
                cells[side + "_peak_mb"] = statistics.median(result["peak"] for result in self.of(side)) / 1e6
        pairs = self.pairs(("peer", self.best), ("ours", self.best))
        if pairs:
            spread(cells, "ratio", "", [row.times * p["seconds"] / o["seconds"] for p, o in pairs])
            if cells["peer_peak_mb"]:
                cells["memory"] = cells["ours_peak_mb"] / cells["peer_peak_mb"]
        if row.beyond and (pairs or not row.peer):
            cells["beyond_s"] = statistics.median([o["seconds"] - p["seconds"] for p, o in pairs] or [cells["ours_s"]])
        if row.limit:
            cells.update(share=row.limit.factor * self.ratio(("limit", self.best), ("ours", self.best)), limit=row.limit.text)
        self.compare_cores(cells)
        return cells

    def compare_cores(self, cells):
        """What --blas and --before ask for."""
        cores = self.options.cores
        before = {core: self.ratio(("ours", core), ("before", core)) for core in cores}
        if before[self.best] is not None:
            cells.update(before_s=statistics.median(r["seconds"] for r in self.of("before")), before_ratio=max(before.values()),
                         before_wanted=BEFORE_WANTED)
        if not self.options.blas:
            return
        cells.update(blas_ratio=max(self.ratio(("ours", a), ("ours", b)) for a in cores for b in cores), blas_wanted=BLAS_WANTED)
        unset = self.ratio(("peer", UNSET), ("ours", UNSET))
        cells["ratio_unset"] = None if unset is None else self.row.times * unset
        for core in cores:
            cells[f"ours_{core}_s"] = statistics.median(result["seconds"] for result in self.of("ours", core))
            cells[f"before_{core}"] = before[core]


def slope(row, cells, row_before, cells_before):
    """The power of the number of objects that the seconds of ours grow with."""
    return math.log(cells["ours_s"] / cells_before["ours_s"]) / math.log(row.count / row_before.count)


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


def line_of_names(versions, blas):
    """Which versions were measured, and on which kernels BLAS ran, by core type."""
    words = [f"{name} {version}" for name, version in sorted(versions.items())]
    kernels = [(f"{core}: " if core else "") + " and ".join(sorted(names)) for core, names in blas.items()]
    return ", ".join(words + (["OpenBLAS on the kernels of " + ", ".join(kernels)] if kernels else []))


def measure_rows(options):
    """(lines of the table, notes, versions, kernels of BLAS by core type)"""
    lines, notes, versions, blas = [], [], {}, {}
    with tempfile.TemporaryDirectory(prefix="rkhs-bench-") as folder:
        data = sets.Sets(folder, options.scale, options.data)
        for name in options.names:
            before = None  # the row before, and its cells
            for row in rows.ROWS[name](data):
                if (row.threads or 1) > options.threads:
                    print(f"  {name}: {row.what}, {row.size}: left out, it needs {row.threads} threads", file=sys.stderr)
                    continue
                measured = Measured(name, row, options, pathlib.Path(folder))
                lines.append(measured.cells())
                if row.slope:
                    lines[-1]["slope"] = slope(row, lines[-1], *before)
                    notes.append(f"{row.what} {row.size}: seconds grow as n^{lines[-1]['slope']:.2f}")
                before = row, lines[-1]
                versions.update(measured.versions)
                for core, names in measured.blas.items():
                    blas.setdefault(core, set()).update(names)
                if measured.note:
                    notes.append(f"{row.what} {row.size}: {measured.note}")
                if "before" in measured.left_out:
                    notes.append(f"{row.what} {row.size}: {measured.left_out['before']}")
                print(f"  {name}: {row.what}, {row.size}: {table.short(lines[-1])}", file=sys.stderr)
    return lines, notes, versions, {core: blas[core] for core in options.cores if core in blas}


def main():
    options = arguments()
    for program in jobs.PROGRAMS:
        if not (jobs.BUILD / "bench" / program).exists():
            sys.exit(f"bench: {jobs.BUILD / 'bench' / program} is not there: run `make bench`")
    options.to.mkdir(parents=True, exist_ok=True)
    lines, notes, versions, blas = measure_rows(options)
    table.write_tsv(lines, options.to / "table.tsv", table.columns(options))
    picture.draw(lines, options.to / "table.svg")
    print(f"\nmedian [least..most] of {options.repeats} rounds; ratio: the peer's time over ours, above 1 ours is faster; share: the "
          f"time of the limit over ours;\nwanted: the least ratio; share: the least share; MB x: the most memory, over the peer's; "
          f"MB: the most memory;\n+ s: the most seconds beyond the peer's; n^: the most growth from the row before, as "
          f"a power of the number of objects;\nMB: by how much memory rose; differs: the largest difference over the "
          f"largest number. {line_of_names(versions, blas)}\n")
    table.print_main(lines, options.before)
    if options.blas:
        print(f"\nSeconds of ours by core type of OpenBLAS, and the largest ratio between two, wanted: at most {BLAS_WANTED}; the "
              f"table above is of {options.cores[-1]}, on both sides.\n")
        table.print_cores(lines, options.cores, options.before)
    print("".join(f"\n{note}" for note in notes))
    print(f"\n{options.to / 'table.tsv'}  {options.to / 'table.svg'}")


if __name__ == "__main__":
    main()
