#!/usr/bin/python3
"""Speed and memory beside scikit-learn, on this machine, in one run: `make bench`.

Every measurement is a process of its own on the same data and the same number of threads; runs of ours and of the peer
alternate, and the table shows the median and the range. Read the ratios: seconds belong to the machine. Needs Debian's
python3-sklearn.
"""
import argparse
import filecmp
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import sklearn

HERE = pathlib.Path(__file__).resolve().parent
CORE = HERE.parent / "build" / "bench" / "bench_core"
COLUMNS = 50


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="for both sides (all cores)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of rows, for a quick look (1)")
    parser.add_argument("--large", action="store_true", help="also the memory of a fit on 20000 rows")
    parser.add_argument("--no-dense", action="store_true", help="leave out scikit-learn's dense solver, which is slow")
    parser.add_argument("--json", type=pathlib.Path, help="also write the numbers to this file")
    return parser.parse_args()


# ---- running ----------------------------------------------------------------------------------------------------------


class Bench:
    """Where the data is, how jobs are run, and the rows of the table so far."""

    def __init__(self, options, folder):
        self.options, self.folder, self.rows, self.notes, self.numbers = options, pathlib.Path(folder), [], [], {}
        self.gamma = None

    def size(self, rows):
        return max(20, int(rows * self.options.scale))

    def file(self, name):
        return str(self.folder / name)

    def run(self, command, threads=None):
        threads = str(threads or self.options.threads)
        environment = {**os.environ, **{name: threads for name in
                                        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS")}}
        result = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"bench: {' '.join(str(word) for word in command)}\n{result.stderr}")
        return json.loads(result.stdout.splitlines()[-1])

    def ours(self, job, *files, threads=None):
        return self.run([CORE, job, threads or self.options.threads, f"rbf(gamma={self.gamma!r})", *files], threads)

    def peer(self, job, *words):
        return self.run([sys.executable, HERE / "peer.py", job, *words])

    def alternate(self, jobs, repeats=None):
        """Runs the jobs in turn, again and again: {name: [result, ...]}."""
        results = {name: [] for name in jobs}
        for _ in range(repeats or self.options.repeats):
            for name, job in jobs.items():
                results[name].append(job())
        return results

    def add(self, what, size, ours, peer=None, limit=None, unit=None):
        """A row of the table: results of ours, of the peer, the seconds of the limit, and (bytes, name) to count memory in."""
        best = seconds(ours)
        self.rows.append([
            what, size, time_text(ours), time_text(peer) if peer else "-",
            f"{seconds(peer) / best:.2f}x" if peer else "-",
            f"{100 * limit / best:.0f}%" if limit else "-",
            memory_text(ours, unit), memory_text(peer, unit) if peer else "-"])
        self.numbers[what] = {"size": size, "ours": ours, "peer": peer, "limit": limit}
        print(f"  {what}: done", file=sys.stderr)


def seconds(results):
    return statistics.median(result["seconds"] for result in results)


def time_text(results):
    times = [result["seconds"] for result in results]
    return f"{seconds(results):.3f} s ({min(times):.3f}-{max(times):.3f})"


def memory_text(results, unit):
    peak = statistics.median(result["peak"] for result in results)
    return f"{peak / unit[0]:.2f} {unit[1]}" if unit else f"{peak / 2**20:.0f} MB"


# ---- data -------------------------------------------------------------------------------------------------------------


def make_data(bench):
    """Normal columns whose widths fall by a tenth each: the spectrum of the Gram decays, as that of real data does."""
    generator = numpy.random.default_rng(0)
    widths = 0.9 ** numpy.arange(COLUMNS)
    sizes = {"x": 5000, "kept": 2000, "new": 100000, "bits": 1500}
    if bench.options.large:
        sizes["large"] = 20000
    for name, rows in sizes.items():
        numpy.save(bench.file(name + ".npy"), generator.standard_normal((bench.size(rows), COLUMNS)) * widths)
    some = numpy.load(bench.file("x.npy"))[:500]
    distances = numpy.sqrt(((some[:, None] - some[None]) ** 2).sum(2))
    sigma = numpy.median(distances[numpy.triu_indices(len(some), 1)])
    bench.gamma = float(1 / (2 * sigma ** 2))


# ---- what is measured -------------------------------------------------------------------------------------------------


def bench_gram(bench):
    x, n = bench.file("x.npy"), bench.size(5000)
    results = bench.alternate({"ours": lambda: bench.ours("gram", x), "peer": lambda: bench.peer("gram", bench.gamma, x),
                               "gemm": lambda: bench.peer("gemm", x, x)})
    # Half the product is enough, as a Gram is symmetric.
    limit = seconds(results["gemm"]) / 2
    bench.add("rbf Gram", f"{n}x{COLUMNS}", results["ours"], results["peer"], limit, (8 * n * n, "Grams"))


def bench_fit(bench):
    x, n, z = bench.file("x.npy"), bench.size(5000), bench.file
    bench.ours("fit", x, "-z", z("z_ours.npy"))
    ours_residual = bench.peer("residual", bench.gamma, x, z("z_ours.npy"))["residuals"][0]
    # ARPACK twice: as it comes (to the last bit), and stopped where ours is.
    solvers = {"arpack": ("arpack", 0.0), "arpack, our residual": ("arpack", ours_residual), "randomized": ("randomized", 0.0)}

    def fit_peer(name):
        solver, tol = solvers[name]
        return bench.peer("fit", bench.gamma, x, solver, tol, z(f"z_{name}.npy"))
    jobs = {"ours": lambda: bench.ours("fit", x, "-z", z("z_ours.npy"))}
    jobs.update({name: (lambda name=name: fit_peer(name)) for name in solvers})
    results = bench.alternate(jobs)
    if not bench.options.no_dense:
        solvers["dense"] = ("dense", 0.0)
        results["dense"] = [fit_peer("dense")]
    names = list(solvers)
    residuals = bench.peer("residual", bench.gamma, x, z("z_ours.npy"), *(z(f"z_{name}.npy") for name in names))["residuals"]
    for name in names:
        bench.add(f"KPCA fit, 2 components; {name}", f"{n}x{COLUMNS}", results["ours"], results[name],
                  unit=(8 * n * n, "Grams"))
    everyone = ["ours"] + names
    note_residuals(bench, dict(zip(everyone, residuals)), {name: seconds(results[name]) for name in everyone})


def note_residuals(bench, residuals, times):
    """Which peer is the one to compare with: the fastest whose scores are as exact as ours."""
    values = ", ".join(f"{name} {value:.1e}" for name, value in residuals.items())
    bench.notes.append("KPCA residuals |Kc u - l u| / l: " + values)
    equal = [name for name in residuals if name != "ours" and residuals[name] <= 10 * max(residuals["ours"], 1e-14)]
    if equal:
        fastest = min(equal, key=times.get)
        bench.notes.append(f"KPCA: the fastest peer as exact as ours (within a factor 10) is {fastest}: "
                           f"{times[fastest] / times['ours']:.2f}x our time")
    else:
        bench.notes.append("KPCA: no peer was as exact as ours")
    bench.numbers["residuals"] = residuals


def bench_large(bench):
    n = bench.size(20000)
    bench.add("KPCA fit, memory", f"{n}x{COLUMNS}", [bench.ours("fit", bench.file("large.npy"))], unit=(8 * n * n, "Grams"))
    peak = bench.numbers["KPCA fit, memory"]["ours"][0]["peak"]
    bench.notes.append(f"KPCA fit of {n} rows: peak {peak / 1e9:.2f} GB above the data; "
                       f"the Gram itself is {8 * n * n / 1e9:.2f} GB")


def bench_transform(bench):
    kept, new = bench.file("kept.npy"), bench.file("new.npy")
    results = bench.alternate({
        "ours": lambda: bench.ours("transform", kept, new, "-z", bench.file("t_ours.npy")),
        "peer": lambda: bench.peer("transform", bench.gamma, kept, new, bench.file("t_peer.npy")),
        "gemm": lambda: bench.peer("gemm", kept, new)})
    size = f"{bench.size(100000)} on {bench.size(2000)}x{COLUMNS}"
    bench.add("KPCA transform", size, results["ours"], results["peer"], seconds(results["gemm"]))
    ours, peer = numpy.load(bench.file("t_ours.npy")), numpy.load(bench.file("t_peer.npy"))
    signs = numpy.sign((ours * peer).sum(0))
    bench.notes.append(f"transform: largest difference from scikit-learn, signs aside: {abs(ours - peer * signs).max():.1e}")
    bench.notes.append("share of the limit: the time of the plain dgemm alone over our time, which also takes the exponentials")


def bench_bits(bench):
    """Are Gram, embedding, model file and transform the same, byte by byte, on 1, 2 and 4 threads?"""
    def outputs(threads):
        name = lambda what: bench.file(f"bits_{threads}_{what}")
        bench.ours("gram", bench.file("bits.npy"), "-k", name("K.npy"), threads=threads)
        bench.ours("fit", bench.file("bits.npy"), "-z", name("Z.npy"), "-m", name("m.rkhs"), threads=threads)
        bench.ours("transform", bench.file("bits.npy"), bench.file("kept.npy"), "-z", name("T.npy"), threads=threads)
        return [name(what) for what in ("K.npy", "Z.npy", "m.rkhs", "T.npy")]
    made = [outputs(threads) for threads in (1, 2, 4)]
    for i, what in enumerate(("Gram", "embedding", "model file", "transform")):
        same = all(filecmp.cmp(made[0][i], other[i], shallow=False) for other in made[1:])
        bench.notes.append(f"same bits on 1, 2 and 4 threads, {what}: {'yes' if same else 'NO'}")
        bench.numbers[f"bits, {what}"] = same


# ---- printing ---------------------------------------------------------------------------------------------------------


def print_table(rows):
    head = ["what", "size", "ours", "peer", "ratio", "of limit", "peak, ours", "peak, peer"]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head, ["-" * width for width in widths]] + rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    options = arguments()
    if not CORE.exists():
        sys.exit(f"bench: {CORE} is not there: run `make bench`")
    with tempfile.TemporaryDirectory(prefix="rkhs-bench-") as folder:
        bench = Bench(options, folder)
        make_data(bench)
        bench_gram(bench)
        bench_fit(bench)
        bench_transform(bench)
        if options.large:
            bench_large(bench)
        bench_bits(bench)
    print(f"\nscikit-learn {sklearn.__version__}, NumPy {numpy.__version__}; {options.threads} threads each; median of "
          f"{options.repeats} runs (range); ratio above 1: ours is faster\n")
    print_table(bench.rows)
    print("\n" + "\n".join(bench.notes))
    if options.json:
        options.json.write_text(json.dumps(bench.numbers, indent=1) + "\n")


if __name__ == "__main__":
    main()
