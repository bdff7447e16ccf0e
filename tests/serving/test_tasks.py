"""The head of an answer: the same as waitress writes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from waitress.task import WSGITask

from blogapi.core import log
from blogapi.serving import tasks
from blogapi.serving.tasks import AnswerTask

LENGTH = ("Content-Length", "5")


@pytest.mark.parametrize("last", [[], [(log.HEADER, "5f")]])
@pytest.mark.parametrize("status", ["200 OK", "204 No Content", "304 Not Modified", "404 Not Found"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("asked", [{}, {"CONNECTION": "close"}, {"CONNECTION": "keep-alive"}])
@pytest.mark.parametrize(
    ("length", "headers"),
    [
        (5, [("Content-Type", "text/plain"), LENGTH, ("etag", '"a"'), ("X-API-KEY", "ü")]),
        (5, [("Set-Cookie", "b=1"), ("Set-Cookie", "a=2")]),
        (5, [("Location", "/%41%s"), ("Set-Cookie", "a=2%")]),
        (5, [("Location", "/%41%s"), LENGTH]),
        (5, [LENGTH, ("Link", "</a>"), ("link", "</b>")]),
        (5, [LENGTH, (log.HEADER, "own")]),
        (5, [LENGTH, ("Connection", "close")]),
        (5, [LENGTH, ("Date", "never")]),
        (5, [LENGTH, ("Server", "other")]),
        (0, [("Content-Length", "0")]),
        (None, [("Content-Type", "text/plain")]),
    ],
)
def test_the_head_is_that_of_waitress(status, version, asked, length, headers, last):
    server = SimpleNamespace(stopping=False, adj=SimpleNamespace(ident=None))
    heads = []
    for kind in (WSGITask, AnswerTask):
        request = SimpleNamespace(version=version, headers=asked, command="GET")
        task = kind(SimpleNamespace(server=server), request)
        task.status, task.content_length, task.response_headers = status, length, headers + last
        task.start_time = 1_795_000_000.75
        heads.append(task.build_response_header())
    ours, theirs = heads[1], heads[0]
    told = ("Connection", "close") in headers or asked.get("CONNECTION") == "close"
    if status[0:3] in ("204", "304") and version == "1.1" and not told:
        # The one difference: an answer without a body need not end the connection.
        theirs = theirs.replace(b"Connection: close\r\n", b"")
    assert ours == theirs


def answering(command: str, *, stopping: bool = False) -> AnswerTask:
    """Return a task that is about to answer with five bytes."""
    server = SimpleNamespace(stopping=stopping, adj=SimpleNamespace(ident=None))
    asked = SimpleNamespace(version="1.1", headers={}, command=command)
    task = AnswerTask(SimpleNamespace(server=server), asked)
    task.status, task.content_length = "200 OK", 5
    return task


@pytest.mark.parametrize(("command", "kept"), [("GET", 1), ("HEAD", 0), ("POST", 0), ("DELETE", 0)])
def test_the_heads_of_reads_alone_are_kept(command, kept):
    tasks._form.cache_clear()
    task = answering(command)
    task.response_headers = [LENGTH, ("Set-Cookie", "a=1"), (log.HEADER, "5f")]
    assert b"Set-Cookie: a=1\r\n" in task.build_response_header()
    assert tasks._form.cache_info().currsize == kept


def test_a_server_that_ends_says_so():
    task = answering("GET", stopping=True)
    task.response_headers = [LENGTH, (log.HEADER, "5f")]
    assert b"Connection: close\r\n" in task.build_response_header()
