#!/usr/bin/env python3
"""Checks who may include and call whom. Prints each violation, exits 1 if there is one.

    base <- la <- data <- kernel <- gram;  augment on data;  opt on base, la, gram;  model on all of these;  score beside;
    io on kernel
    cli includes rkhs.h, base/shared.h and its own headers only

Only src/la talks to BLAS and LAPACK, only src/base/alloc.c to malloc, and nobody to rand().
"""
import argparse
import pathlib
import re
import sys

# What the files of a folder of src/ may include, besides their own folder and the public headers.
MAY_INCLUDE = {
    "base": set(),
    "la": {"base"},
    "data": {"base", "la"},
    "augment": {"base", "la", "data"},
    "kernel": {"base", "la", "data"},
    "gram": {"base", "la", "data", "kernel"},
    "opt": {"base", "la", "gram"},
    "model": {"base", "la", "data", "augment", "kernel", "gram", "opt"},
    "score": {"base", "la", "data", "kernel", "opt"},
    "io": {"base", "data", "kernel"},
}
PUBLIC = {"rkhs.h"}

BLAS_HEADERS = re.compile(r"(cblas|lapack|lapacke|f77blas|openblas_config|arpack)[\w/]*\.h$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')

# A name that is called, and is not a member (p->free) nor the tail of a longer name (rk_free).
def calls(names):
    return re.compile(r"(?<![\w.])(?<!->)(" + names + r")\s*\(")


BLAS_CALLS = calls(r"cblas_\w+|LAPACKE_\w+|openblas_\w+|[sdcz][a-z0-9]{3,6}_")
ALLOCATION = calls(r"malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|memalign|strdup|strndup|v?asprintf|"
                   r"getline|getdelim|open_memstream")
RANDOM = calls(r"rand|srand|rand_r|random|srandom|[delmnj]rand48|srand48|arc4random\w*")

C_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'", re.DOTALL)


def code_only(text):
    """The text without comments and with empty strings, lines kept in place."""
    def blank(match):
        lines = "\n" * match.group().count("\n")
        return '""' + lines if match.group()[0] in "\"'" else " " + lines
    return C_TOKENS.sub(blank, text)


def includes(text):
    """(line number, is it "quoted", path) of every include outside comments."""
    kept = code_only(text).splitlines()
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and kept[number - 1].lstrip().startswith("#"):
            yield number, match.group(1) == '"', match.group(2)


def resolve(root, path, name):
    """The file that a quoted include means, as the compiler's search order finds it; None if there is none."""
    for base in (path.parent, root / "include", root / "src"):
        if (base / name).is_file():
            return (base / name).resolve()
    return None


def check_include(root, path, layer, quoted, name):
    """A sentence saying what is wrong with one include, or None."""
    if not quoted:
        if BLAS_HEADERS.search(name) and layer != "la":
            return f"<{name}> belongs to src/la"
        if name in PUBLIC:
            return f'<{name}>: our own headers are included with quotes'
        return None
    found = resolve(root, path, name)
    if layer == "cli":
        own = found is not None and found.parent == path.parent.resolve()
        shared = ("rkhs.h", "base/shared.h")
        return None if own or name in shared else f'"{name}": the tool may include rkhs.h, base/shared.h and its own headers only'
    if found is None:
        return f'"{name}" is no file of the project'
    if found.parent == (root / "include").resolve():
        return None
    other = found.relative_to((root / "src").resolve()).parts[0]
    if layer is None or other == layer or other in MAY_INCLUDE.get(layer, set()):
        return None
    return f'"{name}": {layer} may not know {other}'


def layer_of(root, path):
    """The folder of src/ that a file is in, "cli", or None for files directly in src/, which tie the layers together."""
    parts = path.relative_to(root).parts
    if parts[0] == "cli":
        return "cli"
    return parts[1] if len(parts) > 2 else None


def check_calls(root, path, layer, text):
    rules = [(RANDOM, "random numbers come from rk_random")]
    if layer != "la":
        rules.append((BLAS_CALLS, "only src/la calls BLAS and LAPACK"))
    if layer != "cli" and path.relative_to(root).as_posix() != "src/base/alloc.c":
        rules.append((ALLOCATION, "only src/base/alloc.c allocates: use rk_alloc or rk_scratch"))
    for number, line in enumerate(code_only(text).splitlines(), 1):
        for pattern, why in rules:
            for match in pattern.finditer(line):
                yield number, f"{match.group(1)}(): {why}"


def check_file(root, path):
    text = path.read_text(encoding="utf-8")
    layer = layer_of(root, path)
    if layer not in MAY_INCLUDE and layer not in ("cli", None):
        yield 1, f"src/{layer} is no layer that this check knows: add it to MAY_INCLUDE"
        return
    for number, quoted, name in includes(text):
        wrong = check_include(root, path, layer, quoted, name)
        if wrong:
            yield number, wrong
    yield from check_calls(root, path, layer, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    files = sorted(path for folder in ("src", "cli") for path in (root / folder).rglob("*")
                   if path.suffix in (".c", ".h", ".def"))
    if not files:
        sys.exit(f"check_layers: no source files under {root}")
    violations = [f"{path.relative_to(root)}:{number}: {why}" for path in files for number, why in check_file(root, path)]
    print("\n".join(violations) if violations else f"check_layers: {len(files)} files, every include and call is in its place")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
