"""A read that begins after a write was acknowledged never shows the state before it, whoever wrote."""

from __future__ import annotations

import json
import mmap
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from blogapi.storage import commit_version
from tests.engines import SERVER

# A server is asked over a socket before each read.
READS = 10_000 if SERVER else 100_000
READERS = 4

# However busy the machine is: without writes meanwhile, no read could be stale.
WRITES = 50

# Another process counts an article's title up and acknowledges each commit, as a client would see it. The
# pauses give the readers time to be answered from memory between two writes.
WRITER = """
import mmap, struct, sys, time
from uuid import UUID
from blogapi import create_app
from blogapi.articles import service
from blogapi.articles.content import ArticleInput
from blogapi.users import queries as users
with create_app().app_context(), open(sys.argv[1], "r+b") as file:
    acknowledged = mmap.mmap(file.fileno(), 16)
    ada, article = users.find_by_name("ada").uuid, UUID(sys.argv[2])
    number = 0
    while not acknowledged[8]:
        number += 1
        service.change(ada, article, ArticleInput(texts={"title": f"Title {number}"}))
        acknowledged[:8] = struct.pack("<Q", number)
        time.sleep(0.005)
"""


@contextmanager
def written_by_another(article: Any, folder: Path) -> Iterator[Callable[[], int]]:
    """Run the writer meanwhile; yield what tells its last acknowledged number."""
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
    """Reads of one article through the application, and what they saw."""

    def __init__(self, app: Flask, path: str, key: str) -> None:
        self.app, self.stale, self.made, self.failed, self.read_times = app, 0, 0, 0, 0
        self.environ = app.test_request_context(path, headers={"X-API-KEY": key}).request.environ
        inner = app.extensions["blogapi-replay"]._application

        def counted(environ: Any, start_response: Any) -> Any:
            self.made += 1
            return inner(environ, start_response)

        app.extensions["blogapi-replay"]._application = counted
        self._restore = lambda: setattr(app.extensions["blogapi-replay"], "_application", inner)

    def read(self, acknowledged: Callable[[], int], times: int, writes: int) -> None:
        """Read until it was `times` times and `writes` were seen, for a minute at most.

        Each read must show at least what was acknowledged when it began.
        """
        least, deadline = 0, time.monotonic() + 60
        while (times > 0 or least < writes) and time.monotonic() < deadline:
            times -= 1
            least = acknowledged()
            # Every other read says when it came in, as a server does: then readers share their looks.
            received = {commit_version.RECEIVED_KEY: time.monotonic()} if times % 2 else {}
            number = self._shown(received)
            self.read_times += 1
            self.failed += number is None
            self.stale += number is not None and number < least

    def _shown(self, received: dict[str, float]) -> int | None:
        status: list[str] = []
        chunks = self.app.extensions["blogapi-replay"](
            dict(self.environ) | received, lambda line, *_: status.append(line)
        )
        body = b"".join(chunks)
        getattr(chunks, "close", lambda: None)()
        return int(json.loads(body)["title"].split()[1]) if status == ["200 OK"] else None

    def run(self, acknowledged: Callable[[], int], reads: int, writes: int) -> None:
        """Read at least `reads` times in several threads, while at least so many `writes` are made."""
        share = (acknowledged, reads // READERS, writes)
        threads = [threading.Thread(target=self.read, args=share) for _ in range(READERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._restore()


@pytest.fixture
def article(make_article):
    return make_article(title="Title 0", content="<p>Words.</p>")


@pytest.fixture
def readers(app, people, article):
    return Readers(app, f"/api/v1/blog/articles/{article.uuid}/?fields=title", people.key(None))


def test_no_read_is_stale_while_another_process_writes(article, readers, tmp_path):
    with written_by_another(article, tmp_path) as acknowledged:
        readers.run(acknowledged, READS, WRITES)
        written = acknowledged()
    assert (readers.stale, readers.failed) == (0, 0)
    # It was worth trying: there were many writes, and most answers came from memory.
    assert written >= WRITES
    assert readers.made < readers.read_times / 4


def test_the_same_reads_find_an_invalidation_that_does_nothing(app, article, readers, tmp_path, monkeypatch):
    frozen = app.extensions["blogapi-replay"]._source.state()
    monkeypatch.setattr(app.extensions["blogapi-replay"]._source, "state", lambda since=None: frozen)
    with written_by_another(article, tmp_path) as acknowledged:
        readers.run(acknowledged, 2_000, WRITES)
    assert readers.stale > 10
