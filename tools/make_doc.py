#!/usr/bin/env python3
"""Makes the reference, the man pages and the bash completion from the tool's own tables.

    tools/make_doc.py                     writes doc/reference and the files of ARCHITECTURE.md; `make doc` builds first
    tools/make_doc.py --check             says which of its pages differ from what it would write, exits 1 if one does
    tools/make_doc.py --man FOLDER        writes rkhs.1 and rkhs-COMMAND.1 there; the build calls it
    tools/make_doc.py --completion FILE   writes the completion for bash; the build calls it

What there is comes from `rkhs list --json` and `rkhs help --json`; the C functions from include/rkhs.h; programs from examples.
"""
import argparse
import json
import pathlib
import re
import runpy
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = "<!-- Made by tools/make_doc.py: run `make doc`, do not edit. -->\n"

LIST_WORDS = {
    "models": "What can be learned. The first operand of `rkhs fit`, the spec of `rkhs_model_new`.",
    "kernels": "How two objects compare. `--kernel` of `rkhs fit`, the first operand of `rkhs gram`, the spec of `rkhs_kernel_new`. "
               "Kernels combine: weights `2*k`, sums `a + b`, products `a*b`, powers `k^3`, `normalize(k)`, `center(k)`, "
               "`standardize(k)`, and groups of columns `k[0,4:7]`: `'2*standardize(rbf)[12:16] + cosine[0,4]^2'`.",
    "grams": "How the matrix of kernel values is made: the whole of it, or an approximation. The parameter `gram` of a model.",
    "eigensolvers": "How eigenvectors are found. The parameter `solver` of models that need them.",
    "linsolvers": "How linear systems are solved. The parameter `solver` of models that need it.",
    "optimisers": "How a smooth objective is made small. The parameter `solver` of models that have one.",
    "scores": "Numbers that say how good an embedding is. The operands of `rkhs score`, the spec of `rkhs_score`.",
    "formats": "Files that are read and written. A name's ending tells which; `--format`, `--output-format` and the format of "
               "`rkhs_data_read` say it, or more of it: `'csv(label=species)'`.",
    "samples": "Data sets to try things on. The operand of `rkhs sample`, the spec of `rkhs_data_sample`.",
    "augments": "Other objects that are the same thing: a little noise, a shift. The parameter `augment` of models that learn from pairs "
                "of like objects, the spec of `rkhs_data_augment`.",
}
COMMAND_WORDS = {
    "fit": "Use it to embed objects, or to learn to predict. It learns a model from a file of objects, and writes the model (-o) and "
           "the embedding of the objects (-z).",
    "transform": "Use it to embed new objects with a fitted model, or to predict for them.",
    "inverse": "Use it to see what a point of an embedding stands for: it computes approximate objects from points.",
    "anomaly": "Use it to find objects that are unlike those a model was learned from.",
    "update": "Use it when there are more training objects: it fits the model again on the old and the new ones, starting from the old embedding.",
    "select": "Use it to choose parameters, such as the width of a kernel, by a score or by cross-validation.",
    "dimension": "Use it to choose the number of dimensions before a fit.",
    "plot": "Use it to look at an embedding, a kernel matrix, or the eigenvalues or losses of a model.",
    "explain": "Use it to see why a new object is placed where it is.",
    "info": "Use it to see what a model file contains: the model, the kernel with its numbers, and what the fit found.",
    "score": "Use it to compare embeddings by numbers rather than by eye.",
    "gram": "Use it to compute kernel values once and use them often, or by parts on several machines.",
    "sample": "Use it to try a command before you have data.",
    "list": "Use it to find the name of a kernel or a model, and its parameters.",
}
SPEC_WORDS = ("A spec is a name, with parameters in brackets where a default does not suit: kpca, kpca(dim=3), "
              "rbf(sigma=0.5). A shell needs quotes around brackets.")
EXIT_CODES = [("0", "done"), ("1", "failed; a sentence on standard error says what is wrong, where, and what to do"),
              ("2", "misused: an unknown command or option, or an operand too many or too few"),
              ("128 + N", "stopped by signal N; 130 is Ctrl-C. Nothing is left half-written.")]


def ask(tool, *words):
    """What the tool prints as JSON."""
    return json.loads(subprocess.run([str(tool), *words, "--json"], check=True, capture_output=True, text=True).stdout)


