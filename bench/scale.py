#!/usr/bin/python3
"""Time and memory of the default fit of every model, by the number of rows: `make bench-scale`.

A size is left out when it is expected to take longer than --limit, by the growth between the last two sizes and by the
tool's own estimate; what the tool says of it before it fits stands in its place. Writes scale.tsv after every fit, and
then scale.md, the table, and scale.svg. --write puts both into doc/scale.md and doc/pictures; with --read TSV nothing
is measured.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import threading

import jobs
import sets
from bench import environment, run

TOOL, DOC = jobs.BUILD / "rkhs", jobs.HERE.parent / "doc"
SIZES, COLUMNS = "1000,2000,5000,10000,20000,50000,100000", 50
HEAD = ("model", "rows", "columns", "threads", "seconds", "cpu_s", "peak_mb", "expected_s", "says")
BEGIN, END = "<!-- bench/scale.py writes from here -->\n", "<!-- to here -->\n"
TAKES = re.compile(r"this fit takes about (\S+) (s|minute|hour|day)s? and ([\d.]+ \wB)")
NEEDS = re.compile(r"needs ([\d.]+ \wB); the limit is")
UNITS = {"s": 1, "minute": 60, "hour": 3600, "day": 86400}
WAIT = 20  # seconds for the tool to read its data and to say how long the fit takes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="", help="only these, with commas (all)")
    parser.add_argument("--sizes", default=SIZES, help=f"numbers of rows, with commas ({SIZES})")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a fit may be expected to take (300)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of every fit (all cores)")
    parser.add_argument("--to", type=pathlib.Path, default=jobs.BUILD / "bench",
                        help="the folder for scale.tsv, scale.md and scale.svg")
    parser.add_argument("--read", type=pathlib.Path, metavar="TSV", help="an earlier scale.tsv: nothing is measured")
    parser.add_argument("--write", action="store_true",
                        help="also put the table into doc/scale.md and the picture into doc/pictures")
    options = parser.parse_args()
    options.sizes = sorted(int(size) for size in options.sizes.split(","))
    for program in [] if options.read else [TOOL, jobs.BUILD / "bench" / jobs.CORE]:
        if not program.exists():
            parser.error(f"{program} is not there: run `make bench-scale`")
    known = [] if options.read else all_models()
    options.models = options.models.split(",") if options.models else known
    for model in options.models:
        if model not in known and not options.read:
            parser.error(f"there is no model '{model}': there are {', '.join(known)}")
    return options


def all_models():
    listed = subprocess.run([TOOL, "list", "models", "--json"], capture_output=True, text=True, check=True)
    return [model["name"] for model in json.loads(listed.stdout)["lists"][0]["types"]]


# ---- measuring ----------------------------------------------------------------------------------------------------------


def ask_tool(model, x, more, threads, folder):
    """(what the tool says before it fits on how long that takes, or why it cannot; seconds, 0 if it says nothing)"""
    options = [word for name, path in more.items() for word in ({"y": "--target"}[name], path)]
    command = [TOOL, "fit", model, x, *options, "-o", f"{folder}/model.rkhs", "--threads", str(threads)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(WAIT, process.terminate)
        timer.start()
        says = next((line for line in process.stderr if TAKES.search(line) or NEEDS.search(line)), "")
        timer.cancel()
        process.terminate()
    says = re.sub(r": rkhs fit .*", "", re.sub(r"^rkhs( fit)?: ", "", says.strip()))  # without the command that follows
    takes = TAKES.search(says)
    return says, float(takes[1]) * UNITS[takes[2]] if takes else math.inf if says else 0


def expected(points, n):
    """Seconds at n rows, by the growth between the last two of points, [(rows, seconds)]; of one: as its square."""
    if not points:
        return 0
    (rows, seconds), power = points[-1], 2
    if len(points) > 1:
        before = points[-2]
        power = max(math.log(seconds / before[1]) / math.log(rows / before[0]), 1)
    return seconds * (n / rows) ** power


def measure_model(model, options, data, folder):
    """Lines of the table, one for each size."""
    points = []
    for n in options.sizes:
        x, more = data.vectors(n, COLUMNS), {"y": data.targets(n)} if model == "krr" else {}
        line = dict.fromkeys(HEAD, "")
        line.update(model=model, rows=n, columns=COLUMNS, threads=options.threads)
        late, told = expected(points, n), None
        if late > options.limit:
            line["says"], told = ask_tool(model, x, more, options.threads, folder)
        if told is None or min(late, told) <= options.limit:
            job = jobs.core("fit", model=model, x=x, **more)
            found = run(job.command(options.threads, None, jobs.BUILD), job, environment(job, options.threads, 1, None),
                        timeout=4 * options.limit)
            if "seconds" in found:
                line.update(seconds=f"{found['seconds']:.4g}", cpu_s=f"{found['cpu']:.4g}",
                            peak_mb=f"{found['peak'] / 1e6:.4g}", says="")
                points.append((n, found["seconds"]))
            else:
                points.append((n, max(late, 4 * options.limit)))  # at least
                said = line["says"] or ask_tool(model, x, more, options.threads, folder)[0]
                line["says"] = said or found["failed"].splitlines()[-1]
        if not line["seconds"]:
            line["expected_s"] = f"{late:.3g}"
        print(f"  {model}, {n} rows: {cell(line)}", file=sys.stderr)
        yield line


def measure(options):
    lines = []
    with tempfile.TemporaryDirectory(prefix="rkhs-scale-") as folder:
        data = sets.Sets(folder, 1)
        for model in options.models:
            for line in measure_model(model, options, data, folder):
                lines.append(line)
                with open(options.to / "scale.tsv", "w", encoding="utf-8", newline="") as file:
                    writer = csv.DictWriter(file, HEAD, delimiter="\t", lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(lines)
    return lines


# ---- the table ----------------------------------------------------------------------------------------------------------


def amount(mb):
    mb = max(mb, 1)  # less is noise
    return f"{mb / 1000:.2g} GB" if mb >= 995 else f"{mb:.2g} MB" if mb < 100 else f"{mb:.0f} MB"


def duration(seconds):
    return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:.0f} s"


def cell(line):
    """Seconds and memory; of a size that was left out, what the tool says, or else the growth, in brackets."""
    if line["seconds"]:
        return f"{duration(float(line['seconds']))}, {amount(float(line['peak_mb']))}"
    takes, needs = TAKES.search(line["says"]), NEEDS.search(line["says"])
    if takes:
        return f"({takes[1]} {takes[2]}{'s' * (takes[2] != 's' and takes[1] != '1')}, {takes[3]})"
    if needs:
        return f"(needs {needs[1]})"
    return f"({line['says'] or 'about ' + duration(float(line['expected_s']))})"


def by_model(lines):
    """{model: {rows: line}}, in the order of the lines."""
    found = {}
    for line in lines:
        found.setdefault(line["model"], {})[int(line["rows"])] = line
    return found


def table(lines):
    """In Markdown: a row for each model, and below it what the tool says of the first size that each leaves out."""
    models, sizes = by_model(lines), sorted({int(line["rows"]) for line in lines})
    text = ["| model | " + " | ".join(f"{n:,}" for n in sizes) + " |", "|---" * (1 + len(sizes)) + "|"]
    for model, cells in models.items():
        text.append(f"| `{model}` | " + " | ".join(cell(cells[n]) if n in cells else "" for n in sizes) + " |")
    said = [next((line for line in cells.values() if TAKES.search(line["says"]) or NEEDS.search(line["says"])), None)
            for cells in models.values()]
    if any(said):
        text.append("")
    for line in filter(None, said):
        says = re.sub(r"(gram=[\w()=]+)", r"`\1`", line["says"])
        text += textwrap.wrap(f"- `{line['model']}`, {int(line['rows']):,} rows: {says}.", 120, subsequent_indent="  ",
                              break_long_words=False, break_on_hyphens=False)
    return "\n".join(text) + "\n"


def put_into(page, text):
    """Between the two marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    if END not in rest:
        sys.exit(f"scale: {page} has no lines '{BEGIN.strip()}' and '{END.strip()}'")
    page.write_text(before + BEGIN + text + END + rest.partition(END)[2], encoding="utf-8")


