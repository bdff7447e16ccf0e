"""Measures a blog of 100 MB: the complete list with other reads at the same time, pages and searches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException
from urllib.parse import quote

from tests.benchmarks import in_process, searches
from tests.benchmarks.background import read_at_rate, record_memory
from tests.benchmarks.blogs import Blog
from tests.benchmarks.load import Load
from tests.benchmarks.plan import ARTICLES, LIST_OF_20, Plan, Table, format_value
from tests.benchmarks.prose import make_searches
from tests.benchmarks.servers import (
    HOST,
    MEGABYTE,
    MeasurementError,
    Server,
    free_port,
    make_serve_command,
    pin_to_core,
    run_server,
)

SAMPLE_SECONDS = 0.05
BASELINE_SECONDS = 3
READ_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of the large blog; `problem` is the reason for a missing value."""

    measure: str
    value: float
    unit: str
    problem: str = ""

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return self.measure


def run(plan: Plan) -> list[Row | searches.Row]:
    """Measure over HTTP, then inside a process. Raises MeasurementError if one of the measurements fails."""
    blog, port = plan.large_blog(), free_port()
    single = f"{ARTICLES}{blog.newest}/"
    plan.print_progress(f"large: the whole list of {blog.name}")
    with run_server("large", make_serve_command(port), port, blog.folder, single, blog.key) as server:
        rows = _measure_whole_list(server, single, blog.key)
    plan.print_progress("large: pages and searches, cold")
    return [*rows, *_measure_pages(plan, blog), *_measure_searches(plan, blog), *searches.run(plan)]


def make_tables(rows: Sequence[Row | searches.Row]) -> list[Table]:
    """Return a table of the rows, followed by the tables of the searches."""
    lines = [
        (row.measure, "invalid" if row.problem else f"{format_value(row.value)} {row.unit}".strip())
        for row in rows
        if isinstance(row, Row)
    ]
    found = [row for row in rows if isinstance(row, searches.Row)]
    return [Table("A large blog", ("Measure", "value"), lines), *searches.make_tables(found)]


def _measure_whole_list(server: Server, single: str, key: str) -> list[Row]:
    with read_at_rate(server.port, single, key) as alone:
        time.sleep(BASELINE_SECONDS)
    idle = server.rss()
    with (
        read_at_rate(server.port, single, key) as meanwhile,
        record_memory(server.rss, SAMPLE_SECONDS) as peaks,
        pin_to_core("client"),
    ):
        started = time.monotonic()
        count, first, seconds = _read_whole_list(server.port, ARTICLES, key)
        # A short list is read again, so that single articles are read meanwhile.
        while time.monotonic() - started < BASELINE_SECONDS:
            _read_whole_list(server.port, ARTICLES, key)
    return [
        Row("memory when idle", idle, "MB"),
        Row("whole list: memory above idle at its peak", max(peaks) - idle, "MB"),
        Row("whole list: received", count / MEGABYTE, "MB"),
        Row("whole list: until the first byte", first, "s"),
        Row("whole list: in all", seconds, "s"),
        *_make_latency_rows("alone", alone[0]),
        *_make_latency_rows("meanwhile", meanwhile[0]),
    ]


def _make_latency_rows(when: str, load: Load) -> list[Row]:
    problem = f"{load.errors} errors, {load.requests} responses" if load.errors or not load.requests else ""
    return [
        Row(f"single articles {when}: p50 of {load.requests}", load.p50_ms, "ms", problem),
        Row(f"single articles {when}: p99", load.p99_ms, "ms", problem),
    ]


def _read_whole_list(port: int, path: str, key: str) -> tuple[int, float, float]:
    """Return the size of the response in bytes, and the seconds until its first and its last byte."""
    started_at = time.perf_counter()
    connection = HTTPConnection(HOST, port, timeout=300)
    try:
        connection.request("GET", path, headers={"X-API-KEY": key})
        response = connection.getresponse()
        first = time.perf_counter() - started_at
        count = sum(len(chunk) for chunk in iter(lambda: response.read(READ_BYTES), b""))
    except (OSError, HTTPException) as error:
        raise MeasurementError(f"the whole list did not arrive ({error!r})") from error
    finally:
        connection.close()
    if response.status != 200 or count <= len(b"[]"):
        raise MeasurementError(f"the request for the whole list returned {response.status}, {count} bytes")
    return count, first, time.perf_counter() - started_at


def _measure_pages(plan: Plan, blog: Blog) -> list[Row]:
    last = max(1, blog.articles // 20)
    names = ("page 1 of 20, cold", f"page {last:,} of 20, cold")
    paths = dict(zip(names, (LIST_OF_20, f"{ARTICLES}?page={last}&page_size=20"), strict=True))
    results = in_process.measure_reads(blog, paths, plan.samples)
    first, second = (results[name] for name in names)
    problem = first.problem or second.problem
    rows = []
    for what, one, other in (
        ("through WSGI", first.wsgi_ms, second.wsgi_ms),
        ("the view alone", first.view_ms, second.view_ms),
    ):
        rows += [Row(f"{name}: {what}", ms, "ms CPU") for name, ms in zip(names, (one, other), strict=True)]
        rows.append(Row(f"page {last:,} to page 1: {what}", 0.0 if problem else other / one, "times"))
    return [replace(row, problem=problem) for row in rows]


def _measure_searches(plan: Plan, blog: Blog) -> list[Row]:
    paths = {
        f"search for {what}: page of 20, cold": f"{LIST_OF_20}&q={quote(words)}"
        for what, words in make_searches().items()
    }
    results = in_process.measure_reads(blog, paths, plan.samples)
    return [Row(name, cold.wsgi_ms, "ms CPU", cold.problem) for name, cold in results.items()]