def purposes(root):
    """{model: what it is for}, from the Python package, which shows it too."""
    path = root / "python" / "rkhs" / "_purposes.py"
    return runpy.run_path(str(path))["PURPOSES"] if path.exists() else {}


def flags_of(option):
    """["-o", "--output"]"""
    flags = [f"-{option['letter']}"] if option["letter"] else []
    return flags + [f"--{option['name']}"]


# ---- doc/reference ----------------------------------------------------------------------------------------------------

def prose(text):
    """Plain text as Markdown."""
    text = re.sub(r"([*<|\[\]])", r"\\\1", text)
    return re.sub(r"(?<!\w)_", r"\\_", text)


def code(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(head, rows):
    lines = [head, ["---"] * len(head)] + rows
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines).replace("|  |", "| |").replace("|  |", "| |")


def also(parameter):
    """The other spellings that are accepted of a parameter."""
    return "; also " + ", ".join(code(name) for name in parameter["aliases"].split("|")) if parameter["aliases"] else ""


def type_section(kind, words):
    """One kernel, model, ... with what is known of it, and what it is for."""
    parts = [f"## {kind['name']}\n", prose(sentence(kind["brief"])) + "\n"]
    if kind["name"] in words:
        parts.append(prose(words[kind["name"]]) + "\n")
    if kind["formula"]:
        parts.append(f"    {kind['formula']}\n")
    if kind.get("where"):
        parts.append(f"where {prose(kind['where'])}.\n")
    facts = [f"{name}: {prose(kind[key])}" for name, key in (("Data", "data"), ("Cost", "cost")) if kind[key]]
    if facts:
        parts.append(". ".join(facts) + ".\n")
    rows = [[code(p["name"]), prose(p["kind"]), code(p["default"]) or "not set", code(p["bounds"]), prose(p["brief"] or "") + also(p)]
            for p in kind["parameters"]]
    parts.append(table(["parameter", "kind", "default", "bounds", "meaning"], rows) if rows else "No parameters.\n")
    return "\n".join(parts)


def sentence(text):
    """A brief with a capital and a full stop."""
    text = (text or "").strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".") if text else ""


def list_page(entry, words):
    name = entry["name"]
    rows = [[f"[{kind['name']}](#{kind['name']})", prose(kind["brief"] or "")] for kind in entry["types"]]
    parts = [f"# {name.capitalize()}\n", MADE, LIST_WORDS.get(name, "") + "\n" if name in LIST_WORDS else "",
             table(["name", "what it is"], rows)]
    return "\n".join([part for part in parts if part] + [type_section(kind, words) for kind in entry["types"]])


def option_rows(options):
    return [[", ".join(code(flag) for flag in flags_of(o)) + (" " + code(o["value"]) if o["value"] else ""), prose(o["brief"])]
            for o in options]


def indented(text):
    return textwrap.indent(text.rstrip("\n"), "    ") + "\n"


def command_section(command):
    parts = [f"## rkhs {command['name']}\n", prose(sentence(command["brief"]) + " " + COMMAND_WORDS.get(command["name"], "")).rstrip() + "\n",
             f"    rkhs {command['name']} {command['operands']} [options]\n"]
    if command["more"]:
        parts.append(prose(command["more"]) + "\n")
    if command["options"]:
        parts.append(table(["option", "meaning"], option_rows(command["options"])))
    parts.append("Examples:\n\n" + indented(command["examples"]))
    if command["list"]:
        parts.append(f"[The {command['list']}]({command['list']}.md) that there are.\n")
    return "\n".join(parts)


def commands_page(tables):
    commands = tables["commands"]
    rows = [[f"[{c['name']}](#rkhs-{c['name']})", c["group"], prose(c["brief"])] for c in commands]
    parts = ["# The tool\n", MADE, "    rkhs COMMAND ... [options]\n",
             f"{prose(SPEC_WORDS)} A file named - is standard input or output.\n", table(["command", "", "what it does"], rows),
             "`rkhs help` shows the commands, `rkhs help COMMAND` the options of one, `rkhs help --json` both for programs. "
             "To begin:\n", indented(tables["examples"])]
    parts += [command_section(c) for c in commands]
    parts += ["## Options of every command\n", table(["option", "meaning"], option_rows(tables["options"])),
              "## Exit status\n", table(["status", "meaning"], [[code, prose(words)] for code, words in EXIT_CODES])]
    return "\n".join(parts)