# ---- the picture --------------------------------------------------------------------------------------------------------

# Okabe and Ito's colours, which the colour-blind can tell apart; each is used again with another mark and dashes.
COLOURS = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"
STYLES = ("-", "o"), ("--", "s")


def spread_out(places, least):
    """Places in ascending order, moved as little as it takes to have two of them at least `least` apart."""
    runs = []  # [mean, count] of places that touch each other, each less what the ones before it take
    for i, place in enumerate(places):
        runs.append([place - i * least, 1])
        while len(runs) > 1 and runs[-2][0] > runs[-1][0]:
            (a, m), (b, n) = runs[-2:]
            runs[-2:] = [[(m * a + n * b) / (m + n), m + n]]
    flat = [mean for mean, count in runs for _ in range(count)]
    return [place + i * least for i, place in enumerate(flat)]


def name_ends(axes, ends, limits):
    """Names of lines that end at the same number of rows, beside their ends. ends: ((rows, value), name, colour)."""
    height = math.log(limits[1] / limits[0])
    ends = sorted(ends, key=lambda end: end[0][1])
    at = spread_out([math.log(y / limits[0]) / height for (_, y), _, _ in ends], 0.05)
    for ((n, y), model, colour), place in zip(ends, at):
        leader = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
        axes.annotate(model, (n, y), (n * 1.25, limits[0] * math.exp(place * height)), fontsize=8, color=colour, va="center",
                      arrowprops=leader, annotation_clip=False)


