#!/usr/bin/env python3
"""Runs the commands that the pages for people show, and checks what a script can check of the pages themselves.

    tools/check_pages.py [--tool build/rkhs] [PAGE...]   prints each problem and "N passed, N failed"; exits 1 if one failed
    tools/check_pages.py --write [PAGE...]               also writes what was printed, and the pictures made, into the pages

A page is a Markdown file: README.md and doc/*.md unless some are named. Its blocks run in order in a fresh folder, in which `rkhs`
is the tool and `examples` is the project's:

    ```sh        each line is a command
    ```console   lines that begin with "$ " are commands, the others are what was printed, to be shown and not compared
    ```python    one program; skipped where NumPy or the package cannot be imported

A command must exit 0; in a block that begins with "```console exit=1" the last one must exit 1. Files named after -o, -z and other
output options must exist afterwards. Indented blocks and other languages are not run. Of the page itself: lines of at
most 120 columns (tables aside), links and pictures that lead to a file, pictures of at most 100 kB; in the glossary
every model; on the page of a model, which says what it is "**For**", a picture before the first command and the method.
"""
import argparse
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, PICTURE_BYTES, SECONDS = 120, 102_400, 120
OUTPUTS = {"-o", "-z", "--output", "--labels-out", "--table", "--resume"}  # -z of score is read, and exists as well
FENCE = re.compile(r"^```(sh|console|python)\b(.*)$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)")
HEADINGS = re.compile(r"^#+ (.*)$", re.MULTILINE)
ANCHOR = re.compile(r"\]\(([^)\s]*)#([^)\s]+)\)")
# Time and memory, other in every run; the last column of what select prints is seconds.
VARYING = re.compile(r"[\d.e+-]+ s, [\d.]+ [kMG]?B at most")
SECONDS_COLUMN = re.compile(r"^([* ] [\d.]+ .*\S) +[\d.e-]+$")


def blocks(lines):
    """(language, exit status of the last command, first line of the body, line of the closing fence) of each block that runs."""
    at = 0
    while at < len(lines):
        match = FENCE.match(lines[at])
        if match:
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            wanted = re.search(r"exit=(\d+)", match.group(2))
            yield match.group(1), int(wanted.group(1)) if wanted else 0, at + 1, end
            at = end
        at += 1


def words_of(command):
    """The words of a command, without comments; None: a quote is open."""
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return None


def commands(language, body):
    """[(command, the lines shown below it)]; a command goes on after a backslash and inside quotes."""
    found = []
    for line in body:
        if found and (found[-1][0].endswith("\\") or words_of(found[-1][0]) is None):
            found[-1] = (found[-1][0] + "\n" + line.removeprefix("> "), [])
        elif language == "sh" or line.startswith("$ "):
            if line.strip() and not line.startswith("#"):
                found.append((line.removeprefix("$ "), []))
        elif found:
            found[-1][1].append(line)
    return found


def run(words, folder, tool):
    """(exit status, what was printed) of a command."""
    path = f"{folder / '.bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "PYTHONPATH": os.environ.get("PYTHONPATH") or str(tool.parent / "python")}
    done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=SECONDS, errors="replace")
    return done.returncode, done.stdout


def missing_files(command, folder):
    """Files that a command was to write and did not."""
    words = words_of(command) or []
    named = [words[i + 1] for i, word in enumerate(words[:-1]) if word in OUTPUTS]
    return [name for name in named if name != "-" and "$" not in name and not (folder / name).exists()]


def folded(printed):
    """The lines printed, long ones folded as a terminal would."""
    lines = []
    for line in printed.rstrip("\n").split("\n") if printed.strip() else []:
        lines += textwrap.wrap(line, COLUMNS - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False,
                               drop_whitespace=True, replace_whitespace=False) or [""]
    return [line.rstrip() for line in lines]


def same(shown, came):
    """Whether lines differ in time and memory alone."""
    def masked(lines):
        text = " ".join(SECONDS_COLUMN.sub(r"\1 #", line) for line in lines)
        return VARYING.sub("#", " ".join(text.split()))
    return masked(shown) == masked(came)


def run_block(language, status, body, folder, tool):
    """(problems, the body with what was printed, commands run)"""
    problems, written, pairs = [], [], commands(language, body)
    for i, (command, shown) in enumerate(pairs):
        code, printed = run(["bash", "-c", command], folder, tool)
        wanted = status if i == len(pairs) - 1 else 0
        if code != wanted:
            problems.append(f"exit status {code}, not {wanted}: {command}\n{textwrap.indent(printed, '        ')}")
        elif wanted == 0:
            problems += [f"{name} was not written by: {command}" for name in missing_files(command, folder)]
        came = folded(printed)
        written += [f"$ {command}".replace("\n", "\n> ")] + (shown if same(shown, came) else came)
    return problems, "\n".join(written).split("\n") if language == "console" else body, len(pairs)


@functools.cache
def can_import(tool):
    """Whether the Python programs can run here."""
    with tempfile.TemporaryDirectory() as folder:
        return run([sys.executable, "-c", "import numpy, sklearn, rkhs"], pathlib.Path(folder), tool)[0] == 0


