"""Responses to clients that read slowly."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from tests.live_server import serve
from tests.serving.conftest import CHUNK, CHUNKS
from tests.serving.sockets import HEALTH, connect, read_all, send


def test_slow_clients_of_streamed_responses_do_not_occupy_all_threads(app, long_response):
    with serve(app) as port, ExitStack() as stack:
        for _ in range(8):
            sock = stack.enter_context(connect(port))
            sock.sendall(b"GET /api HTTP/1.1\r\nHost: a\r\n\r\n")
        assert send(port, HEALTH).status == 200


def test_a_slow_client_gets_the_whole_response(app, long_response):
    with serve(app) as port, connect(port) as sock:
        sock.sendall(b"GET /api HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.1)
        assert read_all(sock).count(CHUNK) == CHUNKS


def test_an_error_follows_the_complete_previous_response(app, monkeypatch):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(CHUNKS * len(CHUNK)))])
        return [CHUNK] * CHUNKS

    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app) as port, connect(port) as sock:
        sock.sendall(b"GET /api HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n")
        response, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert response.count(CHUNK) == CHUNKS and refused.endswith(b"}")