def draw_panel(axes, models, column, title, limits):
    """A line for each model, named where it ends."""
    ends = []
    for i, (model, cells) in enumerate(models.items()):
        points = [(n, max(float(line[column]), limits[0])) for n, line in sorted(cells.items()) if line["seconds"]]
        if not points:
            continue
        (dashes, mark), colour = STYLES[i // len(COLOURS) % len(STYLES)], COLOURS[i % len(COLOURS)]
        axes.plot(*zip(*points), dashes, marker=mark, markersize=3, linewidth=1.2, color=colour)
        ends.append((points[-1], model, colour))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(*limits)
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xlabel("rows", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    for rows in sorted({n for (n, _), _, _ in ends}):
        name_ends(axes, [end for end in ends if end[0][0] == rows], limits)


def draw(lines, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    # Texts stay texts, and the same lines give the same file.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "rkhs"})
    models, done = by_model(lines), [line for line in lines if line["seconds"]]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
    panels = (axes[0], "seconds", "time of a fit, s", 0.01), (axes[1], "peak_mb", "memory, MB", 1)
    for panel, column, title, least in panels:
        most = max([float(line[column]) for line in done] + [10 * least])
        draw_panel(panel, models, column, title, (least, 3 * most))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main():
    options = arguments()
    options.to.mkdir(parents=True, exist_ok=True)
    if options.read:
        with open(options.read, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file, delimiter="\t"))
    else:
        lines = measure(options)
    text = table(lines)
    (options.to / "scale.md").write_text(text, encoding="utf-8")
    draw(lines, options.to / "scale.svg")
    if options.write:
        put_into(DOC / "scale.md", text)
        draw(lines, DOC / "pictures" / "scale.svg")
    print(text + f"\n{options.to / 'scale.md'}  {options.to / 'scale.svg'}")


if __name__ == "__main__":
    main()
