"""The head of a response equals the head that waitress writes, apart from one difference."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest
from waitress.task import WSGITask

from blogapi.serving import tasks
from blogapi.serving.tasks import ResponseTask
from blogapi.web import request_id

LENGTH = ("Content-Length", "5")


HEADERS = (
    (5, [("Content-Type", "text/plain"), LENGTH, ("etag", '"a"'), ("X-API-KEY", "ü")]),
    (5, [("Set-Cookie", "b=1"), ("Set-Cookie", "a=2")]),
    (5, [("Location", "/%41%s"), ("Set-Cookie", "a=2%")]),
    (5, [("Location", "/%41%s"), LENGTH]),
    (5, [LENGTH, ("Link", "</a>"), ("link", "</b>")]),
    (5, [LENGTH, (request_id.REQUEST_ID_HEADER, "own")]),
    (5, [LENGTH, ("Connection", "close")]),
    (5, [LENGTH, ("Date", "never")]),
    (5, [LENGTH, ("Server", "other")]),
    (0, [("Content-Length", "0")]),
    (None, [("Content-Type", "text/plain")]),
)
REQUEST_HEADERS = ({}, {"CONNECTION": "close"}, {"CONNECTION": "keep-alive"})


def write_head(kind: type[WSGITask], status: str, version: str, request_headers, length, headers) -> bytes:
    """Return the response head that a task writes."""
    server = SimpleNamespace(stopping=False, adj=SimpleNamespace(ident=None))
    request = SimpleNamespace(version=version, headers=request_headers, command="GET")
    task = kind(SimpleNamespace(server=server), request)
    task.status, task.content_length, task.response_headers = status, length, list(headers)
    task.start_time = 1_795_000_000.75
    return task.build_response_header()


@pytest.mark.parametrize("status", ["200 OK", "204 No Content", "304 Not Modified", "404 Not Found"])
def test_the_head_of_a_response_equals_that_of_waitress(status):
    different = []
    for case in product(
        ("1.0", "1.1"), REQUEST_HEADERS, HEADERS, ([], [(request_id.REQUEST_ID_HEADER, "5f")])
    ):
        version, request_headers, (length, headers), last = case
        theirs, ours = (
            write_head(kind, status, version, request_headers, length, headers + last)
            for kind in (WSGITask, ResponseTask)
        )
        closing = ("Connection", "close") in headers or request_headers.get("CONNECTION") == "close"
        if status[0:3] in ("204", "304") and version == "1.1" and not closing:
            # The only difference is that a response without a body does not close the connection.
            theirs = theirs.replace(b"Connection: close\r\n", b"")
        if ours != theirs:
            different.append(f"{case}\n  waitress: {theirs!r}\n  ours: {ours!r}")
    assert not different, "\n".join(different)


def make_task(command: str, *, stopping: bool = False) -> ResponseTask:
    """Return a task for a response of five bytes."""
    server = SimpleNamespace(stopping=stopping, adj=SimpleNamespace(ident=None))
    request = SimpleNamespace(version="1.1", headers={}, command=command)
    task = ResponseTask(SimpleNamespace(server=server), request)
    task.status, task.content_length = "200 OK", 5
    return task


@pytest.mark.parametrize(("command", "stored"), [("GET", 1), ("HEAD", 0), ("POST", 0), ("DELETE", 0)])
def test_only_response_heads_of_get_requests_are_cached(command, stored):
    tasks._make_head_template.cache_clear()
    task = make_task(command)
    task.response_headers = [LENGTH, ("Set-Cookie", "a=1"), (request_id.REQUEST_ID_HEADER, "5f")]
    assert b"Set-Cookie: a=1\r\n" in task.build_response_header()
    assert tasks._make_head_template.cache_info().currsize == stored


def test_a_stopping_server_closes_the_connection():
    task = make_task("GET", stopping=True)
    task.response_headers = [LENGTH, (request_id.REQUEST_ID_HEADER, "5f")]
    assert b"Connection: close\r\n" in task.build_response_header()
