#!/usr/bin/env python3
"""Checks statements of the documents that a machine can check. Prints each false one, exits 1 if there is one.

    tools/check_claims.py [--root FOLDER]

- Files that ARCHITECTURE.md, CONTRIBUTING.md, VERSIONING.md, README.md and doc/*.md name in backticks exist.
- Slots that CONTRIBUTING.md names for a kernel, a model, ... are members of that table's struct.
- Packages that CONTRIBUTING.md says the library needs are those of meson.build.
- Lists that include/rkhs.h names are those of src/list.c.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:[ch]|def|py))`")
LIBRARIES = {"blas": "BLAS", "lapack": "LAPACK", "zlib": "zlib", "libpng": "libpng"}  # as a sentence spells them
# A heading of CONTRIBUTING.md, and the struct that its steps are about.
TABLES = {"A kernel": "src/kernel/kernel.h rk_kernel_type", "A model": "src/model/model.h rk_model_type",
          "A solver": "src/opt/opt.h rk_solver_type", "A gram": "src/gram/gram.h rk_gram_type",
          "A format": "src/io/io.h rk_format_type", "A score": "src/score/score.h rk_score_type"}


def missing_files(root, names):
    """Names in backticks that stand for no file: a path from the root or from src/, or the name of a file anywhere."""
    known = [str(path.relative_to(root)) for folder in ("src", "cli", "python", "include", "tests", "tools", "bench", "reproduce", "examples")
             for path in (root / folder).rglob("*") if path.is_file()]
    for page in names:
        for word in sorted(set(SOURCE.findall(page.read_text(encoding="utf-8")))):
            if "NAME" not in word and not any(path == word or path.endswith("/" + word) for path in known):
                yield f"{page.relative_to(root)}: there is no file {word}"


def members(header, struct):
    """The names of a struct's members."""
    body = re.search(r"typedef struct " + struct + r" \{(.*?)\n\} " + struct, header, re.DOTALL).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    return set(re.findall(r"\(\*(\w+)\)", body)) | set(re.findall(r"\b(\w+)\s*[,;]", body))


def missing_slots(root):
    """Slots named in `backticks` after the table's name that the table has not."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for heading, place in TABLES.items():
        path, struct = place.split()
        section = re.search(r"\*\*" + heading + r"\*\*(.*?)(?=\n\*\*|\n## )", text, re.DOTALL)
        if not section:
            yield f"CONTRIBUTING.md: there is no part '{heading}'"
            continue
        have = members((root / path).read_text(encoding="utf-8"), struct)
        for word in sorted(set(re.findall(r"`([a-z_]+)`", section.group(1)))):
            if not word.startswith("rk_") and word not in have:
                yield f"CONTRIBUTING.md: {heading.lower()}: {struct} has no slot '{word}'"


def wrong_packages(root):
    """The sentence on packages against the dependencies of the library."""
    build = re.search(r"\n  (dependency\('blas'\).*?)\n", (root / "meson.build").read_text(encoding="utf-8")).group(1)
    needs = [LIBRARIES.get(name, name) for name in re.findall(r"dependency\('(\w+)'\)", build) if name != "threads"]
    said = re.search(r"the library needs ([^.]*)\.", (root / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("\n", " "))
    words = set(re.split(r", | and ", said.group(1))) if said else set()
    if not set(needs) <= words:
        yield f"CONTRIBUTING.md: the library needs {', '.join(needs)}, and the sentence says {', '.join(sorted(words))}"


def wrong_lists(root):
    """The lists that rkhs.h names against those that there are."""
    named = re.search(r"One type of a list \((.*?)\)", (root / "include/rkhs.h").read_text(encoding="utf-8"), re.DOTALL)
    named = re.findall(r'"(\w+)"', named.group(1)) if named else []
    have = re.findall(r'const rk_list rk_\w+ = \{"(\w+)"', "".join(path.read_text(encoding="utf-8") for path in (root / "src").rglob("*.c")))
    public = [name for name in have if name != "data"]
    if sorted(named) != sorted(public):
        yield f"include/rkhs.h: the lists are {', '.join(sorted(public))}, and it names {', '.join(sorted(named))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    root = parser.parse_args().root
    pages = [root / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "VERSIONING.md", "README.md")] + sorted((root / "doc").glob("*.md"))
    wrong = [*missing_files(root, pages), *missing_slots(root), *wrong_packages(root), *wrong_lists(root)]
    print("\n".join(wrong) if wrong else f"check_claims: {len(pages)} pages name files, slots, packages and lists that there are")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
