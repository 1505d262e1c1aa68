#!/usr/bin/python3
"""One measured job in Python, in a process of its own; bench.py calls it: peer.py '{"setup": ..., "warm": ..., "run": ...}'

As in timeit, the three are code: setup is run once, warm (an expression, on a few rows: it starts threads and loads what is
loaded late) once, and run (an expression) is timed: a short one more than once, as in bench_core, unless there is "once". With
"out" the value of run is saved there. Prints one JSON line, as bench_core does, or {"missing": MODULE} when an import fails.
"""
import ctypes
import json
import mmap
import os
import sys
import time


def memory(name):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(name + ":"))


def reset_peak():
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")


REST, SHORT, TIMES = 0.04, 0.05, 15  # as in bench_core.c, in seconds


def heat():
    """As heat() of bench_core.c."""
    size = int(os.environ.get("BENCH_HEAT", 0))
    if not size:
        return
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory_map:
        memory_map.madvise(mmap.MADV_HUGEPAGE)
        place = ctypes.c_char.from_buffer(memory_map)
        ctypes.memset(ctypes.addressof(place), 1, size)
        del place


def versions():
    """Of what was imported and says its own."""
    return {name: sys.modules[name].__version__ for name in ("numpy", "scipy", "sklearn", "pandas", "torch")
            if name in sys.modules}


def blas_core():
    """The kernels that OpenBLAS runs on in this process, or None."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "openblas" in line}
    for path in sorted(paths):
        name = getattr(ctypes.CDLL(path), "openblas_get_corename", None)
        if name:
            name.restype = ctypes.c_char_p
            return name().decode()
    return None


def main():
    job = json.loads(sys.argv[1])
    space = {"threads": job.get("threads")}
    try:
        exec(job["setup"], space)
    except ModuleNotFoundError as why:
        print(json.dumps({"missing": why.name}))
        return
    if job.get("warm"):
        eval(job["warm"], space)
    run = compile(job["run"], "run", "eval")
    heat()
    time.sleep(REST)
    reset_peak()
    held, took = memory("VmRSS"), []
    while not took or (took[-1][0] < SHORT and len(took) < TIMES and not job.get("once")):
        result = None
        start, cpu = time.perf_counter(), time.process_time()
        result = eval(run, space)
        took.append((time.perf_counter() - start, time.process_time() - cpu))
    seconds, worked = sorted(took)[len(took) // 2]
    peak = memory("VmHWM") - held
    print(json.dumps({"seconds": seconds, "cpu": worked, "peak": peak, "versions": versions(), "blas": blas_core()}))
    if job.get("out"):
        import numpy
        numpy.save(job["out"], numpy.asarray(result))


if __name__ == "__main__":
    main()
