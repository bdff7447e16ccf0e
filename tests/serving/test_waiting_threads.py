"""Threads that wait for slow clients."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from waitress import wasyncore

from blogapi.articles.responses import json_reader
from blogapi.serving.channel import Channel
from blogapi.serving.limits import Limits
from blogapi.serving.tasks import ResponseTask
from blogapi.serving.unread import SHARE_COUNT
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.serving.sockets import assert_problem, parse_response, read_all, wait_until
from tests.serving.unread_responses import (
    BODY,
    LARGE_BODY,
    MAX_UNREAD_BYTES,
    get_response,
    is_thread_waiting,
    send_request,
    serve_blog,
)


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """Turns the garbage collector off, so that reference cycles are not freed."""
    gc.disable()
    yield
    gc.enable()


def test_at_most_half_of_the_threads_wait_for_slow_clients(blog, no_garbage_collection):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=4) as server, ExitStack() as stack:
        for number in range(2):
            stack.enter_context(send_request(server, "/stream", address=f"10.0.0.{number}"))
        wait_until(lambda: sum(channel.streams for channel in list(server.active_channels.values())) == 2)
        before = blog.application.served_bytes
        for path in ("/stream", "/whole"):
            refused = get_response(server, path, address="10.0.0.9")
            assert_problem(refused, 503, "unavailable")
            assert refused.headers["Retry-After"] == "1"
        # For the refused responses, the application produced only as many bytes as the server may buffer. The
        # socket buffers contain a part of the two streamed responses.
        assert blog.application.served_bytes - before < 2 * MAX_UNREAD_BYTES // SHARE_COUNT
        # No chunk is kept, not even by a reference cycle.
        wait_until(
            lambda: (
                not any(
                    isinstance(found, ResponseTask) and found._buffered_chunks for found in gc.get_objects()
                )
            )
        )
        # A response of unknown length needs no waiting thread if the whole response can be buffered.
        blog.application.body = BODY
        response = get_response(server, "/stream", address="10.0.0.9")
        assert (response.status, response.body) == (200, BODY)
        assert get_response(server, "/health", address="10.0.0.9").status == 200


def test_a_committed_write_never_gets_a_503(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=4) as server, ExitStack() as stack:
        for number in range(2):
            stack.enter_context(send_request(server, "/stream", address=f"10.0.0.{number}"))
        wait_until(lambda: sum(channel.streams for channel in list(server.active_channels.values())) == 2)
        written = send_request(
            server, "/whole", address="10.0.0.9", more="Connection: close\r\n", method="PUT"
        )
        with written:
            assert parse_response(read_all(written)).body == LARGE_BODY


def test_at_most_half_of_the_waiting_threads_wait_for_one_address(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=8) as server, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(send_request(server, "/stream", address="10.0.0.1"))
        wait_until(lambda: sum(channel.streams for channel in list(server.active_channels.values())) == 2)
        assert get_response(server, "/stream", address="10.0.0.1").status == 503
        stack.enter_context(send_request(server, "/stream", address="10.0.0.2"))
        wait_until(lambda: sum(channel.streams for channel in list(server.active_channels.values())) == 3)


def test_a_waiting_thread_is_released_when_its_client_disconnects(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=1) as server:
        send_request(server, "/stream").close()
        assert get_response(server, "/health").status == 200
        wait_until(lambda: not server.unread.held)


def test_progress_of_a_client_is_noticed_before_its_socket_is_reported_writable(blog):
    blog.application.body = LARGE_BODY

    def poll(seconds: float, map: dict[int, Any]) -> None:
        others = {number: found for number, found in map.items() if not isinstance(found, Channel)}
        wasyncore.poll(min(seconds, 0.01), others)

    with serve_blog(blog.app) as server, send_request(server, "/stream") as sock:
        wait_until(lambda: is_thread_waiting(server))
        server._poll = poll
        swept_at = server._next_sweep
        wait_until(lambda: server._next_sweep > swept_at + 0.1)
        (channel,) = server.active_channels.values()
        active_at = channel._inactive_since
        wait_until(lambda: sock.recv(4096) and channel._inactive_since > active_at)


def test_a_long_list_for_a_slow_client_does_not_occupy_a_database_connection(
    app, people, make_article, monkeypatch
):
    monkeypatch.setattr(json_reader, "CHUNK_SIZE", 2)
    for _ in range(9):
        make_article(content="<p>" + "x" * 60_000 + "</p>")
    head = f"GET {ARTICLES} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {people.key(None)}\r\n"
    limits = Limits(unread_bytes=1_000_000, connections=8, sweep=0.02)
    with serve_blog(app, limits=limits) as server:
        sock = send_request(server, "/nowhere")
        assert sock.recv(65536)
        with sock:
            sock.sendall(f"{head}\r\n".encode())
            wait_until(lambda: any(channel.streams for channel in list(server.active_channels.values())))
            with app.app_context():
                wait_until(lambda: db.engine.pool.checkedout() == 0)
            whole = read_all(sock)
        assert whole.endswith(b"0\r\n\r\n") and whole.count(b'"uuid"') >= 9
