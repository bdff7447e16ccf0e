"""On SQLite, the server sends cached responses without a free thread."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any

import pytest

from blogapi import clock
from blogapi.serving.access_log import AccessLogEntry
from blogapi.serving.limits import Limits
from blogapi.serving.server import Dispatcher
from tests.conftest import ARTICLES, TAGS, People
from tests.delivery.response_cache.sockets import format_request, send_all
from tests.live_server import serve, start_server
from tests.serving.sockets import connect, send, wait_until


@pytest.fixture
def make_busy_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Any]]:
    """Start a server whose single thread and queue are full after `block()`, until the test ends."""
    entered, released = threading.Event(), threading.Event()
    sockets: list[Any] = []

    with ExitStack() as stack:

        def make(app: Any) -> Any:
            application = app.wsgi_app

            def respond(environ: Any, start_response: Callable[..., Any]) -> Any:
                if environ["PATH_INFO"] == "/api/blocked":
                    entered.set()
                    assert released.wait(30)
                return application(environ, start_response)

            monkeypatch.setattr(app, "wsgi_app", respond)
            server = stack.enter_context(start_server(app, threads=1, limits=Limits(queue=1)))

            def block() -> None:
                for _ in range(2):
                    sockets.append(connect(server.effective_port))
                    sockets[-1].sendall(b"GET /api/blocked HTTP/1.1\r\nHost: a\r\n\r\n")
                    assert entered.wait(60)
                wait_until(server.is_queue_full)

            return SimpleNamespace(port=server.effective_port, block=block)

        yield make
        released.set()
        for sock in sockets:
            sock.close()


@pytest.fixture
def busy_server(make_busy_server: Callable[[Any], Any], app: Any) -> Any:
    """Return such a server of the test's blog."""
    return make_busy_server(app)


def read(port: int, key: str, path: str, *headers: str) -> Any:
    return send(port, format_request("GET", path, key, "Connection: close", *headers).encode())


def read_keeping_alive(connection: HTTPConnection, key: str, path: str, **headers: str) -> Any:
    connection.request("GET", path, headers={"X-API-KEY": key, **headers})
    response = connection.getresponse()
    return SimpleNamespace(status=response.status, headers=response.headers, body=response.read())


@pytest.mark.sqlite("on PostgreSQL, a thread asks the server for the version")
def test_cached_responses_are_sent_while_all_threads_are_busy(busy_server, people, make_article):
    make_article(content="long " * 40_000)
    key = people.key(None)
    connection = HTTPConnection("127.0.0.1", busy_server.port, timeout=60)
    before = [read_keeping_alive(connection, key, path) for path in (ARTICLES, TAGS)]
    etag = before[0].headers["ETag"]
    assert read_keeping_alive(connection, key, ARTICLES, **{"If-None-Match": etag}).status == 304
    busy_server.block()
    after = [read_keeping_alive(connection, key, path) for path in (ARTICLES, TAGS)]
    assert [(found.status, found.body) for found in after] == [(200, found.body) for found in before]
    again = read_keeping_alive(connection, key, ARTICLES, **{"If-None-Match": etag})
    assert (again.status, again.body) == (304, b"")
    for first, second in zip(before, after, strict=True):
        assert second.headers["X-Request-Id"] != first.headers["X-Request-Id"]
        assert second.headers.keys() == first.headers.keys()
    for found in (*after, again):
        # The head of a cached response is written without the code that sets its time elsewhere.
        assert abs(parsedate_to_datetime(found.headers["Date"]) - clock.now()) < timedelta(days=1)
    # A response that is not cached needs a thread.
    assert read(busy_server.port, key, f"{TAGS}?page=1").status == 503
    connection.close()


def test_a_stale_response_is_not_sent_while_all_threads_are_busy(busy_server, app, people, make_tag):
    key = people.key(None)
    connection = HTTPConnection("127.0.0.1", busy_server.port, timeout=60)
    assert read_keeping_alive(connection, key, TAGS).body == b"[]"
    busy_server.block()
    make_tag()
    assert read_keeping_alive(connection, key, TAGS).status == 503
    connection.close()


