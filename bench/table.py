"""The bench's table: as lines of the terminal, and as TSV."""

COLUMNS = ("row", "what", "size", "threads", "ours_s", "ours_min_s", "ours_max_s", "peer", "peer_s", "peer_min_s", "peer_max_s",
           "ratio", "ratio_min", "ratio_max", "wanted", "share", "limit", "ours_peak_mb", "peer_peak_mb",
           "ours_cpu_s", "peer_cpu_s", "difference", "memory", "memory_wanted", "beyond_s", "beyond_wanted_s",
           "share_wanted", "memory_mb_wanted", "slope", "slope_wanted", "before_s", "before_ratio", "before_wanted",
           "blas_ratio", "blas_wanted", "ratio_unset")


def columns(options):
    """Of the TSV; --blas adds the seconds of ours and the ratios of ours/before by core type."""
    return COLUMNS + tuple(name for core in options.cores if options.blas for name in (f"ours_{core}_s", f"before_{core}"))


def show(value, form):
    return "-" if value is None else format(value, form)


def short(c):
    """What says most of a line."""
    return show(c["share"], ".0%") if c["ratio"] is None and c["share"] is not None else show(c["ratio"], ".2f")


def ranged(cells, name, unit, form):
    if cells[name + unit] is None:
        return "-"
    return "{} [{}..{}]".format(*(format(cells[name + part + unit], form) for part in ("", "_min", "_max")))


def at_most(c, name, bound, text):
    """A bound from above, and by how much it was missed."""
    missed = f" MISSED: {c[name]:.3g}" if c[name] is not None and c[name] > c[bound] else ""
    return text.format(c[bound]) + missed


def wanted(c):
    """What the project wants of a row, and whether it missed it."""
    words = []
    for name, bound, form in (("ratio", "wanted", "{:.2f}"), ("share", "share_wanted", "share {:.0%}")):
        if c[bound] is not None:
            words.append(form.format(c[bound]) + (" MISSED" if c[name] is not None and c[name] < c[bound] else ""))
    for name, bound, text in (("memory", "memory_wanted", "MB x{:.2g}"),
                              ("ours_peak_mb", "memory_mb_wanted", "{:.0f} MB"),
                              ("beyond_s", "beyond_wanted_s", "+{:.3g} s"), ("slope", "slope_wanted", "n^{:.2f}")):
        if c[bound] is not None:
            words.append(at_most(c, name, bound, text))
    return ", ".join(words) or "-"


def before_wanted(c):
    return "-" if c["before_wanted"] is None else at_most(c, "before_ratio", "before_wanted", "{:.2f}")


def print_lines(head, body):
    widths = [max(len(line[i]) for line in [head] + body) for i in range(len(head))]
    for line in [head, ["-" * width for width in widths]] + body:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def print_main(lines, before):
    """before: with the columns of --before."""
    head = ["what", "size", "thr", "ours, s", "peer, s", "ratio", "wanted", "share", "of the limit", "MB", "peer's MB", "differs"]
    body = [[c["what"], c["size"], str(c["threads"]), ranged(c, "ours", "_s", ".3g"), ranged(c, "peer", "_s", ".3g"),
             ranged(c, "ratio", "", ".2f"), wanted(c), show(c["share"], ".0%"), c["limit"] or "-",
             show(c["ours_peak_mb"], ".0f"), show(c["peer_peak_mb"], ".0f"), show(c["difference"], ".0e")] for c in lines]
    if before:
        head += ["before, s", "ours/before", "wanted"]
        body = [line + [show(c["before_s"], ".3g"), show(c["before_ratio"], ".2f"), before_wanted(c)] for line, c in zip(body, lines)]
    print_lines(head + ["peer"], [line + [c["peer"] or "-"] for line, c in zip(body, lines)])


def print_cores(lines, cores, before):
    """The table of --blas."""
    head = ["what", "size", "thr"] + [f"{core}, s" for core in cores] + ["largest ratio", "wanted"]
    body = [[c["what"], c["size"], str(c["threads"])] + [show(c[f"ours_{core}_s"], ".3g") for core in cores]
            + [show(c["blas_ratio"], ".2f"), at_most(c, "blas_ratio", "blas_wanted", "{:.2f}")] for c in lines]
    if before:
        head += [f"ours/before, {core}" for core in cores] + ["wanted"]
        body = [line + [show(c[f"before_{core}"], ".2f") for core in cores] + [before_wanted(c)] for line, c in zip(body, lines)]
    head += [f"peer/ours, {cores[-1]}", "peer/ours, unset", "peer"]
    print_lines(head, [line + [show(c["ratio"], ".2f"), show(c["ratio_unset"], ".2f"), c["peer"] or "-"] for line, c in zip(body, lines)])


def write_tsv(lines, path, names):
    def text(value):
        return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    path.write_text("".join("\t".join(cells) + "\n" for cells in [names] + [[text(c[k]) for k in names] for c in lines]))
