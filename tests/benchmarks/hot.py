"""Measures hot reads of a small blog, compared with bare waitress, a minimal Flask view, nginx and DRF.

All servers run at the same time, but only one of them gets requests. In each round every server gets every
read, so that other load on the machine affects all servers. One more read of blogapi happens while a draft is
saved each second.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median

from tests.benchmarks import framework, nginx, recorded_responses
from tests.benchmarks.blogs import Blog
from tests.benchmarks.drafts import save_drafts
from tests.benchmarks.load import Load, generate_load
from tests.benchmarks.plan import ARTICLES, CATEGORIES, LIST_OF_20, TAGS, Plan, Table, format_value
from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.servers import (
    THREADS,
    Server,
    fetch,
    fetch_measured,
    free_port,
    make_serve_command,
    run_server,
)

BLOGAPI, BARE, MINIMAL = "blogapi", "bare waitress", "minimal Flask"
ONE_ARTICLE, WITH_DRAFTS = "one article", "one article, one draft saved per second"

# A round needs this number of responses to be reliable. A slow server gets up to MAX_EXTENSION
# times as many seconds.
MIN_REQUESTS = 200
MAX_EXTENSION = 4


@dataclass(frozen=True, slots=True)
class Row:
    """Medians over the rounds for one read of one server; `ratio` compares each round with bare waitress.

    `cpu_ms` is the server's CPU time for one request, and `rss_mb` is the memory of the server after the
    read, in units of 10^6 bytes. If `problem` is not empty, the numbers are invalid.
    """

    read: str
    server: str
    body_bytes: int
    requests_per_second: float
    ratio: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    rss_mb: float
    problem: str

    def __str__(self) -> str:
        """Return the name of the measurement."""
        return f"{self.server}, {self.read}"


@dataclass(frozen=True, slots=True)
class Sample:
    """The result of one read of one server in one round; `errors` counts drafts that were not saved."""

    load: Load
    cpu_seconds: float
    rss_mb: float
    errors: int = 0

    @property
    def rate(self) -> float:
        """Return the requests per second."""
        return self.load.requests / self.load.seconds


Command = Callable[[int], list[str]]
Samples = Mapping[tuple[str, str], Sequence[Sample]]


def run(plan: Plan) -> list[Row]:
    """Measure on SQLite; raises MeasurementError if a server does not run."""
    return measure(plan, plan.hot_blog(), compare=True)


def measure(plan: Plan, blog: Blog, *, compare: bool) -> list[Row]:
    """Measure blogapi with this blog and bare waitress; with `compare`, also the other servers."""
    reads = _make_reads(blog.newest)
    with ExitStack() as stack:
        own_server = _start_server(stack, blog, BLOGAPI, make_serve_command)
        responses = _record_responses(own_server, reads, blog.key)
        file = plan.home / "answers.json"
        recorded_responses.save(file, responses)
        replays = {BARE: "bare", MINIMAL: "minimal"} if compare else {BARE: "bare"}
        others = [
            _start_server(stack, blog, name, partial(_make_replay_command, module, file))
            for name, module in replays.items()
        ]
        problems = _find_differences(others, responses, blog.key)
        if compare and plan.drf and (drf := framework.start_server(stack, plan, responses, blog)):
            others.append(drf)
            problems |= framework.find_differences(drf, responses, blog.key)
        if compare and nginx.PROGRAM:
            folder = plan.home / "nginx"
            shutil.rmtree(folder, ignore_errors=True)
            # nginx sends the same bodies without the headers of the application.
            make_command = partial(nginx.make_command, folder, responses)
            others.append(_start_server(stack, blog, nginx.NGINX, make_command))
        samples = _take_samples(plan, blog, [own_server, *others], reads)
    paths = reads | {WITH_DRAFTS: reads[ONE_ARTICLE]}
    return [
        _make_row(
            read, name, len(responses[paths[read]].body), samples, problems.get((name, paths[read]), "")
        )
        for read, name in samples
    ]


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows as a table with a line for each read."""
    others = [name for name in dict.fromkeys(row.server for row in rows) if name != BLOGAPI]
    columns = ("Read", "blogapi, req/s", "of bare waitress", *(f"{name}, req/s" for name in others))
    columns += ("p50, ms", "p99, ms", "CPU, ms", *(f"{name}, CPU, ms" for name in others), "RSS, MB")
    found = {(row.read, row.server): row for row in rows}
    lines = [
        _make_line(row, [found.get((row.read, name)) for name in others])
        for row in rows
        if row.server == BLOGAPI
    ]
    return [Table("Hot reads", columns, lines)]


def _make_line(row: Row, others: Sequence[Row | None]) -> tuple[str, ...]:
    rates = ["-" if other is None else _format(other, other.requests_per_second) for other in others]
    first = (_format(row, row.requests_per_second), _format(row, row.ratio))
    cpu_times = ["-" if other is None else _format(other, other.cpu_ms) for other in others]
    own = [_format(row, value) for value in (row.p50_ms, row.p99_ms, row.cpu_ms)]
    return (row.read, *first, *rates, *own, *cpu_times, _format(row, row.rss_mb))


