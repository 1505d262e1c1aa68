"""What the programs of this folder share: their arguments, their page, and pictures of embeddings."""
import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # cells run side by side, each on one core

import argparse
import pathlib
import subprocess
import warnings

import numpy as np

from cells import Cells
from sets import Sets

warnings.simplefilter("ignore")
ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = ROOT / "build" / "rkhs"


class Run:
    """A reproduction that runs: its sets, its cells, where pictures go, and whether it is a quick one."""

    def __init__(self, sets, cells, out, quick):
        self.sets, self.cells, self.out, self.quick = sets, cells, out, quick
        self.drawing = False  # pictures come last


def reproduce(name, title, doc, rank, page):
    """Reads the arguments, computes the cells that the page wants, and writes doc/results/NAME.md. page(run) says in run.reduced what was
    reduced, and gives the functions of run that make the sections."""
    parse = argparse.ArgumentParser(description=doc.split("\n")[0])
    parse.add_argument("data", type=pathlib.Path)
    parse.add_argument("--cells", type=pathlib.Path, default=pathlib.Path(f"build/cells-{name}"), help="where results are kept")
    parse.add_argument("--out", type=pathlib.Path, default=ROOT / "doc" / "results")
    parse.add_argument("--quick", action="store_true", help="ends in ten minutes")
    parse.add_argument("--minutes", type=float, help="after which nothing more is computed; otherwise 110, or 8 with --quick")
    parse.add_argument("--processes", type=int, default=2)
    given = parse.parse_args()
    minutes = given.minutes if given.minutes is not None else 8 if given.quick else 110
    cells = Cells(given.cells, 60 * minutes, given.processes, rank)
    given.out.mkdir(parents=True, exist_ok=True)
    run = Run(Sets(given.data), cells, given.out, given.quick)
    sections = page(run)
    cells.fill(lambda: [section(run) for section in sections])
    run.drawing = True
    texts = [section(run) for section in sections]
    said = f"{run.reduced}. At most {minutes:g} minutes of {given.processes} processes: {cells.summary()}"
    target = given.out / (f"{name}-quick.md" if given.quick else f"{name}.md")
    target.write_text(f"# {title}\n\nPrinted by `make reproduce-{name} DATA=DIR`. {said}\n\n" + "\n".join(texts))
    print(said)
    print(target)


def picture(run, name, panels, titles, title, labels=None, target=None, by="colours", ending="svg"):
    """Embeddings side by side, coloured by classes or by numbers, which are called `by`; the name of the picture."""
    if not run.drawing:
        return f"{name}.{ending}"
    folder = run.cells.folder / "parts"
    folder.mkdir(exist_ok=True)
    files = []
    for q, Z in enumerate(panels):
        files.append(folder / f"{name}-{q}.npy")
        np.save(files[-1], Z)
    colours = folder / f"{by}.npy"
    np.save(colours, labels if target is None else target)
    subprocess.run([TOOL, "plot", *files, "--titles", ",".join(t.replace(", ", " with ") for t in titles), "--labels" if target is None else "--target",
                    colours, "--title", title, "-o", run.out / f"{name}.{ending}", "--quiet"], check=True)
    return f"{name}.{ending}"
