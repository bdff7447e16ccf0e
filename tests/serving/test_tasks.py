"""When a response closes its connection."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from blogapi.serving.tasks import ResponseTask


def write_head(status: str, version: str = "1.1", *, stopping: bool = False, length=None, **headers) -> bytes:
    """Return the head of a response."""
    server = SimpleNamespace(stopping=stopping, adj=SimpleNamespace(ident=None))
    request = SimpleNamespace(version=version, headers=headers, command="GET")
    task = ResponseTask(SimpleNamespace(server=server), request)
    task.status, task.content_length = status, length
    task.response_headers = [("Content-Length", str(length))] if length else []
    return task.build_response_header()


@pytest.mark.parametrize(
    ("status", "request_", "closes"),
    [
        ("200 OK", {"length": 5}, False),
        ("200 OK", {"length": 5, "CONNECTION": "keep-alive"}, False),
        ("200 OK", {"length": 5, "CONNECTION": "close"}, True),
        ("200 OK", {"length": 5, "version": "1.0"}, True),
        ("200 OK", {"length": 5, "stopping": True}, True),
        # waitress itself closes the connection after each response without a body.
        ("204 No Content", {}, False),
        ("304 Not Modified", {}, False),
        ("304 Not Modified", {"CONNECTION": "close"}, True),
        ("304 Not Modified", {"version": "1.0"}, True),
        ("304 Not Modified", {"stopping": True}, True),
    ],
)
def test_a_connection_is_closed_only_if_it_must_be(status, request_, closes):
    assert (b"Connection: close\r\n" in write_head(status, **request_)) == closes