def _format(row: Row, value: float) -> str:
    return "invalid" if row.problem else format_value(value)


def _make_reads(newest: str) -> dict[str, str]:
    return {
        ONE_ARTICLE: f"{ARTICLES}{newest}/",
        "list of 20": LIST_OF_20,
        "list of 100": ARTICLES,
        "tags": TAGS,
        "categories": CATEGORIES,
    }


def _start_server(stack: ExitStack, blog: Blog, name: str, command: Command) -> Server:
    port = free_port()
    return stack.enter_context(run_server(name, command(port), port, blog.folder, ARTICLES, blog.key))


def _record_responses(server: Server, reads: Mapping[str, str], key: str) -> dict[str, Response]:
    return {path: fetch_measured(server.port, path, key) for path in reads.values()}


def _make_replay_command(module: str, file: Path, port: int) -> list[str]:
    return [sys.executable, "-m", f"tests.benchmarks.{module}", str(file), str(port), str(THREADS)]


def _find_differences(
    servers: Sequence[Server], responses: Mapping[str, Response], key: str
) -> dict[tuple[str, str], str]:
    """Return a problem for each response that differs, because the comparison would be unfair."""
    found = {}
    for server in servers:
        for path, answer in responses.items():
            other = fetch(server.port, path, {"X-API-KEY": key})
            if (other.body, recorded_responses.list_application_headers(other)) != (
                answer.body,
                recorded_responses.list_application_headers(answer),
            ):
                found[server.name, path] = "its response is different"
    return found


def _take_samples(plan: Plan, blog: Blog, servers: Sequence[Server], reads: Mapping[str, str]) -> Samples:
    plan.print_progress(f"hot: warming up, {blog.name}")
    seconds = {
        (server.name, path): _choose_seconds(
            plan, _take_sample(plan, blog, server, path, min(1, plan.seconds))
        )
        for path in reads.values()
        for server in servers
    }
    samples: dict[tuple[str, str], list[Sample]] = {}
    for number in range(plan.rounds):
        plan.print_progress(f"hot: round {number + 1} of {plan.rounds}")
        for read, path in reads.items():
            for server in servers:
                samples.setdefault((read, server.name), []).append(
                    _take_sample(plan, blog, server, path, seconds[server.name, path])
                )
            if read == ONE_ARTICLE:
                samples.setdefault((WITH_DRAFTS, BLOGAPI), []).append(
                    _take_sample_with_drafts(plan, blog, servers[0], path)
                )
    return samples


def _choose_seconds(plan: Plan, warm_up: Sample) -> float:
    """Return the seconds of load in each round. A slow server gets more seconds, to send enough responses."""
    needed = math.ceil(MIN_REQUESTS / max(warm_up.rate, 1))
    return max(plan.seconds, min(needed, MAX_EXTENSION * plan.seconds))


def _take_sample_with_drafts(plan: Plan, blog: Blog, server: Server, path: str) -> Sample:
    with save_drafts(server.port, blog) as saves:
        sample = _take_sample(plan, blog, server, path, plan.seconds)
    return replace(sample, errors=sum(status != 200 for status in saves) if saves else 1)


def _take_sample(plan: Plan, blog: Blog, server: Server, path: str, seconds: float) -> Sample:
    before = server.cpu_seconds()
    load = generate_load(server.port, path, blog.key, seconds, wrk=plan.wrk)
    cpu_seconds = server.cpu_seconds() - before
    # Requests that the server still works on must not slow down the next server.
    server.settle()
    return Sample(load, cpu_seconds, server.rss())


def _make_row(read: str, server: str, size: int, samples: Samples, problem: str) -> Row:
    own_samples, bare = samples[read, server], samples[ONE_ARTICLE if read == WITH_DRAFTS else read, BARE]
    # If the bare server failed, the ratio is meaningless.
    loads = [sample.load for sample in (*own_samples, *bare)]
    failed_loads = [load for load in loads if load.errors or not load.requests]
    if failed_loads and not problem:
        errors = sum(load.errors for load in failed_loads)
        problem = f"{errors} errors or failed responses, its own or those of {BARE}"
    elif any(sample.errors for sample in own_samples):
        problem = "a draft could not be saved"
    if problem:
        return Row(read, server, size, 0, 0, 0, 0, 0, 0, problem)
    return Row(
        read,
        server,
        size,
        requests_per_second=median(sample.rate for sample in own_samples),
        ratio=median(one.rate / other.rate for one, other in zip(own_samples, bare, strict=True)),
        p50_ms=median(sample.load.p50_ms for sample in own_samples),
        p99_ms=median(sample.load.p99_ms for sample in own_samples),
        cpu_ms=median(sample.cpu_seconds / sample.load.requests * 1000 for sample in own_samples),
        rss_mb=own_samples[-1].rss_mb,
        problem="",
    )
