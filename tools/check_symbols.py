#!/usr/bin/env python3
"""Checks what the built library shows and needs. Prints each violation, exits 1 if there is one.

The functions that librkhs.so exports are those that the headers declare with RKHS_API, no more, no fewer; every global name of
the static library begins with rkhs_ or rk_; library and tool need no shared library but the listed ones.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ALLOWED_LIBRARIES = {"libblas.so.3", "liblapack.so.3", "libz.so.1", "libpng16.so.16", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2",
                     "ld-linux-aarch64.so.1"}
DECLARATION = re.compile(r"RKHS_API\b[^;{(]*?\b(\w+)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Sanitizers and the compiler's dispatch of target_clones add names of their own after a dot, or in front.
COMPILER_NAME = re.compile(r"\.|^__(odr_)?asan")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(include):
    """Functions that the public headers promise."""
    names = set()
    for header in sorted(include.glob("*.h")):
        text = COMMENT.sub(" ", header.read_text(encoding="utf-8"))
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        names.update(DECLARATION.findall(text))
    return names


def defined(nm_options, path):
    """Names that a library defines: the last word of nm's lines, without the version; absolute symbols are version names."""
    names = set()
    for line in output_of("nm", *nm_options, "--defined-only", str(path)).splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] != "A":
            names.add(fields[2].split("@")[0])
    return names


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-dW", str(path)))


def check(include, build):
    library, archive, tool = build / "librkhs.so", build / "librkhs.a", build / "rkhs"
    promised, exported = declared(include), defined(["-D"], library)
    if not promised:
        yield f"{include}: no RKHS_API declaration found"
    for name in sorted(promised - exported):
        yield f"{library.name}: {name} is declared in a header but not exported"
    for name in sorted(exported - promised):
        yield f"{library.name}: {name} is exported but declared in no public header"
    for name in sorted(defined(["-g"], archive)):
        if not name.startswith(("rkhs_", "rk_")) and not COMPILER_NAME.search(name):
            yield f"{archive.name}: the global name {name} begins with neither rkhs_ nor rk_ (make it static?)"
    for path in (library, tool):
        for name in needed(path):
            if name not in ALLOWED_LIBRARIES:
                yield f"{path.name}: needs {name}, which is not among the allowed libraries"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=root)
    parser.add_argument("--build", type=pathlib.Path, help="the build folder; ROOT/build unless said")
    arguments = parser.parse_args()
    include, build = arguments.root / "include", arguments.build or arguments.root / "build"
    for name in ("librkhs.so", "librkhs.a", "rkhs"):
        if not (build / name).exists():
            sys.exit(f"check_symbols: {build / name} is not there: run make first")
    violations = list(check(include, build))
    print("\n".join(violations) if violations
          else f"check_symbols: {len(declared(include))} functions declared and exported, no library beyond the list")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
