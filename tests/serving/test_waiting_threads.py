"""Responses that their clients do not read: which of them wait with a thread, and for how long."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from blogapi.content.articles.responses import article_bodies
from blogapi.delivery.response_cache.middleware import RESPONSE_CACHE
from blogapi.serving.channel import Channel
from blogapi.serving.limits import Limits
from blogapi.storage.database import db
from blogapi.web import metrics
from tests.conftest import ARTICLES
from tests.serving.slow_clients import (
    BODY,
    LARGE_BODY,
    get_response,
    is_thread_waiting,
    send_request,
    serve_blog,
)
from tests.serving.sockets import HEALTH, parse_response, read_all, wait_until


@pytest.mark.parametrize("path", ["/whole", "/stream"])
def test_a_response_that_is_not_too_long_waits_without_a_thread(blog, path):
    with serve_blog(blog.app, threads=1) as server, ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(send_request(server, path, times=20))
        wait_until(lambda: len(blog.requested_paths) == 16 and not server.task_dispatcher.count_queued())
        assert get_response(server, "/health").status == 200
        assert any(channel.total_outbufs_len for channel in list(server.active_channels.values()))
    # The server has not processed the second request of any connection.
    assert len(blog.requested_paths) == 16


def test_the_next_request_waits_until_the_previous_response_is_read(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole", times=3) as sock:
        wait_until(
            lambda: any(channel.has_unstarted_request for channel in list(server.active_channels.values()))
        )
        sweep = server._next_sweep
        wait_until(lambda: server._next_sweep > sweep + 0.1)
        assert blog.requested_paths == ["/whole"]
        sock.sendall(HEALTH)
        assert read_all(sock).count(BODY) == 3
    assert blog.requested_paths == ["/whole"] * 3


def test_an_error_response_waits_until_the_previous_response_is_read(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole") as sock:
        sock.sendall(b"garbage\r\n\r\n")
        response, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert response.count(BODY) == 1 and refused.endswith(b"}")


def test_a_stalled_connection_with_a_waiting_request_is_closed(blog):
    with serve_blog(blog.app, limits=Limits(stall=0.2, sweep=0.02)) as server:
        with send_request(server, "/whole", times=3):
            wait_until(lambda: blog.requested_paths)
            wait_until(lambda: not server.active_channels)
        assert blog.requested_paths == ["/whole"]


def test_a_thread_that_waits_for_a_client_ends_with_the_time_limit(blog):
    blog.application.body = LARGE_BODY
    limits = Limits(stall=0.2, sweep=0.02)
    with serve_blog(blog.app, threads=1, limits=limits) as server, send_request(server, "/stream"):
        wait_until(lambda: blog.requested_paths)
        assert get_response(server, "/health").status == 200


def test_a_thread_that_waits_for_a_client_ends_when_it_disconnects(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=1) as server:
        sock = send_request(server, "/stream")
        wait_until(lambda: is_thread_waiting(server))
        sock.close()
        assert get_response(server, "/health").status == 200


@pytest.mark.parametrize("path", ["/whole", "/stream"])
def test_a_long_response_arrives_completely(blog, path):
    blog.application.body = LARGE_BODY
    with (
        serve_blog(blog.app) as server,
        send_request(server, path, more="Connection: close\r\n") as sock,
    ):
        wait_until(lambda: is_thread_waiting(server))
        _, _, body = read_all(sock).partition(b"\r\n\r\n")
    assert (join_chunks(body) if path == "/stream" else body) == LARGE_BODY


def join_chunks(chunked: bytes) -> bytes:
    body = b""
    while chunked:
        size, _, rest = chunked.partition(b"\r\n")
        body, chunked = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return body


def test_progress_of_a_client_is_noticed_before_its_socket_is_reported_writable(blog, monkeypatch):
    blog.application.body = LARGE_BODY

    with serve_blog(blog.app) as server, send_request(server, "/stream") as sock:
        wait_until(lambda: is_thread_waiting(server))
        monkeypatch.setattr(Channel, "writable", lambda channel: False)
        swept_at = server._next_sweep
        wait_until(lambda: server._next_sweep > swept_at + 0.1)
        (channel,) = server.active_channels.values()
        active_at = channel._active_at
        wait_until(lambda: sock.recv(4096) and channel._active_at > active_at)


def test_a_long_list_for_a_slow_client_does_not_occupy_a_database_connection(
    app, people, make_article, monkeypatch
):
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 2)
    for _ in range(9):
        make_article(content="<p>" + "x" * 60_000 + "</p>")
    head = f"GET {ARTICLES} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {people.key(None)}\r\n"
    with serve_blog(app) as server:
        server.adj.outbuf_high_watermark = 100_000
        sock = send_request(server, "/nowhere")
        assert sock.recv(65536)
        with sock:
            sock.sendall(f"{head}\r\n".encode())
            wait_until(lambda: is_thread_waiting(server))
            with app.app_context():
                wait_until(lambda: db.engine.pool.checkedout() == 0)
            whole = read_all(sock)
        assert whole.endswith(b"0\r\n\r\n") and whole.count(b'"uuid"') >= 9


def test_the_number_of_unread_bytes_is_a_metric(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole"):
        wait_until(lambda: metrics.get_registered_metrics(blog.app)["unread_bytes"].read() >= len(BODY) // 2)


@pytest.mark.sqlite("on PostgreSQL, a thread asks the server for the version")
def test_a_long_cached_response_that_is_not_read_needs_no_memory(app, people, make_article):
    for _ in range(9):
        make_article(content="<p>" + "x" * 60_000 + "</p>")
    more = f"X-API-KEY: {people.key(None)}\r\n"
    with serve_blog(app) as server, ExitStack() as stack:
        expected = get_response(server, ARTICLES, more=more).body
        hits = RESPONSE_CACHE.get(app).cache.hits
        readers = [stack.enter_context(send_request(server, ARTICLES, more=more)) for _ in range(4)]
        wait_until(lambda: RESPONSE_CACHE.get(app).cache.hits == hits + 4)
        channels = list(server.active_channels.values())
        wait_until(lambda: sum(channel.total_outbufs_len > 100_000 for channel in channels) == 4)
        copied = [buffer for channel in channels for buffer in channel.outbufs if buffer.__len__() < 10_000]
        assert len(copied) == sum(len(channel.outbufs) - 1 for channel in channels)
        readers[0].sendall(HEALTH)
        assert parse_response(read_all(readers[0])).body == expected
