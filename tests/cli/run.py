#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tool from the shell, and compares what it prints with what is expected.

    tests/cli/run.py [TOOL] [--update] [--only TEXT]...

Each tests/cli/NAME.sh runs with bash in a fresh folder that is removed afterwards, with
    $RKHS  the tool (build/rkhs unless given)     $DATA  examples/data     $SRC  the source tree     $LIB  tests/cli/lib.bash
and is compared with
    NAME.sh.exit     the exit code; no file: 0
    NAME.sh.stdout   the bytes on stdout; no file: none
    NAME.sh.stderr   the same for stderr
    NAME.sh.stdout.match, NAME.sh.stderr.match   in place of the bytes: a regular expression for each line
A test that exits with 77 could not run here: it is counted as skipped, with its last line on stdout as the reason.
A test fails too when it leaves a temporary file (.*.rkhs-*) in its folder. --update writes what came as what is expected.

Sentences for people are not compared: `refuses` and `says` of lib.bash check the exit code, the file, the place, the value and the words
that matter, and name on stderr what is wrong. Only the tests screen_*.sh pin whole screens.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
TIMEOUT = 120  # seconds a test; all of them take a few
SKIPPED = 77


class Skipped(Exception):
    """A test that cannot run here, and why."""


def environment(tool, scratch):
    """The variables a test sees."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("RKHS")}
    env.update(RKHS=str(tool), SRC=str(SOURCE), DATA=str(SOURCE / "examples" / "data"), LIB=str(HERE / "lib.bash"),
               HOME=str(scratch), LC_ALL="C", TERM="dumb", PYTHON=sys.executable)
    return env


def run_script(script, tool, scratch):
    """(exit code, stdout, stderr) of one script; the exit code is None when it took too long."""
    process = subprocess.Popen(["bash", str(script)], cwd=scratch, env=environment(tool, scratch), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err


def beside(script, ending):
    """The file of expectations with that ending."""
    return script.with_name(script.name + ending)


def compare_lines(name, patterns, came):
    """What differs when each line of `came` must match a regular expression."""
    lines = came.decode("utf-8", "replace").splitlines()
    problems = []
    for i in range(max(len(lines), len(patterns))):
        if i >= len(lines):
            problems.append(f"{name}: line {i + 1} is missing: {patterns[i]}")
        elif i >= len(patterns):
            problems.append(f"{name}: line {i + 1} is one too many: {lines[i]}")
        elif not re.fullmatch(patterns[i], lines[i]):
            problems.append(f"{name}: line {i + 1} is {lines[i]!r}, which does not match {patterns[i]}")
    return problems


def compare(script, name, came):
    """What differs between a stream and its expectation, as lines."""
    match = beside(script, f".{name}.match")
    if match.exists():
        return compare_lines(name, match.read_text(encoding="utf-8").splitlines(), came)
    path = beside(script, f".{name}")
    want = path.read_bytes() if path.exists() else b""
    if want == came:
        return []
    a, b = (t.decode("utf-8", "replace").splitlines() for t in (want, came))
    return list(difflib.unified_diff(a, b, f"{name}, expected", f"{name}, came", lineterm="")) or [f"{name}: the last line ends differently"]


def update(script, code, streams):
    """Writes what came as what is expected; regular expressions stay as they are."""
    files = {".exit": f"{code}\n".encode() if code else b""}
    files.update({f".{name}": came for name, came in streams.items() if not beside(script, f".{name}.match").exists()})
    for ending, content in files.items():
        path = beside(script, ending)
        if content:
            path.write_bytes(content)
        elif path.exists():
            path.unlink()


def run_test(script, tool, refresh):
    """The problems of one test, as lines."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rkhs-cli-"))
    try:
        code, out, err = run_script(script, tool, scratch)
        if code == SKIPPED:
            raise Skipped(out.decode("utf-8", "replace").strip().rpartition("\n")[2])
        streams = {"stdout": out, "stderr": err}
        if refresh and code is not None and b"\n    wrong: " not in err:
            update(script, code, streams)
        expected = beside(script, ".exit")
        want = int(expected.read_text()) if expected.exists() else 0
        problems = []
        if code is None:
            problems.append(f"did not end within {TIMEOUT} s")
        elif code != want:
            problems.append(f"exit code {code}, expected {want}")
        for name, came in streams.items():
            problems += compare(script, name, came)
        problems += [f"left behind: {p.relative_to(scratch)}" for p in sorted(scratch.rglob(".*.rkhs-*"))]
        return problems
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", str(scratch)], check=False)
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description="Runs the tool from the shell, and compares what it prints with what is expected.")
    parser.add_argument("tool", nargs="?", default=str(SOURCE / "build" / "rkhs"), help="the tool, build/rkhs unless given")
    parser.add_argument("--update", action="store_true", help="write what came as what is expected")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only tests whose name contains this")
    options = parser.parse_args()
    tool = pathlib.Path(options.tool).resolve()
    if not os.access(tool, os.X_OK):
        sys.exit(f"run.py: {tool} is not a program; build it first")
    passed = failed = skipped = 0
    for script in sorted(HERE.glob("*.sh")):
        if options.only and not any(text in script.stem for text in options.only):
            continue
        started = time.monotonic()
        try:
            problems = run_test(script, tool, options.update)
        except Skipped as why:
            print(f"skip {script.stem}: {why}", flush=True)
            skipped += 1
            continue
        print(f"{'not ok' if problems else 'ok'} {script.stem} ({time.monotonic() - started:.1f} s)", flush=True)
        for line in problems:
            print(f"    {line}", flush=True)
        passed, failed = passed + (not problems), failed + bool(problems)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
