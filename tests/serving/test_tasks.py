"""The head of a response equals the head that waitress writes, apart from one difference."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest
from waitress.task import WSGITask

from blogapi.serving.tasks import ResponseTask, format_head
from blogapi.web import request_environ

LENGTH = ("Content-Length", "5")
ID = (request_environ.REQUEST_ID_HEADER, "5f")

HEADERS = (
    (5, [("Content-Type", "text/plain"), LENGTH, ("etag", '"a"'), ("X-API-KEY", "ü"), ID]),
    (5, [("Set-Cookie", "b=1"), ("Set-Cookie", "a=2"), ID]),
    (5, [("Location", "/%41%s"), LENGTH]),
    (5, [LENGTH, ("Link", "</b>"), ("link", "</a>")]),
    (0, [("Content-Length", "0")]),
)
NO_LENGTH = (None, [("Content-Type", "text/plain")])
CLOSING = (5, [LENGTH, ("Connection", "close")])
REQUEST_HEADERS = ({}, {"CONNECTION": "close"}, {"CONNECTION": "keep-alive"})


def make_task(kind: type[WSGITask], *, version="1.1", request_headers=(), stopping=False) -> WSGITask:
    server = SimpleNamespace(stopping=stopping, adj=SimpleNamespace(ident=None))
    request = SimpleNamespace(version=version, headers=dict(request_headers), command="GET")
    return kind(SimpleNamespace(server=server), request)


def write_head(kind: type[WSGITask], status: str, length, headers, **options) -> bytes:
    """Return the response head that a task writes."""
    task = make_task(kind, **options)
    task.status, task.content_length, task.response_headers = status, length, list(headers)
    task.start_time = 1_795_000_000.75
    return task.build_response_header()


@pytest.mark.parametrize("status", ["200 OK", "204 No Content", "304 Not Modified", "404 Not Found"])
def test_the_head_of_a_response_equals_that_of_waitress(status):
    different = []
    for version, request_headers, (length, headers) in product(
        ("1.0", "1.1"), REQUEST_HEADERS, (*HEADERS, NO_LENGTH, CLOSING)
    ):
        options = {"version": version, "request_headers": request_headers}
        theirs, ours = (
            write_head(kind, status, length, headers, **options) for kind in (WSGITask, ResponseTask)
        )
        closing = ("Connection", "close") in headers or request_headers.get("CONNECTION") == "close"
        if status[0:3] in ("204", "304") and version == "1.1" and not closing:
            # The only difference is that a response without a body does not close the connection.
            theirs = theirs.replace(b"Connection: close\r\n", b"")
        if ours != theirs:
            different.append(f"{options} {headers}\n  waitress: {theirs!r}\n  ours: {ours!r}")
    assert not different, "\n".join(different)


@pytest.mark.parametrize(("length", "headers"), HEADERS)
def test_the_head_of_a_cached_response_equals_that_of_waitress(length, headers):
    assert format_head("200 OK", headers, length, 1_795_000_000) == write_head(
        WSGITask, "200 OK", length, headers
    )


def test_a_stopping_server_closes_the_connection():
    head = write_head(ResponseTask, "200 OK", 5, [LENGTH], stopping=True)
    assert b"Connection: close\r\n" in head
