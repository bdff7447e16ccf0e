"""Measures the CPU time of the first read after a write on small and large blogs, without HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks import in_process
from tests.benchmarks.blogs import Blog
from tests.benchmarks.in_process import ColdRead
from tests.benchmarks.plan import ARTICLES, LIST_OF_20, LIST_OF_100, Plan, Table, format_value


@dataclass(frozen=True, slots=True)
class Row:
    """Median times of a read through WSGI, of the view alone, and of the write before the read.

    All of them are CPU times, except `elapsed_ms`, the elapsed time of the read through WSGI. If `problem` is
    not empty, the numbers are invalid.
    """

    read: str
    articles: int
    wsgi_ms: float
    elapsed_ms: float
    view_ms: float
    write_ms: float
    problem: str

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return f"{self.read} of {self.articles:,} articles"


def run(plan: Plan) -> list[Row]:
    """Measure on SQLite; raises MeasurementError if the measuring process fails."""
    return measure(plan, plan.cold_blogs())


def measure(plan: Plan, blogs: Sequence[Blog]) -> list[Row]:
    """Measure one blog after the other."""
    rows = []
    for blog in blogs:
        plan.print_progress(f"cold: {blog.name}, {plan.samples} samples of each read")
        reads = {
            "one article": f"{ARTICLES}{blog.newest}/",
            "list of 20": LIST_OF_20,
            "list of 100": LIST_OF_100,
        }
        found = in_process.measure_reads(blog, reads, plan.samples)
        rows += [_make_row(read, blog.articles, cold) for read, cold in found.items()]
    return rows


def make_tables(rows: Sequence[Row], *, elapsed: bool = False) -> list[Table]:
    """Return the rows as a table with a column for each size and one for the growth of the cost.

    With `elapsed`, the table has elapsed times in addition to the CPU times.
    """
    sizes = sorted({row.articles for row in rows})
    found = {(row.read, row.articles): row for row in rows}
    columns = ("CPU", *(f"at {size:,} articles, ms" for size in sizes), "growth")
    lines = []
    for read in dict.fromkeys(row.read for row in rows):
        same = [found[read, size] for size in sizes]
        lines.append(_make_line(f"{read}, through WSGI", [(row.wsgi_ms, row.problem) for row in same]))
        lines.append(_make_line(f"{read}, the view alone", [(row.view_ms, row.problem) for row in same]))
        if elapsed:
            cells = [(row.elapsed_ms, row.problem) for row in same]
            lines.append(_make_line(f"{read}, through WSGI, elapsed time", cells))
    last = [found[rows[-1].read, size] for size in sizes]
    lines.append(_make_line("the write: a tag renamed", [(row.write_ms, row.problem) for row in last]))
    return [Table("First reads after a write, by the number of articles", columns, lines)]


def _make_line(name: str, cells: Sequence[tuple[float, str]]) -> tuple[str, ...]:
    if any(problem for _, problem in cells):
        return (name, *("invalid" if problem else format_value(ms) for ms, problem in cells), "-")
    return (name, *(format_value(ms) for ms, _ in cells), format_value(cells[-1][0] / cells[0][0]))


def _make_row(read: str, articles: int, cold: ColdRead) -> Row:
    times = cold.wsgi_ms, cold.elapsed_ms, cold.view_ms, cold.write_ms
    return Row(read, articles, *times, cold.problem)