def prepare(folder, root, tool):
    (folder / ".bin").mkdir()
    (folder / ".bin" / "rkhs").symlink_to(tool)
    (folder / "examples").symlink_to(root / "examples")


def check_commands(page, folder, root, tool):
    """(problems, passed, skipped, new text) of the blocks of a page."""
    lines = page.read_text(encoding="utf-8").split("\n")
    prepare(folder, root, tool)
    problems, passed, skipped, done, text = [], 0, 0, 0, []
    for language, status, start, end in blocks(lines):
        body = lines[start:end]
        if language == "python":
            if not can_import(tool):
                skipped, found, ran = skipped + 1, [], 0
            else:
                code, printed = run([sys.executable, "-W", "ignore", "-c", "\n".join(body)], folder, tool)
                found, ran = [f"the Python program fails:\n{textwrap.indent(printed, '        ')}"] if code else [], 1
        else:
            found, body, ran = run_block(language, status, body, folder, tool)
        problems += [f"line {start + 1}: {problem}" for problem in found]
        passed += max(0, ran - len(found))
        text, done = text + lines[done:start] + body, end
    return problems, passed, skipped, "\n".join(text + lines[done:])


def anchor_of(heading):
    """What GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")


def check_links(page, text):
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            if not re.match(r"\w+:", target) and not (page.parent / target).exists():
                yield f"line {number}: there is no {target}"
        for target, anchor in ANCHOR.findall(line):
            path = page.parent / target if target else page
            if not re.match(r"\w+:", target) and path.suffix == ".md" and path.exists():
                if anchor not in [anchor_of(heading) for heading in HEADINGS.findall(path.read_text(encoding="utf-8"))]:
                    yield f"line {number}: {target or 'this page'} has no heading #{anchor}"


def check_text(page, text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS and not line.startswith("|"):
            yield f"line {number}: {len(line)} columns, {COLUMNS} at most"
    for target in set(LINK.findall(text)):
        path = page.parent / target
        if path.suffix in (".svg", ".png") and "pictures" in path.parts and path.is_file() and path.stat().st_size > PICTURE_BYTES:
            yield f"{target} has {path.stat().st_size} bytes, {PICTURE_BYTES} at most"
    if page.name == "README.md" and (page.parent / "LICENSE").exists() and text.count("\n") > 150:
        yield f"{text.count(chr(10))} lines, 150 at most"


def check_order(text):
    """The page of a model: what it is for, a picture, the command, the formula."""
    if "\n**For**" in text:
        places = [text.find(mark) for mark in ("\n**For**", "\n![", "\n```", "\n## The method\n")]
        if -1 in places or places != sorted(places):
            yield "the page of a model has what it is for, a picture, the command and the method, in this order"


def check_models(page, text, tool):
    """The glossary has a line for every model there is, with a link to its page and its class in Python."""
    if page.name != "glossary.md":
        return
    listed = json.loads(subprocess.run([tool, "list", "models", "--json"], check=True, capture_output=True, text=True).stdout)
    for model in next(entry for entry in listed["lists"] if entry["name"] == "models")["types"]:
        if not re.search(rf"^\| \[{model['name']}\]\(\w+\.md\) \|", text, re.MULTILINE):
            yield f"the model {model['name']} is missing in the table of models"


def keep_pictures(page, text, folder):
    """Copies the pictures that were made to where the page shows them."""
    for target in set(re.findall(r"!\[[^\]]*\]\(([^)]*pictures/[^)]+)\)", text)):
        made, kept = folder / pathlib.Path(target).name, page.parent / target
        if made.exists():
            kept.parent.mkdir(exist_ok=True)
            shutil.copyfile(made, kept)


def check_page(page, root, tool, write):
    """(problems, passed, skipped)"""
    with tempfile.TemporaryDirectory(prefix="rkhs-pages-") as name:
        folder = pathlib.Path(name)
        problems, passed, skipped, text = check_commands(page, folder, root, tool)
        if write:
            page.write_text(text, encoding="utf-8")
            keep_pictures(page, text, folder)
        text = page.read_text(encoding="utf-8")
        found = [*check_links(page, text), *check_text(page, text), *check_order(text), *check_models(page, text, tool)]
    return problems + found, passed + (not found), skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--tool", type=pathlib.Path, help="the tool; ROOT/build/rkhs unless said")
    parser.add_argument("--write", action="store_true", help="write what was printed, and the pictures, into the pages")
    options = parser.parse_args()
    root = options.root.resolve()
    tool = (options.tool or root / "build" / "rkhs").resolve()
    if not tool.exists():
        sys.exit(f"check_pages: {tool} is not there: run make first")
    pages = [page.resolve() for page in options.pages] or [root / "README.md", *sorted((root / "doc").glob("*.md"))]
    passed = failed = skipped = 0
    for page in pages:
        problems, good, left = check_page(page, root, tool, options.write)
        passed, failed, skipped = passed + good, failed + len(problems), skipped + left
        for problem in problems:
            print(f"{page.relative_to(root)}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