# ---- the C library, from its header -----------------------------------------------------------------------------------

HEADING = re.compile(r"/\* ---- (.*?) -+ \*/\n")
COMMENT = re.compile(r"\s*/\*(.*?)\*/\n?", re.DOTALL)


def comment_lines(text):
    """The text of a block comment without its stars."""
    return [re.sub(r"^ ?\*? ?", "", line, count=1).rstrip() if i else line.strip() for i, line in enumerate(text.rstrip().split("\n"))]


def header_block(block):
    """A run of lines of the header: a comment becomes prose, declarations stay as they are."""
    parts, match = [], COMMENT.match(block)
    if match:
        parts.append(prose(" ".join(comment_lines(match.group(1))).strip()) + "\n")
        block = block[match.end():]
    block = block.replace("RKHS_API ", "").rstrip()
    if block:
        parts.append(f"```c\n{realigned(block)}\n```\n")
    return "\n".join(parts)


def realigned(block):
    """Lines that go on below an open bracket move with it, now that RKHS_API is gone."""
    lines, shift = [], len("RKHS_API ")
    for line in block.split("\n"):
        lines.append(line[shift:] if line.startswith(" " * 20) else line)
    return "\n".join(lines)


def header_parts(text):
    """(the introduction, [(heading, body), ...]) of rkhs.h"""
    introduction = COMMENT.match(text).group(1)
    body = text[text.index("typedef struct rkhs_env"):text.rindex("#ifdef __cplusplus")]
    pieces = HEADING.split(body)
    return comment_lines(introduction), [("types and status", pieces[0])] + list(zip(pieces[1::2], pieces[2::2]))


def c_page(root):
    lines, sections = header_parts((root / "include" / "rkhs.h").read_text(encoding="utf-8"))
    introduction = "\n".join(line if line.startswith("    ") else prose(line) for line in lines[1:]).strip("\n")
    parts = ["# The C library\n", MADE,
             "Made from [include/rkhs.h](../../include/rkhs.h) and [examples](../../examples). To compile:\n",
             "    cc program.c $(pkg-config --cflags --libs rkhs)\n", introduction + "\n"]
    for heading, body in sections:
        parts.append(f"## {heading[:1].upper() + heading[1:]}\n")
        parts += [header_block(block) for block in re.split(r"\n\n+", body.strip("\n")) if block.strip()]
    for path in sorted((root / "examples").glob("*.c")):
        parts += [f"## Example: {path.name}\n", f"```c\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"]
    return "\n".join(parts)


def index_page(lists):
    rows = [["[commands](commands.md)", "the tool: its commands and options"],
            ["[c-api](c-api.md)", "the C library: every function, and whole programs"]]
    rows += [[f"[{entry['name']}]({entry['name']}.md)", " ".join(code(kind["name"]) for kind in entry["types"])]
             for entry in lists]
    return "\n".join(["# Reference\n", MADE, "Printed from the tables that the library and the tool work with. The same from the "
                      "tool: `rkhs help`, `rkhs list`.\n", table(["page", "about"], rows)])


def reference(tool, root):
    """{file name: text} of doc/reference"""
    lists, tables = ask(tool, "list")["lists"], ask(tool, "help")
    words = purposes(root)
    pages = {f"{entry['name']}.md": list_page(entry, words if entry["name"] == "models" else {}) for entry in lists}
    return {**pages, "README.md": index_page(lists), "commands.md": commands_page(tables), "c-api.md": c_page(root)}


# ---- ARCHITECTURE.md: every file and what it is responsible for ----------------------------------------------------------

FILES = re.compile(r"(<!-- files: .*? -->\n).*(<!-- end of files -->)", re.DOTALL)


