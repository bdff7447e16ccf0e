"""Measures how the cost of reads and writes, the disk space and the doctor grow with the blog."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks import databases
from tests.benchmarks.blogs import Blog
from tests.benchmarks.databases import POSTGRESQL, SQLITE
from tests.benchmarks.in_process import run_program
from tests.benchmarks.plan import Plan, Table, format_value
from tests.benchmarks.servers import ROOT, MeasurementError, make_environment

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
            plan.print_progress(f"size: disk and doctor, {blog.name}")
            rows.append(Row("disk space per article", engine, blog.articles, _get_size(blog), "kB"))
            rows.append(Row("doctor", engine, blog.articles, _measure_doctor(blog), "s"))
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
    return [
        Row(name, blog.engine, blog.articles, ms, "ms", "" if status < 300 else f"answered {status}")
        for name, (ms, status) in found.items()
    ]


def _get_size(blog: Blog) -> float:
    """Return the disk space of the database in kB per article."""
    if blog.engine == POSTGRESQL:
        size = databases.get_size(blog.folder)
    else:
        size = sum(file.stat().st_size for file in blog.folder.glob("blog.db*"))
    return size / 1000 / blog.articles


def _measure_doctor(blog: Blog) -> float:
    """Return the CPU time of the command `doctor` in seconds, without that of PostgreSQL's processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "blogapi", "doctor"]
    completed = subprocess.run(command, cwd=ROOT, env=make_environment(blog.folder), capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if completed.returncode not in {0, 1}:
        reason = completed.stderr.decode("utf-8", "replace").strip()[-300:]
        raise MeasurementError(f"the doctor failed: {reason}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
