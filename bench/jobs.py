"""What a row of the bench is made of: jobs (ours, a peer's) and limits, each a process of its own."""
import dataclasses
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
CORE = HERE.parent / "build" / "bench" / "bench_core"


@dataclasses.dataclass
class Job:
    """A command that prints one JSON line: seconds; cpu, those of all processors; peak, the bytes by which memory rose. Or missing."""
    who: str      # the name in the table
    package: str  # the Debian package that has it
    command: object  # (threads, out or None) -> the words of the command
    out: str = "npy"  # how it saves what it made


def core(job, **options):
    """A job of bench_core: core("gram", kernel="rbf(gamma=1)", x=file)."""
    words = [word for name, value in options.items() for word in ("--" + name, str(value))]
    return Job("rkhs", "", lambda threads, out: [CORE, job, *words, "--threads", threads, *(["--out", out] if out else [])])


def python(who, package, setup, run, warm=""):
    """Python code, as timeit takes it; see peer.py."""
    def command(threads, out):
        return [sys.executable, HERE / "peer.py", json.dumps({"setup": setup, "warm": warm, "run": run, "out": out})]
    return Job(who, package, command)


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


def fill(count, text="bytes: fill fresh memory"):
    """At the speed of writing so many bytes to memory that was not touched before."""
    return Limit(text, python("fill", "", "import numpy", f"numpy.empty({int(count)}, 'u1').fill(1)"), 1.0)


def read(path, text="bytes: read() of the file"):
    """At the speed of reading a file, from the page cache, into fresh memory."""
    setup = f"import numpy, os; size = os.path.getsize({path!r}); file = open({path!r}, 'rb', buffering=0)"
    return Limit(text, python("read", "", setup, "file.readinto(numpy.empty(size, 'u1')) == size or 1 / 0"), 1.0)


@dataclasses.dataclass
class Row:
    what: str
    size: str
    ours: Job
    peer: Job = None
    limit: Limit = None
    wanted: float = None   # the ratio that the project wants
    threads: int = None    # for both sides; as the bench is told to
    compare: str = None    # "values", or "signs": what both made must be alike, columns up to their sign
    repeats: int = None    # at most so many
    note: object = None    # (ours' file, the peer's file or None) -> a sentence
