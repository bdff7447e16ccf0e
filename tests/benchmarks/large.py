"""A blog of 100 MB: read in whole while others read single articles, its last page, its search."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from urllib.parse import quote

from tests.benchmarks import inside
from tests.benchmarks.blogs import Blog
from tests.benchmarks.load import Load
from tests.benchmarks.plan import ARTICLES, LIST_OF_20, Plan, Table, shown
from tests.benchmarks.servers import (
    HOST,
    MEGABYTE,
    ROOT,
    Failed,
    Server,
    end,
    free_port,
    in_folder,
    own,
    pinned,
    running,
)
from tests.benchmarks.words import searches

SAMPLE_SECONDS = 0.05
RATE = 20
ALONE_SECONDS = 3
PIECE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of the large blog; `problem` says why there is no value."""

    measure: str
    value: float
    unit: str
    problem: str = ""

    def __str__(self) -> str:
        """Return what was measured."""
        return self.measure


def run(plan: Plan) -> list[Row]:
    """Measure over HTTP, then inside a process; raises Failed where one of them breaks."""
    blog, port = plan.large_blog(), free_port()
    single = f"{ARTICLES}{blog.newest}/"
    plan.tell(f"large: the whole list of {blog.name}")
    with running("large", own(port), port, blog.folder, single, blog.key) as server:
        rows = _whole(server, single, blog.key)
    plan.tell("large: pages and searches, cold")
    return rows + _pages(plan, blog) + _searches(plan, blog)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Return the rows ready to be shown."""
    lines = [
        (row.measure, "invalid" if row.problem else f"{shown(row.value)} {row.unit}".strip()) for row in rows
    ]
    return [Table("A large blog", ("Measure", "value"), lines)]


def _whole(server: Server, single: str, key: str) -> list[Row]:
    with _paced(server.port, single, key) as alone:
        time.sleep(ALONE_SECONDS)
    idle = server.rss()
    with _paced(server.port, single, key) as meanwhile, _highest_rss(server) as peaks, pinned("client"):
        count, first, seconds = _read_whole(server.port, ARTICLES, key)
    return [
        Row("memory when idle", idle, "MB"),
        Row("whole list: memory above idle at its peak", max(peaks) - idle, "MB"),
        Row("whole list: received", count / MEGABYTE, "MB"),
        Row("whole list: until the first byte", first, "s"),
        Row("whole list: in all", seconds, "s"),
        *_latencies("alone", alone[0]),
        *_latencies("meanwhile", meanwhile[0]),
    ]


def _latencies(when: str, load: Load) -> list[Row]:
    problem = f"{load.errors} errors, {load.requests} answers" if load.errors or not load.requests else ""
    return [
        Row(f"single articles {when}: p50 of {load.requests}", load.p50_ms, "ms", problem),
        Row(f"single articles {when}: p99", load.p99_ms, "ms", problem),
    ]


@contextmanager
def _paced(port: int, path: str, key: str) -> Iterator[list[Load]]:
    """Let another process read the path RATE times a second; at the end its result is in the list."""
    command = [sys.executable, "-m", "tests.benchmarks.client", "pace", str(port), path, key, str(RATE)]
    with pinned("client"):
        child = subprocess.Popen(
            command, cwd=ROOT, env=in_folder(ROOT), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    found: list[Load] = []
    try:
        yield found
        said, _ = child.communicate(timeout=60)
    finally:
        if child.poll() is None:
            end(child)
    if child.returncode:
        raise Failed("the reader of single articles broke")
    found.append(Load(**json.loads(said)))


@contextmanager
def _highest_rss(server: Server) -> Iterator[list[float]]:
    """Gather the server's memory (MB) every SAMPLE_SECONDS."""
    found, over = [server.rss()], threading.Event()

    def watch() -> None:
        while not over.wait(SAMPLE_SECONDS):
            found.append(server.rss())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def _read_whole(port: int, path: str, key: str) -> tuple[int, float, float]:
    """Return the bytes of the answer, and the seconds to its first and to its last; raises Failed."""
    begun = time.perf_counter()
    connection = HTTPConnection(HOST, port, timeout=300)
    try:
        connection.request("GET", path, headers={"X-API-KEY": key})
        response = connection.getresponse()
        first = time.perf_counter() - begun
        count = sum(len(piece) for piece in iter(lambda: response.read(PIECE), b""))
    except (OSError, HTTPException) as error:
        raise Failed(f"the whole list did not arrive ({error!r})") from error
    finally:
        connection.close()
    if response.status != 200:
        raise Failed(f"the whole list was answered with {response.status}")
    return count, first, time.perf_counter() - begun


def _pages(plan: Plan, blog: Blog) -> list[Row]:
    last = max(1, blog.articles // 20)
    names = ("page 1 of 20, cold", f"page {last:,} of 20, cold")
    paths = dict(zip(names, (LIST_OF_20, f"{ARTICLES}?page={last}&page_size=20"), strict=True))
    found = inside.measured(blog, paths, plan.samples)
    first, second = (found[name] for name in names)
    return [
        *(Row(f"{name}: through WSGI", found[name].wsgi_ms, "ms CPU") for name in names),
        Row(f"page {last:,} to page 1: through WSGI", second.wsgi_ms / first.wsgi_ms, "times"),
        *(Row(f"{name}: the view alone", found[name].alone_ms, "ms CPU") for name in names),
        Row(f"page {last:,} to page 1: the view alone", second.alone_ms / first.alone_ms, "times"),
    ]


def _searches(plan: Plan, blog: Blog) -> list[Row]:
    paths = {
        f"search for {what}: page of 20, cold": f"{LIST_OF_20}&q={quote(words)}"
        for what, words in searches().items()
    }
    found = inside.measured(blog, paths, plan.samples)
    if all(cold.status == 400 for cold in found.values()):
        plan.note("large: search is left out: the service does not know `q` (400)")
        return []
    return [
        Row(name, cold.wsgi_ms, "ms CPU", "" if cold.status == 200 else f"answered {cold.status}")
        for name, cold in found.items()
    ]
