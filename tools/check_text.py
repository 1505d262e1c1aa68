#!/usr/bin/env python3
"""Checks how the files are written. Prints each violation, exits 1 if there is one.

C: no tabs, at most 128 columns, 120 in a line with a comment (tables between clang-format off and on aside), and 700
lines; a header comment in every source file; no message of src names an option or a command of the tool. At most 120
columns: documents of the top folder, tables aside, and the Python files of python/. Everywhere: no trailing blanks, a
newline at the end, no marks of unfinished work. Every type that a .def file lists is defined in a file beside it.
"""
import argparse
import pathlib
import re
import sys

COLUMNS, PROSE, LINES = 128, 120, 700
FOLDERS = ("src", "include", "cli", "python", "tests", "bench", "examples", "tools", "scripts", "doc", ".ci")
TOP = ("Makefile", "meson.build", "meson_options.txt", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md",
       "VERSIONING.md")
C_SUFFIXES = {".c", ".h", ".cpp", ".def"}
TEXT_SUFFIXES = C_SUFFIXES | {".py", ".sh", ".md", ".build", ".map", ".cff"}
SKIPPED = {"__pycache__"}
# Spelled in two parts, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "|".join(a + b for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("HA", "CK"))) + r")\b")
TOOL_WORDS = re.compile(r"\"[^\"]*(--[a-z]+|'rkhs [a-z]+)[^\"]*\"")
STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|' r"'(?:\\.|[^'\\])*'|/\*.*?(\*/|$)")
DEF_LINE = re.compile(r"^\s*(\w+)\(\s*(\w+)")


def text_files(root):
    """The files people write: by ending, and every script without one."""
    for name in TOP:
        if (root / name).is_file():
            yield root / name
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not SKIPPED & set(path.relative_to(root).parts):
                if path.suffix in TEXT_SUFFIXES or (path.suffix == "" and folder in ("scripts", ".ci")):
                    yield path


def comment_lines(lines):
    """For each line of C whether it has a comment, or a part of one."""
    inside = False
    for line in lines:
        has = inside
        if inside:
            _, inside, line = line.partition("*/")
            inside = not inside
        for match in () if inside else STRING_OR_COMMENT.finditer(line):
            if match.group().startswith("/*"):
                has, inside = True, not match.group(1)
        yield has


def check_lines(lines, is_c):
    in_table = False
    has_comment = list(comment_lines(lines)) if is_c else []
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if UNFINISHED.search(line):
            yield number, f"a mark of unfinished work: {UNFINISHED.search(line).group()}"
        if "/* clang-format o" in line:
            in_table = "clang-format off" in line
        if is_c and "\t" in line:
            yield number, "a tab"
        if is_c and len(line) > COLUMNS and not in_table:
            yield number, f"{len(line)} columns, {COLUMNS} at most"
        elif is_c and not in_table and has_comment[number - 1] and len(line.rstrip(" \\")) > PROSE:
            yield number, f"{len(line)} columns, {PROSE} at most in a line with a comment"


def check_file(root, path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    is_c = path.suffix in C_SUFFIXES
    yield from check_lines(lines, is_c)
    if path.relative_to(root).parts[0] == "src":
        for number, line in enumerate(lines, 1):
            if TOOL_WORDS.search(line):
                yield number, f"{TOOL_WORDS.search(line).group(1)} is a word of the tool: use rk_fail_hint"
    if path.suffix == ".md" and path.parent == root:
        for number, line in enumerate(lines, 1):
            if len(line) > PROSE and not line.startswith("|"):
                yield number, f"{len(line)} columns, {PROSE} at most in a document, tables aside"
    if path.suffix == ".py" and path.relative_to(root).parts[0] == "python":
        for number, line in enumerate(lines, 1):
            if len(line) > PROSE:
                yield number, f"{len(line)} columns, {PROSE} at most in Python"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end of the file"
    if is_c and len(lines) - 1 > LINES:
        yield len(lines), f"{len(lines) - 1} lines, {LINES} at most: split the file"
    if path.suffix == ".c" and path.relative_to(root).parts[0] in ("src", "cli") and not text.startswith("/*"):
        yield 1, "no header comment that says what the file is for"


def check_def(root, path):
    """Each RK_WHAT(name) has its table, rk_what_name, in a source file of the same folder."""
    sources = [source.read_text(encoding="utf-8") for source in path.parent.glob("*.c")]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = DEF_LINE.match(line)
        if match:
            name = f"{match.group(1).lower()}_{match.group(2)}"
            table = re.compile(rf"^const rk_\w+_type {name}\b(?!;)", re.MULTILINE)
            if not any(table.search(text) for text in sources):
                yield number, f"{match.group(2)} is listed, but no file beside {path.name} defines {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    violations, count = [], 0
    for path in text_files(root):
        count += 1
        found = list(check_file(root, path))
        if path.suffix == ".def":
            found += check_def(root, path)
        violations += [f"{path.relative_to(root)}:{number}: {why}" for number, why in found]
    if not count:
        sys.exit(f"check_text: no files under {root}")
    print("\n".join(violations) if violations else f"check_text: {count} files are in order")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
