"""Responses to clients that read slowly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving.limits import Limits
from blogapi.serving.unread import ChunkBuffer
from tests.live_server import serve, start_server
from tests.serving.conftest import CHUNK
from tests.serving.sockets import HEALTH, connect, read_all, send, wait_until


def test_slow_clients_of_streamed_responses_do_not_occupy_all_threads(app, long_response):
    with serve(app) as port, ExitStack() as stack:
        for _ in range(8):
            sock = stack.enter_context(connect(port))
            sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert send(port, HEALTH).status == 200


def test_a_slow_client_gets_the_whole_response(app, long_response):
    with serve(app) as port, connect(port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.1)
        assert read_all(sock).count(CHUNK) == 320


def test_sent_bytes_are_not_kept_in_memory(app, monkeypatch):
    kept = []

    def respond(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        for _ in range(320):
            yield CHUNK
            (channel,) = server.active_channels.values()
            buffers = [outbuf for outbuf in channel.outbufs if isinstance(outbuf, ChunkBuffer)]
            # The chunks are sent without being copied; only their headers and line ends are copied.
            assert channel.total_outbufs_len - sum(map(len, buffers)) < 64
            kept.append(sum(len(buffer._left.obj) for buffer in buffers) - channel.total_outbufs_len)

    monkeypatch.setattr(app, "wsgi_app", respond)
    with start_server(app) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert read_all(sock).count(CHUNK) == 320
    # The difference is the part of the first chunk that was already sent.
    assert max(kept) < 2 * len(CHUNK)


def test_an_error_follows_the_complete_previous_response(app, monkeypatch):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(320 * len(CHUNK)))])
        return [CHUNK] * 320

    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app) as port, connect(port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n")
        response, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert response.count(CHUNK) == 320 and refused.endswith(b"}")


@pytest.mark.parametrize(("sweep", "stands"), [(60, False), (0.05, True)])
def test_a_connection_with_activity_since_the_last_sweep_is_not_stalled(app, long_response, sweep, stands):
    with start_server(app, limits=Limits(sweep=sweep)) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(lambda: server.active_channels)
        (channel,) = server.active_channels.values()
        wait_until(lambda: channel.total_outbufs_len and channel.streams)
        if stands:
            wait_until(lambda: channel.stalled_since() is not None)
        assert (channel.stalled_since() is not None) is stands
