"""Measures writes, compared with DRF, whose writes store no revision and index nothing.

The writes of each service are measured first inside a process, then over HTTP on one connection. Over HTTP,
the services take turns, so that other load on the machine affects both. Only blogapi has bulk writes and an
import.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from statistics import median
from typing import Any

from tests.benchmarks import framework
from tests.benchmarks.blogs import Blog, temporary_blog
from tests.benchmarks.databases import SQLITE
from tests.benchmarks.hot import BLOGAPI
from tests.benchmarks.in_process import run_program
from tests.benchmarks.plan import ARTICLES, HOT_BLOG, TAGS, Plan, Table, format_value
from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.servers import (
    HOST,
    TIMEOUT_SECONDS,
    MeasurementError,
    Server,
    fetch_measured,
    free_port,
    make_serve_command,
    pin_to_core,
    run_server,
)
from tests.benchmarks.write_requests import RequestMaker, write_markdown_files
from tests.benchmarks.wsgi_calls import Call, Request, find_problem

CREATE, CHANGE, BULK = "create an article of 4 kB", "change a title", "change 100 titles in one request"
WARM_UP = 5
# One bulk request takes as long as many requests for a single article.
WRITES_PER_BULK = 10

Requests = dict[str, list[Request]]


@dataclass(frozen=True, slots=True)
class Row:
    """The times in ms of one kind of write of one server.

    The fields whose names begin with `http_` are measured over HTTP; without a measurement, they are None.
    The other times are measured inside a process. In process, the times are medians, and the CPU time is that
    of the thread. Over HTTP, the CPU time of the whole server is divided by the number of writes, and the
    elapsed time is a median. `held_ms` is how long a write in process holds the write lock, on average. If
    `problem` is not empty, the numbers are invalid.
    """

    write: str
    server: str
    cpu_ms: float
    elapsed_ms: float
    http_cpu_ms: float | None
    http_elapsed_ms: float | None
    problem: str
    held_ms: float | None = None

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return f"{self.server}, {self.write}"


@dataclass(slots=True)
class Samples:
    """The results over HTTP of one kind of write of one server; `fields` describes the last response."""

    cpu_seconds: float = 0.0
    elapsed_ms: list[float] = field(default_factory=list)
    problems: set[str] = field(default_factory=set)
    fields: Any = None


def run(plan: Plan) -> list[Row]:
    """Measure on SQLite; raises MeasurementError if a service does not run."""
    return measure(plan, SQLITE, compare=plan.drf)


def measure(plan: Plan, engine: str, *, compare: bool) -> list[Row]:
    """Measure blogapi on this database and, with `compare`, DRF on SQLite."""
    kind = HOT_BLOG._replace(engine=engine)
    with temporary_blog(plan.home, kind, server=plan.postgresql) as blog:
        with ExitStack() as stack:
            servers = [stack.enter_context(_run_server(blog))]
            responses = {path: _fetch(servers[0], path, blog) for path in (ARTICLES, TAGS)}
            maker = RequestMaker(*(json.loads(response.body) for response in responses.values()))
            if compare and (other := framework.start_server(stack, plan, responses, blog)):
                servers.append(other)
            plan.print_progress(f"writes: in process, {blog.name}")
            calls, held_ms = _call_in_process(plan, blog, servers, maker)
            samples = _send_in_rounds(plan, blog, servers, maker)
        rows = [replace(_make_row(*key, calls[key], samples), held_ms=held_ms.get(key)) for key in samples]
        return [*rows, measure_import(plan, blog)]


def measure_import(plan: Plan, blog: Blog) -> Row:
    """Measure the import of Markdown files: the CPU time of all threads for each article."""
    folder = blog.folder / "posts"
    write_markdown_files(folder, plan.imports)
    plan.print_progress(f"writes: importing {plan.imports:,} files, {blog.name}")
    command = [sys.executable, "-m", "tests.benchmarks.import_process", str(folder)]
    found = run_program(command, blog.folder, {})
    problem = "" if found["created"] == plan.imports else f"only {found['created']} were created"
    cpu_ms, elapsed_ms = (found[name] / plan.imports * 1000 for name in ("cpu", "wall"))
    name = f"import {plan.imports:,} Markdown files, for each"
    return Row(name, BLOGAPI, cpu_ms, elapsed_ms, None, None, problem)


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows as a table with a line for each kind of write."""
    found = {(row.write, row.server): row for row in rows}
    with_drf = any(row.server == framework.SERVER_NAME for row in rows)
    columns = ["Write"]
    for name in ("CPU in process, ms", "CPU over HTTP, ms", "p50 over HTTP, ms"):
        columns += [name, framework.SERVER_NAME, "relative"] if with_drf else [name]
    columns.append("lock held, ms")
    lines = []
    for write in dict.fromkeys(row.write for row in rows):
        row, other = found[write, BLOGAPI], found.get((write, framework.SERVER_NAME))
        cells = [write]
        for name in ("cpu_ms", "http_cpu_ms", "http_elapsed_ms"):
            cells += _make_cells(row, other, name, with_drf=with_drf)
        cells.append(_format(row, row.held_ms))
        lines.append(tuple(cells))
    return [Table("Writes", tuple(columns), lines)]


