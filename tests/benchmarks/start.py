"""Measures the time of a start on an existing blog, and the memory of the idle service."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.benchmarks.blogs import Blog
from tests.benchmarks.plan import LIST_OF_20, Plan, Table, format_value
from tests.benchmarks.servers import free_port, make_serve_command, run_server


@dataclass(frozen=True, slots=True)
class Row:
    """Medians of the seconds from the process start to the first article list, and of the memory used."""

    articles: int
    seconds: float
    rss_mb: float


def run(plan: Plan) -> list[Row]:
    """Measure on the small and on the large blog; raises MeasurementError if the service fails."""
    return [_make_row(plan, blog) for blog in (plan.hot_blog(), plan.large_blog())]


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows as a table."""
    columns = ("Blog", "start to first list, s", "RSS when idle, MB")
    lines = [
        (f"{row.articles:,} articles", format_value(row.seconds), format_value(row.rss_mb)) for row in rows
    ]
    return [Table("Start", columns, lines)]


def _make_row(plan: Plan, blog: Blog) -> Row:
    plan.print_progress(f"start: {plan.starts} times with {blog.name}")
    starts = [measure_start(blog) for _ in range(plan.starts)]
    return Row(blog.articles, median(seconds for seconds, _ in starts), median(rss for _, rss in starts))


def measure_start(blog: Blog) -> tuple[float, float]:
    """Return the seconds until the first list, and the memory of the idle service in MB."""
    port = free_port()
    with run_server("start", make_serve_command(port), port, blog.folder, LIST_OF_20, blog.key) as server:
        return time.monotonic() - server.started_at, server.rss()
