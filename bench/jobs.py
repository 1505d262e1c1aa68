"""What a row of the bench is made of: jobs (ours, a peer's) and limits, each a process of its own."""
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
CORE = "bench_core"  # a user's program
LA = "bench_la"      # calls src/la itself
GRAM = "bench_gram"  # calls src/gram itself
PROGRAMS = CORE, LA, GRAM


@dataclasses.dataclass
class Job:
    """A command that prints one JSON line: seconds; cpu, those of all processors; peak, the bytes by which memory rose; blas, the
    kernels of OpenBLAS. Or missing."""
    who: str      # the name in the table
    package: str  # the Debian package that has it
    words: object  # (threads, out or None) -> the words of the command
    out: str = "npy"  # how it saves what it made
    calls: int = 1    # it does the same so many times: seconds are of one
    program: str = None  # in the folder bench of a build, before the words
    environment: dict = dataclasses.field(default_factory=dict)

    def command(self, threads, out, build):
        return ([build / "bench" / self.program] if self.program else []) + self.words(threads, out)


def core(job, who="rkhs", **options):
    """A job of bench_core: core("gram", kernel="rbf(gamma=1)", x=file)."""
    words = [word for name, value in options.items() for word in ("--" + name, str(value))]
    def command(threads, out):
        return [job, *words, "--threads", threads, *(["--out", out] if out else [])]
    return Job(who, "", command, calls=options.get("calls", 1), program=CORE)


def of_gram(job, who="rkhs", **options):
    """A job of bench_gram: of_gram("product", gram="lazy", columns=4, kernel="rbf(gamma=1)", x=file)."""
    return dataclasses.replace(core(job, who, **options), program=GRAM)


def la(job, who="rkhs", threads=None, instructions=None, **options):
    """A job of bench_la: la("product", m=100, n=100, k=100, type="double"). instructions: the best of this processor."""
    words = [word for name, value in options.items() for word in ("--" + name, str(value))]
    environment = {"RKHS_INSTRUCTIONS": instructions} if instructions else {}
    return Job(who, "", lambda given, out: [job, *words, "--threads", threads or given], program=LA, environment=environment)


def instruction_sets():
    """The best of the library's instruction sets on this processor, and AVX2 where it is not that."""
    ask = [BUILD / "bench" / LA, "instructions"]
    found = [subprocess.run(ask, env={**os.environ, **more}, capture_output=True, text=True, check=True).stdout.strip()
             for more in ({"RKHS_INSTRUCTIONS": ""}, {"RKHS_INSTRUCTIONS": "avx2"})]
    return found if "avx2" in found[1:] and found[0] != "avx2" else found[:1]


def python(who, package, setup, run, warm="", calls=1, once=False):
    """Python code, as timeit takes it; see peer.py. It may use `threads`. once: done again, it would be another job."""
    def command(threads, out):
        code = {"setup": setup, "warm": warm, "run": run, "out": out, "threads": threads, "once": once}
        return [sys.executable, HERE / "peer.py", json.dumps(code)]
    return Job(who, package, command, calls=calls)


def python_is_built():
    if any((BUILD / "python" / "rkhs").glob("_rkhs*.so")):
        return True
    print("  the Python package is not built, its rows are left out: make python", file=sys.stderr)
    return False


def our_python(setup, run, warm="", **more):
    """Python code that may import rkhs, as it was built."""
    return python("rkhs in Python", "", f"import sys; sys.path.insert(0, {str(BUILD / 'python')!r})\n{setup}", run, warm, **more)


def r(who, package, setup, run, warm=""):
    """R code; see peer.R."""
    return Job(who, package, lambda threads, out: ["Rscript", HERE / "peer.R", setup, warm, run, *([out] if out else [])], "csv")


@dataclasses.dataclass
class Limit:
    """What no program can be faster than: some times the seconds of a job that does nothing else."""
    text: str
    job: Job
    factor: float


def flops(count, text="flops"):
    """At the speed of a large dgemm, measured beside the row."""
    n = 1024
    job = python("dgemm", "", f"import numpy; a = numpy.ones(({n}, {n}))", "[a @ a for _ in range(4)] and None", "a @ a")
    return Limit(text, job, count / (8 * n ** 3))


def products(count, text="flops, as a product"):
    """At the speed of our own product of large matrices."""
    n = 1000
    return Limit(text, la("product", m=n, n=n, k=n), count / (2 * n ** 3))


def peak(count, type="double", instructions=None, text="fused multiply-adds"):
    """At the speed of fused multiply-adds in registers, of one instruction set."""
    return Limit(text, la("peak", type=type, instructions=instructions), count / 1e9)


def fill(count, text="bytes: fill fresh memory"):
    """At the speed of writing so many bytes to memory that was not touched before."""
    return Limit(text, python("fill", "", "import numpy", f"numpy.empty({int(count)}, 'u1').fill(1)", once=True), 1.0)


def read(path, text="bytes: read() of the file"):
    """At the speed of reading a file, from the page cache, into fresh memory."""
    setup = f"import numpy, os; size = os.path.getsize({path!r}); file = open({path!r}, 'rb', buffering=0)"
    return Limit(text, python("read", "", setup, "file.readinto(numpy.empty(size, 'u1')) == size or 1 / 0", once=True), 1.0)


@dataclasses.dataclass
class Row:
    what: str
    size: str
    ours: Job
    peer: Job = None
    limit: Limit = None
    wanted: float = None   # the ratio that the project wants
    share: float = None    # and the share of the limit
    memory: float = None   # and the most memory, as a share of the peer's
    memory_mb: float = None  # and the most memory, in MB
    beyond: float = None   # and the most seconds beyond the peer's; without a peer: in all
    count: int = None      # how many objects
    slope: float = None    # and the most growth from the row before to this one, as a power of `count`
    times: float = 1       # so many times the peer's work is ours: the ratio is that of equal work
    threads: int = None    # for both sides; as the bench is told to
    compare: str = None    # "values", or "signs": what both made must be alike, columns up to their sign
    repeats: int = None    # at most so many
    peer_repeats: int = None  # the peer: at most so many; later rounds of ours are set beside its last
    note: object = None    # (ours' file, the peer's file or None) -> a sentence
