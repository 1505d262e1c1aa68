"""The bench's table as a picture: a bar from 1 to the ratio, on a logarithmic axis."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams["svg.fonttype"] = "none"  # texts stay texts
FASTER, SLOWER, WANTED = "#0072b2", "#d55e00", "#009e73"


def beside(c):
    """What stands to the right of a row: ratio, share of the limit, what --blas and --before found, peak memory (the
    peer's), growth, seconds beyond the peer's."""
    words = [f"{c['ratio']:.2f}x"] if c["ratio"] is not None else []
    if c["share"] is not None:
        asked = f" (wanted {c['share_wanted']:.0%})" if c["share_wanted"] is not None else ""
        words.append(f"{c['share']:.0%} of {c['limit']}{asked}")
    for name, text in (("blas_ratio", "core types of BLAS {:.2f}x apart"), ("before_ratio", "{:.2f} of before")):
        if c[name] is not None:
            words.append(text.format(c[name]))
    if c["ours_peak_mb"] is not None:
        peer = f" ({c['peer_peak_mb']:.0f})" if c["peer_peak_mb"] is not None else ""
        words.append(f"{c['ours_peak_mb']:.0f}{peer} MB")
    if c["slope"] is not None:
        words.append(f"n^{c['slope']:.2f}")
    if c["beyond_s"] is not None:
        words.append(f"+{1e6 * c['beyond_s']:.0f} us" if c["beyond_s"] < 0.1 else f"+{c['beyond_s']:.3g} s")
    return "; ".join(words)


def draw(lines, path):
    figure, axes = plt.subplots(figsize=(12, 1.2 + 0.36 * len(lines)), layout="constrained")
    for y, c in enumerate(lines):
        if c["ratio"] is not None:
            axes.barh(y, c["ratio"] - 1, left=1, height=0.5, color=FASTER if c["ratio"] >= 1 else SLOWER)
            axes.plot([c["ratio_min"], c["ratio_max"]], [y, y], "k|-", linewidth=1)
        if c["wanted"] is not None:
            axes.plot([c["wanted"]] * 2, [y - 0.4, y + 0.4], "--", color=WANTED)
        axes.annotate(beside(c), (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    axes.set_yticks(range(len(lines)), [f"{c['what']} {c['size']}, {c['threads']} thread{'s' * (c['threads'] > 1)}\n"
                                        + (f"beside {c['peer']}" if c["peer"] else "alone") for c in lines], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}x")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_title("The peer's time over ours: median and range of alternating runs; dashed: what the project wants", fontsize=10)
    figure.savefig(path)
    plt.close(figure)
