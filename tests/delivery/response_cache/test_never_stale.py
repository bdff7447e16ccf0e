"""Every read shows all writes that were acknowledged before it began, including writes of other processes."""

from __future__ import annotations

import mmap
import re
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from blogapi.delivery.response_cache import commit_version
from blogapi.delivery.response_cache.commit_version import CommitVersion
from tests.conftest import ARTICLES
from tests.databases import SERVER_URL
from tests.delivery.feeds.conftest import site
from tests.delivery.response_cache.cached_blog import CachedBlog, add_cache, make_environ
from tests.live_server import serve
from tests.site.conftest import set_site

__all__ = ["set_site", "site"]

pytestmark = pytest.mark.slow

# On a database server, each read takes longer, because it needs a round trip over a socket.
READS = 10_000 if SERVER_URL else 100_000
HTTP_READS = 5_000
READERS = 4

# Without writes no read could be stale, so the readers continue until this number of writes has been made.
WRITES = 50

# A program that writes a new number into the title of an article and acknowledges each commit. It pauses
# after each write, so that the readers also get cached responses.
WRITER = """
import mmap, struct, sys, time
from uuid import UUID
from blogapi import create_app
from blogapi.content.articles import service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.accounts.users import queries as users
with create_app().app_context(), open(sys.argv[1], "r+b") as file:
    acknowledged = mmap.mmap(file.fileno(), 16)
    ada, article = users.find_user_by_name("ada").uuid, UUID(sys.argv[2])
    number = 0
    while not acknowledged[8]:
        number += 1
        service.change_article_in_transaction(ada, article, ArticleInput(texts={"title": f"Title {number}"}))
        acknowledged[:8] = struct.pack("<Q", number)
        time.sleep(0.005)
"""


@contextmanager
def run_writer_process(article: Any, folder: Path) -> Iterator[Callable[[], int]]:
    """Run the writer; yield a function that returns the last number it acknowledged."""
    path = folder / "acknowledged"
    path.write_bytes(bytes(16))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 16) as shared:
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(article.uuid)])

        def acknowledged() -> int:
            return int(struct.unpack("<Q", shared[:8])[0])

        try:
            while not acknowledged():
                assert process.poll() is None
                time.sleep(0.01)
            yield acknowledged
        finally:
            shared[8] = 1
            process.wait(30)
    assert process.returncode == 0


class Readers:
    """Threads that read one article, and the numbers of their stale and failed reads.

    A read is stale if it does not show a write that was acknowledged `staleness` seconds before it began.
    """

    staleness = 0.0

    def __init__(self, blog: CachedBlog, path: str, key: str) -> None:
        self.middleware = blog.middleware
        self.environ = make_environ(path, key, query="fields=title")
        self.reads = self.stale = self.failed = 0

    def run(self, acknowledged: Callable[[], int], reads: int, writes: int) -> None:
        """Read at least `reads` times in several threads, until at least `writes` writes were made."""
        arguments = (acknowledged, reads // READERS, writes)
        threads = [threading.Thread(target=self._read_all, args=arguments) for _ in range(READERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _read_all(self, acknowledged: Callable[[], int], reads: int, writes: int) -> None:
        """Read for at most a minute, and count the reads that do not show the last acknowledged write."""
        number, deadline = 0, time.monotonic() + 60
        seen: deque[tuple[float, int]] = deque()
        while (reads > 0 or number < writes) and time.monotonic() < deadline:
            reads -= 1
            seen.append((time.monotonic(), acknowledged()))
            while seen and seen[0][0] <= time.monotonic() - self.staleness:
                number = seen.popleft()[1]
            # Every second request has a time of arrival, as on a server. This lets readers share a commit
            # version.
            received = {commit_version.RECEIVED_KEY: time.monotonic()} if reads % 2 else {}
            shown = self._read(received)
            self.reads += 1
            self.failed += shown is None
            self.stale += shown is not None and shown < number

    def _read(self, received: dict[str, float]) -> int | None:
        status: list[str] = []
        chunks = self.middleware(self.environ | received, lambda line, *_: status.append(line))
        body = b"".join(chunks)
        getattr(chunks, "close", lambda: None)()
        return _find_number(body) if status == ["200 OK"] else None


class HttpReaders(Readers):
    """Readers that send their requests to a server, without a key if `key` is empty."""

    def __init__(self, port: int, path: str, key: str, *, staleness: float = 0.0) -> None:
        self.staleness = staleness
        self.reads = self.stale = self.failed = 0
        self._port, self._path, self._headers = port, path, {"X-API-KEY": key} if key else {}
        self._local, self._connections = threading.local(), list[HTTPConnection]()

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def _read(self, received: dict[str, float]) -> int | None:
        if not hasattr(self._local, "connection"):
            self._local.connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
            self._connections.append(self._local.connection)
        self._local.connection.request("GET", self._path, headers=self._headers)
        response = self._local.connection.getresponse()
        body = response.read()
        return _find_number(body) if response.status == 200 else None


def _find_number(body: bytes) -> int:
    found = re.search(rb"Title (\d+)", body)
    assert found is not None
    return int(found[1])


class FrozenVersion:
    """A commit version source that never reports a commit."""

    def get_version(self, since: float | None = None, **options: bool) -> CommitVersion:
        return CommitVersion(1, 1)


@pytest.fixture
def article(make_article):
    return make_article(title="Title 0", content="<p>Words.</p>")


@pytest.fixture
def make_readers(people, article):
    return lambda blog: Readers(blog, f"{ARTICLES}{article.uuid}/", people.key(None))


def test_no_read_is_stale_while_another_process_writes(article, cached_blog, make_readers, tmp_path):
    readers = make_readers(cached_blog)
    with run_writer_process(article, tmp_path) as acknowledged:
        readers.run(acknowledged, READS, WRITES)
        written = acknowledged()
    assert (readers.stale, readers.failed) == (0, 0)
    # The test is meaningful only with many writes and mostly cached responses.
    assert written >= WRITES
    assert len(cached_blog.application.paths) < readers.reads / 4


@pytest.mark.parametrize("staleness_ms", [0, 50])
def test_no_response_of_a_server_is_too_old_while_another_process_writes(
    make_app, people, site, article, tmp_path, staleness_ms
):
    """Requests with a key get no stale response in any case."""
    key = people.key(None)
    with serve(make_app(CACHE_STALENESS_MS=staleness_ms)) as port:
        all_readers = [
            HttpReaders(port, f"{ARTICLES}{article.uuid}/?fields=title", key),
            HttpReaders(port, "/feeds/feed.json", "", staleness=staleness_ms / 1000),
        ]
        with run_writer_process(article, tmp_path) as acknowledged:
            for readers in all_readers:
                with closing(readers):
                    readers.run(acknowledged, HTTP_READS, acknowledged() + WRITES)
    assert [(readers.stale, readers.failed) for readers in all_readers] == [(0, 0), (0, 0)]


def test_the_same_reads_detect_a_cache_that_is_never_invalidated(
    app, article, make_readers, tmp_path, monkeypatch
):
    readers = make_readers(add_cache(app, monkeypatch, source=FrozenVersion()))
    with run_writer_process(article, tmp_path) as acknowledged:
        readers.run(acknowledged, 2_000, WRITES)
    assert readers.stale > 10