def responsibility(path):
    """The first sentence of a file's header comment, without the file's name, or of a module's docstring."""
    text = path.read_text(encoding="utf-8")
    python = path.suffix == ".py"
    match = re.search(r'^"""(.*?)(?:"""|\n\n)', text, re.DOTALL | re.MULTILINE) if python else \
        re.match(r"/\* " + re.escape(path.name) + r": (.*?)(?:\*/|\n \*\n)", text, re.DOTALL)
    if not match:
        sys.exit(f"make_doc: {path}: begin with " + ("a docstring" if python else f"a comment '/* {path.name}: what it is responsible for. */'"))
    words = " ".join(re.sub(r"\n \*", " ", match.group(1)).split()).replace("SPDX-License-Identifier: BSD-3-Clause", "").strip()
    return re.split(r"(?<=[.:]) (?=[A-Z])|\.$", words)[0].rstrip(".:")


def with_files(root):
    """ARCHITECTURE.md with its tables of files."""
    parts = []
    folders = {path.parent for top in ("src", "cli", "python", "tools") for path in (root / top).rglob("*.*") if path.suffix in (".c", ".py")}
    for folder in sorted(folders):
        files = [path for path in sorted(folder.glob("*.*")) if path.suffix in (".c", ".h", ".py")]
        rows = [[code(path.name), prose(responsibility(path))] for path in files]
        parts += [f"### {folder.relative_to(root)}\n", table(["file", "responsible for"], rows)]
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return FILES.sub(lambda match: match.group(1) + "\n" + "\n".join(parts) + "\n" + match.group(2), text)


# ---- man pages --------------------------------------------------------------------------------------------------------

def roff(text):
    """Plain text as roff: backslashes, minus signs, and dots and quotes that begin a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    text = text.replace("`", "\\(ga")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def man_options(heading, options):
    lines = [f'.SH "{heading}"']
    for option in options:
        value = f" \\fI{roff(option['value'])}\\fR" if option["value"] else ""
        lines += [".TP", ", ".join(f"\\fB{roff(flag)}\\fR" for flag in flags_of(option)) + value, roff(sentence(option["brief"]))]
    return lines if options else []


def man_terms(heading, pairs):
    lines = [f'.SH "{heading}"']
    for term, words in pairs:
        lines += [".TP", f"\\fB{roff(term)}\\fR", roff(words)]
    return lines


def man_lines(heading, text):
    return [f'.SH "{heading}"', ".nf", *(roff(line) for line in text.rstrip("\n").split("\n")), ".fi"]


def man_head(name, brief, version):
    return [f'.TH "{roff(name.upper())}" "1" "" "rkhs {version}" "rkhs manual"', ".SH NAME", f"{roff(name)} \\- {roff(brief)}"]


def man_tail(others):
    see = ",\n".join(f"\\fB{roff(name)}\\fR(1)" for name in others)
    return man_terms("EXIT STATUS", [(c, sentence(words)) for c, words in EXIT_CODES]) + [".SH \"SEE ALSO\"", see]


def man_overview(tables, lists):
    names = [command["name"] for command in tables["commands"]]
    lines = man_head("rkhs", "kernel representation learning", tables["version"])
    lines += [".SH SYNOPSIS", "\\fBrkhs\\fR \\fICOMMAND\\fR ... [\\fIoptions\\fR]", ".br",
              "\\fBrkhs help\\fR [\\fICOMMAND\\fR|\\fILIST\\fR|\\fINAME\\fR|\\fB\\-\\-json\\fR]", ".br",
              "\\fBrkhs \\-\\-version\\fR", ".SH DESCRIPTION",
              roff("Takes objects and a kernel, a measure of how alike two objects are, and learns a representation: a few numbers for "
                   "each object. It places new objects, goes back from numbers to approximate objects, and keeps the model "
                   "in one file, which contains training objects."), ".PP", roff(SPEC_WORDS), ".PP",
              roff("Results go to files or to standard output, words to standard error. A file named - is standard input or output.")]
    lines += man_terms("COMMANDS", [(c["name"], sentence(c["brief"])) for c in tables["commands"]])
    lines += man_terms("LISTS", [(entry["name"], ", ".join(kind["name"] for kind in entry["types"])) for entry in lists])
    lines += man_options("OPTIONS OF EVERY COMMAND", tables["options"])
    lines += man_lines("EXAMPLES", tables["examples"]) + man_tail([f"rkhs-{name}" for name in names])
    return "\n".join(lines) + "\n"


def man_command(command, tables, lists, words):
    """What it is for, examples, then options and what can stand in its spec."""
    name = f"rkhs-{command['name']}"
    lines = man_head(name, command["brief"], tables["version"])
    lines += [".SH SYNOPSIS", f"\\fBrkhs {command['name']}\\fR {roff(command['operands'])} [\\fIoptions\\fR]", ".SH DESCRIPTION"]
    parts = [COMMAND_WORDS.get(command["name"], sentence(command["brief"])), command["more"], SPEC_WORDS if command["list"] else None]
    lines += "\n.PP\n".join(roff(part) for part in parts if part).split("\n")
    lines += man_lines("EXAMPLES", command["examples"])
    lines += man_options("OPTIONS", command["options"]) + man_options("OPTIONS OF EVERY COMMAND", tables["options"])
    for entry in lists:
        if entry["name"] == command["list"]:
            lines += man_types(entry, words if entry["name"] == "models" else {})
    lines += man_tail(["rkhs"])
    return "\n".join(lines) + "\n"


def man_types(entry, words):
    """The types of a list with their parameters; of models, what each is for."""
    lines = [f'.SH "{entry["name"].upper()}"']
    for kind in entry["types"]:
        lines += [".TP", f"\\fB{roff(kind['name'])}\\fR", roff(sentence(kind["brief"]) + " " + words.get(kind["name"], "")).rstrip()]
        if kind["formula"]:
            lines += [".br", roff(kind["formula"])]
        if kind.get("where"):
            lines += [".br", roff("where " + kind["where"] + ".")]
        if kind["parameters"]:
            lines += [".RS"]
            for p in kind["parameters"]:
                default = f"={p['default']}" if p["default"] else ""
                bounds = f" ({p['bounds']})" if p["bounds"] else ""
                lines += [".TP", f"\\fI{roff(p['name'])}\\fR{roff(default)}", roff(sentence(p["brief"]) + bounds)]
            lines += [".RE"]
    return lines


def write_man(tool, folder):
    lists, tables = ask(tool, "list")["lists"], ask(tool, "help")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rkhs.1").write_text(man_overview(tables, lists), encoding="utf-8")
    words = purposes(ROOT)
    for command in tables["commands"]:
        (folder / f"rkhs-{command['name']}.1").write_text(man_command(command, tables, lists, words), encoding="utf-8")


# ---- completion -------------------------------------------------------------------------------------------------------

COMPLETION = r"""# Completion of rkhs for bash, made by tools/make_doc.py from the tool's tables: commands, options, names, files.