def _make_cells(row: Row, other: Row | None, name: str, *, with_drf: bool) -> list[str]:
    value = getattr(row, name)
    other_value = getattr(other, name) if other else None
    cells = [_format(row, value)]
    if with_drf:
        both = other is not None and value is not None and not row.problem and not other.problem
        ratio = format_value(value / other_value) if both and other_value else "-"
        cells += [_format(other, other_value) if other else "-", ratio]
    return cells


def _format(row: Row, value: float | None) -> str:
    if row.problem:
        return "invalid"
    return "-" if value is None else format_value(value)


def _fetch(server: Server, path: str, blog: Blog) -> Response:
    return fetch_measured(server.port, path, blog.key)


def _run_server(blog: Blog) -> AbstractContextManager[Server]:
    port = free_port()
    return run_server(BLOGAPI, make_serve_command(port), port, blog.folder, ARTICLES, blog.key)


def _make_requests(maker: RequestMaker, count: int, *, bulk: int) -> Requests:
    return {
        CREATE: maker.make_creates(count),
        CHANGE: maker.make_title_changes(count),
        BULK: maker.make_bulk_changes(bulk),
    }


def _count_bulk(writes: int) -> int:
    return max(1, writes // WRITES_PER_BULK)


def _call_in_process(
    plan: Plan, blog: Blog, servers: Sequence[Server], maker: RequestMaker
) -> tuple[dict[tuple[str, str], list[Call]], dict[tuple[str, str], float]]:
    """Return the calls after the warm-up, and how long they hold the write lock, in ms.

    Both are by kind of write and name of the server.
    """
    requests = _make_requests(maker, WARM_UP + plan.writes, bulk=WARM_UP + _count_bulk(plan.writes))
    calls: dict[tuple[str, str], list[Call]] = {}
    held_ms: dict[tuple[str, str], float] = {}
    for server in servers:
        task = {"key": blog.admin_key, "requests": _select_known(server, requests)}
        if server.name == BLOGAPI:
            program = [sys.executable, "-m", "tests.benchmarks.write_process"]
            result = run_program(program, blog.folder, task)
            found = result["calls"]
            held_ms |= {(write, server.name): value for write, value in result["held_ms"].items()}
        else:
            found = framework.measure_writes(plan, task)
        for write, same in found.items():
            calls[write, server.name] = [Call(*one) for one in same[WARM_UP:]]
    return calls, held_ms


def _select_known(server: Server, requests: Requests) -> Requests:
    """Return the requests that the server supports."""
    return requests if server.name == BLOGAPI else {name: requests[name] for name in (CREATE, CHANGE)}


def _send_in_rounds(
    plan: Plan, blog: Blog, servers: Sequence[Server], maker: RequestMaker
) -> dict[tuple[str, str], Samples]:
    """Return the results over HTTP by kind of write and name of the server."""
    count = max(1, plan.writes // plan.rounds)
    warm_up = _make_requests(maker, WARM_UP, bulk=1)
    rounds = [_make_requests(maker, count, bulk=_count_bulk(count)) for _ in range(plan.rounds)]
    samples: dict[tuple[str, str], Samples] = {}
    for number, requests in enumerate([warm_up, *rounds]):
        plan.print_progress(f"writes: round {number} of {plan.rounds}" if number else "writes: warming up")
        for write in requests:
            for server in servers:
                if write in _select_known(server, requests):
                    sample = samples.setdefault((write, server.name), Samples())
                    _send(server, requests[write], blog.admin_key, Samples() if number == 0 else sample)
    return samples


def _send(server: Server, requests: Sequence[Request], key: str, sample: Samples) -> None:
    """Send the requests one after the other on one connection, and add the results to the sample."""
    headers = {"X-API-KEY": key, "Content-Type": "application/json"}
    bodies = [json.dumps(body) for _, _, body in requests]
    connection = HTTPConnection(HOST, server.port, timeout=TIMEOUT_SECONDS)
    cpu_seconds = server.cpu_seconds()
    try:
        with pin_to_core("client"):
            for (method, path, _), body in zip(requests, bodies, strict=True):
                started_at = time.perf_counter()
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                text = response.read()
                sample.elapsed_ms.append((time.perf_counter() - started_at) * 1000)
                sample.problems.add(find_problem(method, response.status, text))
    except (OSError, HTTPException) as error:
        raise MeasurementError(f"{server.name} did not answer a write ({error!r})") from error
    finally:
        connection.close()
    server.settle()
    sample.cpu_seconds += server.cpu_seconds() - cpu_seconds
    sample.fields = _list_fields(json.loads(text))


def _list_fields(value: Any) -> Any:
    """Return the JSON value with each text and number replaced by the name of its type."""
    if isinstance(value, dict):
        return {name: _list_fields(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_list_fields(part) for part in value]
    return type(value).__name__


def _make_row(
    write: str, server: str, calls: Sequence[Call], samples: Mapping[tuple[str, str], Samples]
) -> Row:
    sample = samples[write, server]
    problem = ", ".join(sorted(filter(None, sample.problems | {call.problem for call in calls})))
    if not problem and sample.fields != samples[write, BLOGAPI].fields:
        problem = "its response has other fields"
    return Row(
        write,
        server,
        cpu_ms=median(call.cpu_ms for call in calls),
        elapsed_ms=median(call.wall_ms for call in calls),
        http_cpu_ms=sample.cpu_seconds / len(sample.elapsed_ms) * 1000,
        http_elapsed_ms=median(sample.elapsed_ms),
        problem=problem,
    )
