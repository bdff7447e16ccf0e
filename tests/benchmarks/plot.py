"""Draws the results as a chart: requests per second and the cost of cold reads, if they were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

from tests.benchmarks import cold, hot

COLOURS = {hot.BLOGAPI: "#1b6ca8", hot.MINIMAL: "#8fb8d6", hot.BARE: "#c9c9c9"}
OTHER = "#d9a441"


def draw_plot(file: Path, parts: Mapping[str, Sequence[Any]], caption: str) -> bool:
    """Write the chart in the format of the file name suffix; return False if there is nothing to draw."""
    drawn = [part for part in (_hot, _cold) if parts.get(part.__name__[1:])]
    if not drawn:
        return False
    figure, axes = pyplot.subplots(len(drawn), 1, figsize=(10, 4.5 * len(drawn)), squeeze=False)
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
