"""Answers to clients that read slowly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving.limits import Limits
from blogapi.serving.unread import OVERHEAD, Piece
from tests.live import running, server
from tests.serving.conftest import PIECE
from tests.serving.sockets import HEALTH, connected, read_all, send, until


def test_slow_readers_of_a_stream_leave_threads_to_others(app, streams):
    with running(app) as port, ExitStack() as stack:
        for _ in range(8):
            sock = stack.enter_context(connected(port))
            sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert send(port, HEALTH).status == 200


def test_a_slow_reader_gets_all_of_it(app, streams):
    with running(app) as port, connected(port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.1)
        assert read_all(sock).count(PIECE) == 320


def test_what_a_reader_has_taken_is_not_kept(app, monkeypatch):
    held = []

    def answer(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        for _ in range(320):
            yield PIECE
            (channel,) = made.active_channels.values()
            pieces = [outbuf for outbuf in channel.outbufs if isinstance(outbuf, Piece)]
            # All but the few bytes around the chunks is sent from where it is.
            assert channel.total_outbufs_len - sum(map(len, pieces)) < 64
            held.append(sum(piece.held for piece in pieces) - channel.total_outbufs_len)

    monkeypatch.setattr(app, "wsgi_app", answer)
    with server(app) as made, connected(made.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert read_all(sock).count(PIECE) == 320
    # What was sent of the first piece, and what each takes besides.
    assert max(held) < 2 * len(PIECE) + 320 * OVERHEAD


def test_a_refusal_follows_all_of_the_answer_before_it(app, monkeypatch):
    def answer(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(320 * len(PIECE)))])
        return [PIECE] * 320

    monkeypatch.setattr(app, "wsgi_app", answer)
    with running(app) as port, connected(port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n")
        answered, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert answered.count(PIECE) == 320 and refused.endswith(b"}")


@pytest.mark.parametrize(("sweep", "stands"), [(60, False), (0.05, True)])
def test_what_has_moved_since_the_last_sweep_does_not_stand_still(app, streams, sweep, stands):
    with server(app, limits=Limits(sweep=sweep)) as made, connected(made.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        until(lambda: made.active_channels)
        (channel,) = made.active_channels.values()
        until(lambda: channel.total_outbufs_len and channel.streams)
        if stands:
            until(lambda: channel.stalled_since() is not None)
        assert (channel.stalled_since() is not None) is stands