# What can stand in place of a word of that kind.
_rkhs_offer() {
    case $1 in
@KINDS@
    model)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -X '!*.rkhs' -- "$2"; compgen -d -- "$2")
        ;;
    file)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        ;;
    esac
}

# The kind of value that an option of a command takes; nothing: it is a flag.
_rkhs_value() {
    case $1:$2 in
@VALUES@
    esac
}

_rkhs() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options kinds value
    local -i at=2 operands=0
    COMPREPLY=()
    # bash splits --name=value into three words, and a word in quotes begins with its quote.
    if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
    cur=${cur#[\'\"]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        _rkhs_offer commands "$cur"
        return
    fi
    case $command in
@COMMANDS@
    *) return ;;
    esac
    value=$(_rkhs_value "$command" "$prev")
    if [ -n "$value" ]; then
        _rkhs_offer "$value" "$cur"
        return
    fi
    if [[ $cur == -?* || $cur == - ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    # Which operand stands here: options and their values do not count.
    while [ "$at" -lt "$COMP_CWORD" ]; do
        case ${COMP_WORDS[at]} in
        -?*)
            if [ "${COMP_WORDS[at + 1]}" = = ]; then
                at+=2
            elif [ -n "$(_rkhs_value "$command" "${COMP_WORDS[at]}")" ]; then
                at+=1
            fi
            ;;
        *) operands+=1 ;;
        esac
        at+=1
    done
    # The last kind stands for all that follow, if it ends in dots.
    read -r -a kinds <<<"$kinds"
    value=${kinds[operands]-}
    if [ "$operands" -ge "${#kinds[@]}" ] && [[ ${kinds[-1]} == *... ]]; then value=${kinds[-1]}; fi
    _rkhs_offer "${value%...}" "$cur"
}

