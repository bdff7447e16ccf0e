"""Hot reads of a small blog, beside bare waitress, a minimal Flask view and Django REST framework.

All servers run at once, and only the one that is asked has work: round by round each read is asked of each
server, so that whatever else the machine does meets all of them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks import answers, framework
from tests.benchmarks.answers import Answer
from tests.benchmarks.load import Load, press
from tests.benchmarks.plan import ARTICLES, CATEGORIES, LIST_OF_20, TAGS, Plan, Table, shown
from tests.benchmarks.servers import THREADS, Failed, Server, fetch, free_port, own, running

OWN, BARE, MINIMAL = "blogapi", "bare waitress", "minimal Flask"

# Answers of one round that are enough to judge by, and how much longer a round may take for them.
ENOUGH = 200
LONGER = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One read of one server, medians over the rounds; `ratio` is to bare waitress, round by round.

    `cpu_ms` is the server's CPU time for one request, `rss_mb` its memory (10^6 bytes) after the read.
    Where `problem` is not empty, the numbers are worth nothing.
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
        """Return what was measured."""
        return f"{self.server}, {self.read}"


@dataclass(frozen=True, slots=True)
class Sample:
    """What one read of one server gave in one round."""

    load: Load
    cpu_seconds: float
    rss_mb: float

    @property
    def rate(self) -> float:
        """Return the requests per second."""
        return self.load.requests / self.load.seconds


Command = Callable[[int], list[str]]
Samples = Mapping[tuple[str, str], Sequence[Sample]]


def run(plan: Plan) -> list[Row]:
    """Measure; raises Failed where a server does not run."""
    blog = plan.hot_blog()
    reads = _reads(blog.newest)
    with ExitStack() as stack:
        mine = _started(stack, plan, OWN, own)
        taken = _taken(mine, reads, blog.key)
        file = plan.home / "answers.json"
        answers.save(file, taken)
        bare = _started(stack, plan, BARE, lambda port: _ready_made("bare", file, port))
        minimal = _started(stack, plan, MINIMAL, lambda port: _ready_made("minimal", file, port))
        problems = _differences((bare, minimal), taken, blog.key)
        servers = [mine, minimal, bare]
        if plan.drf and (other := framework.started(stack, plan, taken)):
            servers.append(other)
            problems |= framework.differences(other, taken, blog.key)
        samples = _samples(plan, servers, reads)
    return [
        _row(read, server.name, len(taken[path].body), samples, problems.get((server.name, path), ""))
        for read, path in reads.items()
        for server in servers
    ]


def tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows ready to be shown."""
    columns = ("Read", "Server", "req/s", "of bare", "p50 ms", "p99 ms", "CPU ms", "RSS MB")
    return [Table("Hot reads", columns, [_line(row) for row in rows])]


def _line(row: Row) -> tuple[str, ...]:
    if row.problem:
        return (row.read, row.server, "invalid", *"-----")
    numbers = (row.requests_per_second, row.ratio, row.p50_ms, row.p99_ms, row.cpu_ms, row.rss_mb)
    return (row.read, row.server, *map(shown, numbers))


def _reads(newest: str) -> dict[str, str]:
    return {
        "one article": f"{ARTICLES}{newest}/",
        "list of 20": LIST_OF_20,
        "list of 100": ARTICLES,
        "tags": TAGS,
        "categories": CATEGORIES,
    }


def _started(stack: ExitStack, plan: Plan, name: str, command: Command) -> Server:
    blog, port = plan.hot_blog(), free_port()
    return stack.enter_context(running(name, command(port), port, blog.folder, ARTICLES, blog.key))


def _taken(server: Server, reads: Mapping[str, str], key: str) -> dict[str, Answer]:
    found = {path: fetch(server.port, path, {"X-API-KEY": key}) for path in reads.values()}
    for path, answer in found.items():
        if answer.status != 200:
            raise Failed(f"{path} is answered with {answer.status}")
    return found


def _ready_made(module: str, file: Path, port: int) -> list[str]:
    return [sys.executable, "-m", f"tests.benchmarks.{module}", str(file), str(port), str(THREADS)]


def _differences(
    servers: Sequence[Server], taken: Mapping[str, Answer], key: str
) -> dict[tuple[str, str], str]:
    """Return what keeps the comparison from being fair: answers that are not the very same."""
    found = {}
    for server in servers:
        for path, answer in taken.items():
            theirs = fetch(server.port, path, {"X-API-KEY": key})
            if (theirs.body, answers.own_headers(theirs)) != (answer.body, answers.own_headers(answer)):
                found[server.name, path] = "its answer is not the same"
    return found


def _samples(plan: Plan, servers: Sequence[Server], reads: Mapping[str, str]) -> Samples:
    plan.tell("hot: warming up")
    seconds = {
        (server.name, path): _seconds(plan, _sample(plan, server, path, 1))
        for path in reads.values()
        for server in servers
    }
    samples: dict[tuple[str, str], list[Sample]] = {}
    for number in range(plan.rounds):
        plan.tell(f"hot: round {number + 1} of {plan.rounds}")
        for read, path in reads.items():
            for server in servers:
                samples.setdefault((read, server.name), []).append(
                    _sample(plan, server, path, seconds[server.name, path])
                )
    return samples


def _seconds(plan: Plan, warm: Sample) -> int:
    """Return how long to ask in each round; longer where the few answers of a slow server would mislead."""
    wished = math.ceil(ENOUGH / max(warm.rate, 1))
    return max(plan.seconds, min(wished, LONGER * plan.seconds))


def _sample(plan: Plan, server: Server, path: str, seconds: int) -> Sample:
    before = server.cpu_seconds()
    load = press(server.port, path, plan.hot_blog().key, seconds, wrk=plan.wrk)
    spent = server.cpu_seconds() - before
    # What it has begun for clients who are gone now shall not slow the next server down.
    server.settle()
    return Sample(load, spent, server.rss())


def _row(read: str, server: str, size: int, samples: Samples, problem: str) -> Row:
    mine, bare = samples[read, server], samples[read, BARE]
    # Beside a bare server that failed, a ratio says nothing.
    loads = [sample.load for sample in (*mine, *bare)]
    broken = [load for load in loads if load.errors or not load.requests]
    if broken and not problem:
        problem = (
            f"{sum(load.errors for load in broken)} errors or failed answers, its own or those of {BARE}"
        )
    if problem:
        return Row(read, server, size, 0, 0, 0, 0, 0, 0, problem)
    return Row(
        read,
        server,
        size,
        requests_per_second=median(sample.rate for sample in mine),
        ratio=median(one.rate / other.rate for one, other in zip(mine, bare, strict=True)),
        p50_ms=median(sample.load.p50_ms for sample in mine),
        p99_ms=median(sample.load.p99_ms for sample in mine),
        cpu_ms=median(sample.cpu_seconds / sample.load.requests * 1000 for sample in mine),
        rss_mb=mine[-1].rss_mb,
        problem="",
    )
