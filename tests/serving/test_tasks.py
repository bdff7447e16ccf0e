"""The head of an answer: the same as waitress writes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from waitress.task import WSGITask

from blogapi.core import log
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
    if status[0:3] in ("204", "304") and version == "1.1" and asked.get("CONNECTION") != "close":
        # The one difference: an answer without a body need not end the connection.
        theirs = theirs.replace(b"Connection: close\r\n", b"")
    assert ours == theirs
