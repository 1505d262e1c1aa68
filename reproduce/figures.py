"""Figures that are no scatter plots: curves, bars, rows of images. Scatter plots are drawn by the tool, see run.py."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

# Without dates and random ids the same numbers give the same file.
plt.rcParams.update({"svg.hashsalt": "rkhs", "svg.fonttype": "none", "font.size": 9})


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def curves(path, title, across, up, lines):
    """Lines with error bars: lines is {name: [(x, mean, deviation), ...]}."""
    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    for name, line in lines.items():
        x, mean, deviation = zip(*line)
        axes.errorbar(x, mean, deviation, label=name)
    axes.set(title=title, xlabel=across, ylabel=up)
    axes.set_ylim(bottom=0)
    axes.legend()
    save(figure, path)


def bars(path, title, groups):
    """Bars with deviations: groups is {name: {bar: values}}; values that are None are left out."""
    names = list(dict.fromkeys(bar for group in groups.values() for bar in group))
    width = 0.85 / len(names)
    figure, axes = plt.subplots(figsize=(max(5, 0.13 * len(names) * len(groups) + 2), 4.2), layout="constrained")
    for q, name in enumerate(names):
        there = [[v for v in group.get(name, []) if v is not None] for group in groups.values()]
        at = [g + width * (q - (len(names) - 1) / 2) for g, values in enumerate(there) if values]
        axes.bar(at, [np.mean(v) for v in there if v], width, yerr=[np.std(v) for v in there if v], label=name,
                 color=plt.get_cmap("tab20")(q % 20))
    axes.set_xticks(range(len(groups)), [name.replace(", ", "\n") for name in groups])
    figure.suptitle(title)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=min(4, len(names)))
    save(figure, path)


def tiles(path, title, rows):
    """Rows of small images: rows is {name: images, n x h x w}, from 0 (black) to 1."""
    figure, all_axes = plt.subplots(len(rows), figsize=(8, 0.6 * len(rows) + 0.5), layout="constrained", squeeze=False)
    for axes, (name, images) in zip(all_axes[:, 0], rows.items()):
        axes.imshow(np.hstack(list(images)), cmap="gray", vmin=0, vmax=1, interpolation="none")
        axes.set(xticks=[], yticks=[])
        axes.set_ylabel(name, rotation=0, ha="right", va="center")
    figure.suptitle(title)
    save(figure, path)
