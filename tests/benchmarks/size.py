"""Measures how the cost of requests and commands, the disk space and the memory grow with the blog."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks import start
from tests.benchmarks.blogs import Blog
from tests.benchmarks.commands import measure_command
from tests.benchmarks.databases import POSTGRESQL, SQLITE
from tests.benchmarks.in_process import run_program
from tests.benchmarks.plan import Plan, Table, format_value

# A sample is the first read after a write. The best of the samples is the one with the least other load.
MAX_SAMPLES = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement of one blog, with its unit; invalid if `problem` is not empty.

    Times are CPU times on SQLite. On PostgreSQL they are elapsed times, because they include the server's.
    """

    measure: str
    engine: str
    articles: int
    value: float
    unit: str
    problem: str = ""

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return f"{self.measure}, {self.articles:,} articles, {self.engine}"


def run(plan: Plan) -> list[Row]:
    """Measure each database; raises MeasurementError if a measuring process fails."""
    rows = []
    for engine in plan.size_engines:
        for blog in plan.size_blogs(engine):
            plan.print_progress(f"size: requests, {blog.name}")
            rows += _measure_requests(plan, blog)
            plan.print_progress(f"size: disk, start and commands, {blog.name}")
            rows.append(
                Row("disk space per article", engine, blog.articles, blog.bytes / 1000 / blog.articles, "kB")
            )
            rows += _measure_start(blog)
            rows += _measure_commands(blog)
    return rows


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return a table for each database, with a column for each size and one for the growth."""
    return [
        _make_table(engine, [row for row in rows if row.engine == engine])
        for engine in dict.fromkeys(row.engine for row in rows)
    ]


def _make_table(engine: str, rows: Sequence[Row]) -> Table:
    sizes = sorted({row.articles for row in rows})
    by_measure: dict[str, dict[int, Row]] = {}
    for row in rows:
        by_measure.setdefault(f"{row.measure}, {row.unit}", {})[row.articles] = row
    lines = [
        (
            measure,
            *("invalid" if row.problem else format_value(row.value) for row in by_size.values()),
            _format_growth(by_size),
        )
        for measure, by_size in by_measure.items()
    ]
    columns = ("Measure", *(f"{size:,} articles" for size in sizes), "growth")
    time = "CPU time" if engine == SQLITE else "elapsed time"
    return Table(f"Size, {engine}, {time}", columns, lines)


def _format_growth(by_size: Mapping[int, Row]) -> str:
    smallest, largest = by_size[min(by_size)], by_size[max(by_size)]
    if smallest.problem or largest.problem or not smallest.value:
        return "-"
    return format_value(largest.value / smallest.value)


def _measure_requests(plan: Plan, blog: Blog) -> list[Row]:
    task = {
        "key": blog.admin_key,
        "newest": blog.newest,
        "tag": blog.tag,
        "articles": blog.articles,
        "samples": min(plan.samples, MAX_SAMPLES),
        "clock": "cpu" if blog.engine == SQLITE else "elapsed",
    }
    found = run_program([sys.executable, "-m", "tests.benchmarks.size_requests"], blog.folder, task)
    return [Row(name, blog.engine, blog.articles, ms, "ms", problem) for name, (ms, problem) in found.items()]


def _measure_start(blog: Blog) -> list[Row]:
    seconds, rss = start.measure_start(blog)
    return [
        Row("start to first list", blog.engine, blog.articles, seconds, "s"),
        Row("memory when idle", blog.engine, blog.articles, rss, "MB"),
    ]


def _measure_commands(blog: Blog) -> Iterator[Row]:
    """Yield the CPU time and the memory of commands, without those of PostgreSQL's processes."""
    with tempfile.TemporaryDirectory(dir=blog.folder) as folder:
        commands = {"doctor": ["doctor"], "backup": ["backup", f"{folder}/backup.zip"]}
        if blog.engine == POSTGRESQL:
            # The backup tool of the server makes its backups.
            del commands["backup"]
        for name, arguments in commands.items():
            cost = measure_command(blog.folder, *arguments)
            yield Row(name, blog.engine, blog.articles, cost.cpu_seconds, "s CPU")
            yield Row(f"{name}, elapsed time", blog.engine, blog.articles, cost.seconds, "s")
            yield Row(f"{name}, memory at its peak", blog.engine, blog.articles, cost.peak_mb, "MB")
