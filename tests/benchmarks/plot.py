"""Draws the results as a chart: requests per second, the cost of cold reads, and growth, if measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

from tests.benchmarks import cold, hot, size

COLOURS = {hot.BLOGAPI: "#1b6ca8", hot.MINIMAL: "#8fb8d6", hot.BARE: "#c9c9c9"}
OTHER = "#d9a441"
# The heights of the parts in inches, if they are not the usual one.
HEIGHTS = {"size": 9.0}


def draw_plot(file: Path, parts: Mapping[str, Sequence[Any]], caption: str) -> bool:
    """Write the chart in the format of the file name suffix; return False if there is nothing to draw."""
    drawn = [part for part in (_hot, _cold, _size) if parts.get(part.__name__[1:])]
    if not drawn:
        return False
    heights = [HEIGHTS.get(part.__name__[1:], 4.5) for part in drawn]
    figure, axes = pyplot.subplots(
        len(drawn), 1, figsize=(10, sum(heights)), height_ratios=heights, squeeze=False
    )
    for part, (ax,) in zip(drawn, axes, strict=True):
        part(ax, parts[part.__name__[1:]])
    figure.text(0.01, 0.005, caption, fontsize=7, color="#666666", wrap=True)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(file, dpi=144)
    pyplot.close(figure)
    return True


def _hot(ax: Axes, rows: Sequence[hot.Row]) -> None:
    valid = [row for row in rows if not row.problem and row.read != hot.WITH_DRAFTS]
    _bars(
        ax,
        {(row.read, row.server): row.requests_per_second for row in valid},
        {server: COLOURS.get(server, OTHER) for server in dict.fromkeys(row.server for row in rows)},
    )
    ax.set_title("Hot reads: requests per second on one core (more is better)", loc="left")


def _cold(ax: Axes, rows: Sequence[cold.Row]) -> None:
    valid = [row for row in rows if not row.problem]
    sizes = [f"{size:,} articles" for size in sorted({row.articles for row in rows})]
    _bars(
        ax,
        {(row.read, f"{row.articles:,} articles"): row.wsgi_ms for row in valid},
        dict(zip(sizes, ("#8fb8d6", "#1b6ca8", "#0d3b5e", "#061f33") * len(sizes), strict=False)),
    )
    ax.set_title("First read after a write: CPU ms by size of the blog (less is better)", loc="left")


def _size(ax: Axes, rows: Sequence[size.Row]) -> None:
    """Draw a line from the cost on the smallest to that on the largest blog for each measure, on SQLite."""
    engine = rows[0].engine
    timed = [row for row in rows if row.engine == engine and row.unit == "ms" and not row.problem]
    measures = [name for name in dict.fromkeys(row.measure for row in timed) if not name.startswith("admin")]
    sizes = sorted({row.articles for row in timed})
    found = {(row.measure, row.articles): row.value for row in timed}
    places = range(len(measures), 0, -1)
    small, large = ([found.get((name, number), 0.0) for name in measures] for number in (sizes[0], sizes[-1]))
    ax.hlines(places, small, large, color="#8fb8d6")
    ax.plot(small, places, "o", color="#8fb8d6", label=f"{sizes[0]:,} articles")
    ax.plot(large, places, "o", color="#0d3b5e", label=f"{sizes[-1]:,} articles")
    ax.set_yticks(list(places), measures, fontsize=8)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_title(f"Growth: ms of one request, {engine} (log scale)", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, ncols=2, fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))


def _bars(ax: Axes, values: Mapping[tuple[str, str], float], colours: Mapping[str, str]) -> None:
    """Draw a group of bars for each read, with a bar for each item of `colours`."""
    reads = list(dict.fromkeys(read for read, _ in values))
    width = 0.8 / max(1, len(colours))
    for number, (name, colour) in enumerate(colours.items()):
        places = [place + (number - (len(colours) - 1) / 2) * width for place in range(len(reads))]
        heights = [values.get((read, name), 0.0) for read in reads]
        bars = ax.bar(places, heights, width * 0.92, label=name, color=colour)
        ax.bar_label(
            bars, [f"{height:,.0f}" if height >= 10 else f"{height:.2f}" for height in heights], fontsize=8
        )
    ax.set_xticks(range(len(reads)), reads)
    ax.margins(y=0.15)
    ax.yaxis.set_major_formatter("{x:,.10g}")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, ncols=len(colours), fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
