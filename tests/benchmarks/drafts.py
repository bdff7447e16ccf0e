"""Saves a draft once per second, as an editor does while an author writes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException

from tests.benchmarks.blogs import Blog
from tests.benchmarks.plan import ARTICLES
from tests.benchmarks.prose import Writer
from tests.benchmarks.servers import HOST, TIMEOUT_SECONDS, pin_to_core

FIRST_SECONDS, INTERVAL_SECONDS = 0.5, 1.0
DRAFT_CHARACTERS = 4_000


@contextmanager
def save_drafts(port: int, blog: Blog) -> Iterator[list[int]]:
    """Save the draft of the blog once per second with a new text until the block ends.

    Yields a list to which the status of each response is added, or 0 if there was none.
    """
    statuses: list[int] = []
    ended = threading.Event()

    def save() -> None:
        # Each text must be new, because a write that changes nothing stores nothing.
        writer = Writer(seed=time.time_ns())
        seconds = FIRST_SECONDS
        while not ended.wait(seconds):
            statuses.append(_save(port, blog, writer.markdown(DRAFT_CHARACTERS)))
            seconds = INTERVAL_SECONDS

    # A new thread runs on the core of the thread that starts it.
    with pin_to_core("client"):
        thread = threading.Thread(target=save)
        thread.start()
    try:
        yield statuses
    finally:
        ended.set()
        thread.join()


def _save(port: int, blog: Blog, content: str) -> int:
    connection = HTTPConnection(HOST, port, timeout=TIMEOUT_SECONDS)
    headers = {"X-API-KEY": blog.admin_key, "Content-Type": "application/json"}
    try:
        body = json.dumps({"content": content})
        connection.request("PATCH", f"{ARTICLES}{blog.draft}/", body, headers)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()