def test_pipelined_requests_are_answered_in_their_order(app, people, make_tag):
    make_tag(name="Cached")
    key = people.key(None)
    with serve(app) as port:
        read(port, key, TAGS)
        requests = [
            format_request("GET", path, key) for path in (TAGS, "/nowhere", TAGS, f"{TAGS}?page=1", TAGS)
        ]
        received = send_all(port, *requests, format_request("GET", "/health", key, "Connection: close"))
    statuses = re.findall(r"HTTP/1.1 (\d+) ", received)
    assert statuses == ["200", "404", "200", "200", "200", "200"]
    assert received.count('"name":"Cached"') == 4


@pytest.mark.sqlite("on PostgreSQL, a thread asks the server for the version")
def test_many_replayed_responses_on_one_connection_leave_no_bytes_in_memory(app, people, make_article):
    make_article(content="x" * 20_000)
    key = people.key(None)
    with start_server(app) as server:
        connection = HTTPConnection("127.0.0.1", server.effective_port, timeout=60)
        for _ in range(10):
            size = len(read_keeping_alive(connection, key, ARTICLES).body)
        (channel,) = server.active_channels.values()
        kept = [buffer.buf.file.getbuffer().nbytes for buffer in channel.outbufs if buffer.buf]
        assert size > 20_000 and sum(kept) < 2 * size
        connection.close()


def test_a_replayed_response_is_in_the_access_log(app, people):
    entries: list[AccessLogEntry] = []
    key = people.key(None)
    with start_server(app, access_log=SimpleNamespace(add_entry=entries.append)) as server:
        connection = HTTPConnection("127.0.0.1", server.effective_port, timeout=60)
        for _ in range(2):
            response = read_keeping_alive(connection, key, TAGS)
        connection.close()
        wait_until(lambda: len(entries) == 2)
    first, second = entries
    assert second._replace(at=0, seconds=0, request_id="") == first._replace(at=0, seconds=0, request_id="")
    assert (second.status, second.size, second.key) == ("200 OK", 2, key)
    assert second.request_id == response.headers["X-Request-Id"]


@pytest.mark.sqlite("on PostgreSQL, a thread asks the server for the version")
def test_only_cached_reads_avoid_the_queue(app, people, monkeypatch):
    queued: list[str] = []
    add_task = Dispatcher.add_task
    monkeypatch.setattr(
        Dispatcher,
        "add_task",
        lambda dispatcher, channel: (
            queued.append(channel.requests[0].command),
            add_task(dispatcher, channel),
        ),
    )
    key = people.key(None)
    with serve(app) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        for method, path in (
            ("GET", TAGS),
            ("HEAD", TAGS),
            ("POST", TAGS),
            ("GET", TAGS),
            ("GET", "/health"),
        ):
            connection.request(method, path, headers={"X-API-KEY": key})
            connection.getresponse().read()
        connection.close()
    assert queued == ["GET", "HEAD", "POST", "GET"]


def test_a_limit_on_requests_also_counts_cached_reads(make_app):
    app = make_app(REQUEST_ADDRESS_LIMIT="3 per hour")
    key = People(app).key(None)
    with serve(app) as port:
        assert [read(port, key, TAGS).status for _ in range(5)] == [200, 200, 200, 429, 429]


def test_a_proxy_that_sends_a_malformed_header_gets_a_400(make_app):
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    key = People(app).key(None)
    with serve(app) as port:
        read(port, key, TAGS)
        response = read(port, key, TAGS, "X-Forwarded-For: nonsense")
    assert (response.status, response.json["code"]) == (400, "malformed")


@pytest.mark.sqlite("on PostgreSQL, a thread asks the server for the version")
def test_public_reads_are_sent_while_all_threads_are_busy(make_busy_server, make_app, make_tag):
    server = make_busy_server(make_app(PUBLIC_READS=True))
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)

    def get(**headers: str) -> Any:
        connection.request("GET", TAGS, headers=headers)
        response = connection.getresponse()
        response.read()
        return response

    assert get().status == 200
    server.block()
    assert (get().status, get().headers["Cache-Control"][:6]) == (200, "public")
    # A cookie can contain a login, which takes a thread.
    assert get(Cookie="a=b").status == 503
    connection.close()
