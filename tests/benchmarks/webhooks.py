"""Measures webhooks: the time from a change to its call, and what ten webhooks cost a write.

Each webhook is told each change. The writes are paced, as those of people are: a writer who sends the next
request at once leaves no time for the calls, which then follow later.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from statistics import median
from typing import Any

from tests.benchmarks.blogs import Blog, temporary_blog
from tests.benchmarks.databases import CONFIG_FILE
from tests.benchmarks.hot import BLOGAPI
from tests.benchmarks.in_process import run_program
from tests.benchmarks.plan import ARTICLES, HOT_BLOG, Plan, Table, format_value
from tests.benchmarks.servers import HOST, TIMEOUT_SECONDS, Server, free_port, make_serve_command, run_server
from tests.delivery.webhooks.receiver import Call, Receiver, receive

WEBHOOKS = 10
PAUSE_SECONDS = 0.5
# A scheduled article is due after this time.
SCHEDULE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Row:
    """A measure: its name, the value, and its unit."""

    name: str
    value: float
    unit: str


def run(plan: Plan) -> list[Row]:
    """Measure on SQLite; raises MeasurementError if the service does not run."""
    with (
        temporary_blog(plan.home, HOT_BLOG, server=plan.postgresql) as blog,
        _allow_loopback(blog),
        receive() as receiver,
    ):
        plan.print_progress("webhooks: writes without a webhook")
        with _serve(blog) as server:
            before = _write(server, blog, max(1, plan.writes // 4))
        _add_webhooks(blog, receiver, 1)
        plan.print_progress("webhooks: times of calls")
        with _serve(blog) as server:
            told = [_measure_publication(server, blog, receiver) for _ in range(plan.samples)]
            due = [_measure_schedule(server, blog, receiver) for _ in range(plan.starts)]
        _add_webhooks(blog, receiver, WEBHOOKS - 1)
        plan.print_progress(f"webhooks: writes with {WEBHOOKS} webhooks")
        with _serve(blog) as server:
            after = _write(server, blog, max(1, plan.writes // 4))
    return [
        Row("from a publication to its call, median", median(told), "s"),
        Row("from a publication to its call, longest", max(told), "s"),
        Row("from the time of a scheduled article to its call, longest", max(due), "s"),
        Row("a paced write, p50, without a webhook", before.elapsed_ms, "ms"),
        Row(f"a paced write, p50, with {WEBHOOKS} webhooks", after.elapsed_ms, "ms"),
        Row("the same, relative", after.elapsed_ms / before.elapsed_ms, "times"),
        Row("CPU of the server for each call", (after.cpu_ms - before.cpu_ms) / WEBHOOKS, "ms"),
    ]


def make_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows as a table."""
    lines = [(row.name, f"{format_value(row.value)} {row.unit}") for row in rows]
    return [Table("Webhooks", ("Measure", "value"), lines)]


@dataclass(frozen=True, slots=True)
class Writes:
    """The median of the elapsed times of writes, and the CPU time of the server for each write, in ms."""

    elapsed_ms: float
    cpu_ms: float


@contextmanager
def _allow_loopback(blog: Blog) -> Iterator[None]:
    """Let the webhooks of the blog call servers on this machine during the block."""
    file = blog.folder / CONFIG_FILE
    file.write_text('WEBHOOK_HOSTS = ["127.0.0.1"]\n', encoding="utf-8")
    try:
        yield
    finally:
        file.unlink()


@contextmanager
def _serve(blog: Blog) -> Iterator[Server]:
    port = free_port()
    with run_server(BLOGAPI, make_serve_command(port), port, blog.folder, ARTICLES, blog.key) as server:
        yield server


def _add_webhooks(blog: Blog, receiver: Receiver, count: int) -> None:
    task = [{"name": f"hook {number}", "url": receiver.url} for number in range(count)]
    run_program([sys.executable, "-m", "tests.benchmarks.add_webhooks"], blog.folder, task)


def _write(server: Server, blog: Blog, count: int) -> Writes:
    """Change the title of an article again and again, with a pause after each change."""
    elapsed = []
    cpu_seconds = server.cpu_seconds()
    for number in range(count):
        started_at = time.perf_counter()
        _send(server, blog, "PATCH", f"{ARTICLES}{blog.newest}/", {"title": f"Title {time.time()} {number}"})
        elapsed.append((time.perf_counter() - started_at) * 1000)
        time.sleep(PAUSE_SECONDS)
    server.settle()
    return Writes(median(elapsed), (server.cpu_seconds() - cpu_seconds) / count * 1000)


def _measure_publication(server: Server, blog: Blog, receiver: Receiver) -> float:
    """Return the seconds from the response to a publication to the call."""

    def publish() -> tuple[str, float]:
        return _create(server, blog, {"status": "published"}), time.time()

    return _measure(receiver, publish)


def _measure_schedule(server: Server, blog: Blog, receiver: Receiver) -> float:
    """Return the seconds from the time of a scheduled article to the call."""

    def schedule() -> tuple[str, float]:
        due = datetime.now(UTC) + timedelta(seconds=SCHEDULE_SECONDS)
        fields = {"status": "published", "published_at": due.isoformat()}
        return _create(server, blog, fields), due.timestamp()

    return _measure(receiver, schedule)


def _measure(receiver: Receiver, act: Callable[[], tuple[str, float]]) -> float:
    """Return the seconds until the call that reports the article; `act` returns its uuid and the start."""
    times: dict[str, float] = {}

    def note(call: Call) -> None:
        times.setdefault(call.json["data"].get("uuid", ""), time.time())

    receiver.check = note
    article, since = act()
    receiver.wait_until(lambda calls: article in times)
    return times[article] - since


def _create(server: Server, blog: Blog, fields: dict[str, Any]) -> str:
    article = {"title": f"Told {time.time()}", "content": "Words", "content_type": "markdown"}
    return str(_send(server, blog, "POST", ARTICLES, article | fields)["uuid"])


def _send(server: Server, blog: Blog, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    connection = HTTPConnection(HOST, server.port, timeout=TIMEOUT_SECONDS)
    try:
        headers = {"X-API-KEY": blog.admin_key, "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        assert response.status in (200, 201), content
        created: dict[str, Any] = json.loads(content)
        return created
    finally:
        connection.close()
