"""Progress: a bar on terminals and in notebooks, one line a stage elsewhere, or the caller's own function."""
import contextlib
import numbers
import sys

import numpy as np


class Bar:
    WIDTH = 30

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.alive = "ipykernel" in sys.modules or getattr(self.stream, "isatty", lambda: False)()
        self.stage, self.drawn = None, False

    def __call__(self, stage, done, total):
        if not self.alive:
            if stage != self.stage:
                print(f"rkhs: {stage}", file=self.stream)
        else:
            share = done / total if total else 0
            filled = int(self.WIDTH * share)
            percent = f" {100 * share:3.0f}%" if total else ""
            self.stream.write(f"\r{stage:<14} [{'#' * filled}{'.' * (self.WIDTH - filled)}]{percent}")
            self.stream.flush()
            self.drawn = True
        self.stage = stage

    def close(self):
        if self.drawn:
            self.stream.write("\r" + " " * (self.WIDTH + 24) + "\r")
            self.stream.flush()


def progress_of(verbose):
    """What the library calls, for a with statement: None, the caller's function(stage, done, total), or a bar, which is
    gone at the end."""
    if callable(verbose):
        return contextlib.nullcontext(verbose)
    if not isinstance(verbose, (numbers.Real, np.bool_)):
        raise TypeError(f"verbose must be a number or a function(stage, done, total), not {verbose!r}")
    return contextlib.closing(Bar()) if verbose else NOTHING


NOTHING = contextlib.nullcontext()
