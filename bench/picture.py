"""The bench's table as a picture (SVG, written by hand): a bar from 1 to the ratio, on a logarithmic axis."""
import html
import math

LEFT, WIDTH, RIGHT, LINE, TOP = 430, 420, 330, 26, 64
FASTER, SLOWER, GREY = "#0072b2", "#d55e00", "#666666"


def text(x, y, words, anchor="start", colour="#000000", size=13):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">{html.escape(words)}</text>'


def line(x, y, x2, y2, colour, width=1.0, dash=""):
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"{dashed}/>'


def ticks(least, most):
    """1, 2, 5 and their tenfolds in the range."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    return [v for e in powers for v in (10.0 ** e, 2 * 10.0 ** e, 5 * 10.0 ** e) if least <= v <= most]


def draw_row(c, y, at):
    middle = y + LINE / 2
    threads = f"{c['threads']} thread" + ("s" if c["threads"] > 1 else "")
    parts = [text(LEFT - 12, middle + 1, f"{c['what']} {c['size']}, {threads}", "end"),
             text(LEFT - 12, middle + 12, f"beside {c['peer']}" if c["peer"] else "alone", "end", GREY, 10)]
    words = []
    if c["ratio"] is not None:
        colour = FASTER if c["ratio"] >= 1 else SLOWER
        a, b = sorted((at(1), at(c["ratio"])))
        parts.append(f'<rect x="{a:.1f}" y="{y + 7:.1f}" width="{max(b - a, 1):.1f}" height="{LINE - 14}" fill="{colour}"/>')
        low, high = at(c["ratio_min"]), at(c["ratio_max"])
        parts.append(line(low, middle, high, middle, "#000000", 1.2))
        parts += [line(x, middle - 4, x, middle + 4, "#000000", 1.2) for x in (low, high)]
        words.append(f"{c['ratio']:.2f}x")
    if c["wanted"] is not None:
        x = at(c["wanted"])
        parts.append(line(x, y + 2, x, y + LINE - 2, "#009e73", 2, "3 2"))
    if c["share"] is not None:
        words.append(f"{c['share']:.0%} of {c['limit']}")
    if c["ours_peak_mb"] is not None:
        peer = f" ({c['peer_peak_mb']:.0f})" if c["peer_peak_mb"] is not None else ""
        words.append(f"{c['ours_peak_mb']:.0f}{peer} MB")
    if c["beyond_s"] is not None:
        words.append(f"+{1e6 * c['beyond_s']:.0f} us")
    parts.append(text(LEFT + WIDTH + 12, middle + 4, "; ".join(words), size=11))
    return parts


def draw(lines):
    """The whole picture."""
    values = [c[name] for c in lines for name in ("ratio_min", "ratio_max", "wanted") if c[name] is not None] + [0.5, 2]
    least, most = min(values) / 1.1, max(values) * 1.1
    scale = WIDTH / math.log(most / least)
    at = lambda value: LEFT + scale * math.log(value / least)
    bottom = TOP + LINE * len(lines)
    total = LEFT + WIDTH + RIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{bottom + 40}" font-family="sans-serif">',
             f'<rect width="{total}" height="{bottom + 40}" fill="#ffffff"/>',
             text(20, 24, "The peer's time over ours: median and range of alternating runs", size=16),
             text(20, 44, "blue: ours is faster; dashed: what the project wants; right: ratio, share of the limit, peak memory "
                          "(the peer's)", colour=GREY, size=11)]
    for value in ticks(least, most):
        parts.append(line(at(value), TOP - 4, at(value), bottom, "#000000" if value == 1 else "#dddddd"))
        parts.append(text(at(value), bottom + 18, f"{value:g}x", "middle", size=11))
    for i, c in enumerate(lines):
        parts += draw_row(c, TOP + i * LINE, at)
    return "\n".join(parts) + "\n</svg>\n"