complete -F _rkhs rkhs
"""


def operand_kinds(command):
    """What each operand is: a name of a list, a model file, a file."""
    kinds = []
    for word in command["operands"].split():
        name = re.sub(r"[^A-Z]", "", word)
        kind = {"MODEL": "model", "LIST": "lists", "NAME": "names"}.get(name)
        if kind is None:
            kind = (command["list"] or "none") if word.startswith("'") else "file"
        kinds.append(kind + ("..." if word.endswith("...") else ""))
    return kinds


def value_kind(option):
    if option["value"] == "SPEC":
        return "formats"
    return {"FILE": "file", "KERNEL": "kernels"}.get(option["value"], "none")


def completion(tool):
    lists, tables = ask(tool, "list")["lists"], ask(tool, "help")
    names = {entry["name"]: [kind["name"] for kind in entry["types"]] for entry in lists}
    words = {**names, "lists": [*names, *(name for each in names.values() for name in each)],
             "names": [name for each in names.values() for name in each],
             "commands": [*(c["name"] for c in tables["commands"]), "help", "--help", "--version"]}
    words["help"] = [c["name"] for c in tables["commands"]] + words["lists"]
    kinds, values, commands = [], [], []
    for kind, each in words.items():
        joined = " ".join(dict.fromkeys(each))
        kinds.append(f"    {kind}) mapfile -t COMPREPLY < <(compgen -W '{joined}' -- \"$2\") ;;")
    for command in tables["commands"]:
        options = command["options"] + tables["options"]
        flags = " ".join(flag for option in options for flag in flags_of(option))
        commands.append(f"    {command['name']}) options='{flags}' kinds='{' '.join(operand_kinds(command))}' ;;")
        for option in options:
            patterns = "|".join(f"{command['name']}:{flag}" for flag in flags_of(option))
            values += [f"    {patterns}) echo {value_kind(option)} ;;"] * (option["value"] is not None)
    commands.append("    help) options='--json' kinds='help' ;;")
    text = COMPLETION
    for mark, lines in (("@KINDS@", kinds), ("@VALUES@", values), ("@COMMANDS@", commands)):
        text = text.replace(mark, "\n".join(lines))
    return text


# ---- the program ------------------------------------------------------------------------------------------------------

def check(pages, folder):
    """Pages that are missing, differ, or should not be there, as sentences."""
    there = {path.name for path in folder.glob("*")} if folder.is_dir() else set()
    for name in sorted(set(pages) | there):
        if name not in pages:
            yield f"{folder.name}/{name}: nothing makes this page; remove it"
        elif name not in there:
            yield f"{folder.name}/{name}: is missing; run make doc"
        elif (folder / name).read_text(encoding="utf-8") != pages[name]:
            yield f"{folder.name}/{name}: the tables say something else; run make doc"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--tool", type=pathlib.Path, help="the tool; ROOT/build/rkhs unless said")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page of doc/reference differs")
    parser.add_argument("--man", type=pathlib.Path, metavar="FOLDER", help="write man pages there instead")
    parser.add_argument("--completion", type=pathlib.Path, metavar="FILE", help="write the completion for bash there instead")
    options = parser.parse_args()
    tool, folder = (options.tool or options.root / "build" / "rkhs").resolve(), options.root / "doc" / "reference"
    if not tool.exists():
        sys.exit(f"make_doc: {tool} is not there: run make first")
    if options.man or options.completion:
        if options.man:
            write_man(tool, options.man)
        if options.completion:
            options.completion.write_text(completion(tool), encoding="utf-8")
        return
    pages, architecture = reference(tool, options.root), options.root / "ARCHITECTURE.md"
    if options.check:
        wrong = list(check(pages, folder))
        if architecture.read_text(encoding="utf-8") != with_files(options.root):
            wrong.append("ARCHITECTURE.md: the files say something else; run make doc")
        print("\n".join(wrong) if wrong else f"make_doc: {len(pages)} pages of doc/reference say what the tables say")
        sys.exit(1 if wrong else 0)
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*"):
        if path.name not in pages:
            path.unlink()
    architecture.write_text(with_files(options.root), encoding="utf-8")
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"make_doc: {len(pages)} pages in {folder.relative_to(options.root)}")


if __name__ == "__main__":
    main()
