"""Limits on the memory of responses that clients do not read, in all and of each address."""

from __future__ import annotations

import gc
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from waitress import wasyncore

from blogapi.articles import json_reader
from blogapi.metrics import registry
from blogapi.response_cache.lru_cache import GIVE_UP_KEY
from blogapi.serving import server as serving
from blogapi.serving.channel import Channel
from blogapi.serving.limits import Limits
from blogapi.serving.tasks import ResponseTask
from blogapi.serving.unread import OVERHEAD_BYTES, SHARE_COUNT
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.live_server import start_server
from tests.serving.test_limits import HEALTH, wait_until
from tests.serving.test_server import Response, assert_problem, parse_response, read_all

BODY = b"0123456789abcdef" * 25_000
# One response of 400 kB fits in the half of a share that is counted, a second one does not.
MAX_UNREAD_BYTES = 1_200_000 * SHARE_COUNT
LIMITS = Limits(unread_bytes=MAX_UNREAD_BYTES, connections=32, sweep=0.02)
LARGE_BODY = BODY * 8


class Blog:
    """An application with a long body at `/whole` and `/stream`, and a short one at `/health`."""

    def __init__(self, real: Any) -> None:
        self.real, self.body = real, BODY
        self.requested_paths: list[str] = []
        self.served_bytes = 0
        self.gave_up = threading.Event()

    def __call__(self, environ: Any, start_response: Any) -> Any:
        path = environ["PATH_INFO"]
        if path == "/health":
            return self.real(environ, start_response)
        self.requested_paths.append(path)
        environ[GIVE_UP_KEY] = self.gave_up.set
        length = [("Content-Length", str(len(self.body)))] if path == "/whole" else []
        start_response("200 OK", [("Content-Type", "text/plain"), *length])
        return [self.body] if path == "/whole" else self.stream_body()

    def stream_body(self) -> Iterator[bytes]:
        for start in range(0, len(self.body), 50_000):
            chunk = self.body[start : start + 50_000]
            self.served_bytes += len(chunk)
            yield chunk


@pytest.fixture
def blog(make_app: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The application behind a proxy on this machine."""
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    blog = Blog(app.wsgi_app)
    monkeypatch.setattr(app, "wsgi_app", blog)
    return SimpleNamespace(app=app, requested_paths=blog.requested_paths, application=blog)


@contextmanager
def serve_blog(app: Any, **options: Any) -> Iterator[serving.Server]:
    """Serve with socket buffers so small that the server holds nearly all unread bytes."""
    with start_server(app, **{"limits": LIMITS} | options) as server:
        server.adj.socket_options = [*server.adj.socket_options, (socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)]
        yield server


def send_request(
    server: serving.Server,
    path: str,
    *,
    address: str = "",
    times: int = 1,
    more: str = "",
    method: str = "GET",
) -> socket.socket:
    """Send the request; return the connection, from which nothing is read yet."""
    sock = socket.socket()
    sock.settimeout(20)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", int(server.effective_port)))
    forwarded = f"X-Forwarded-For: {address}\r\n" if address else ""
    sock.sendall(f"{method} {path} HTTP/1.1\r\nHost: a\r\n{forwarded}{more}\r\n".encode() * times)
    return sock


def get_response(server: serving.Server, path: str, *, address: str = "") -> Response:
    """Send the request; return its response."""
    with send_request(server, path, address=address, more="Connection: close\r\n") as sock:
        return parse_response(read_all(sock))


def list_unread_channels(server: serving.Server, address: str) -> list[Channel]:
    """Return the connections with unread bytes for that address."""
    return [
        channel
        for channel in list(server.active_channels.values())
        if channel.reader == address and channel.total_outbufs_len
    ]


@pytest.fixture
def max_unread(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The largest number of unread bytes, by address and, as `all`, in all."""
    found: Counter[str] = Counter()
    unread: dict[Channel, int] = {}
    lock = threading.Lock()

    def change(channel: Channel, size: int) -> None:
        with lock:
            unread[channel] = size
            of_reader = sum(held for other, held in unread.items() if other.reader == channel.reader)
            found[channel.reader] = max(found[channel.reader], of_reader)
            found["all"] = max(found["all"], sum(unread.values()))

    counted = property(lambda channel: unread.get(channel, 0), change)
    monkeypatch.setattr(Channel, "total_outbufs_len", counted, raising=False)
    return found


@pytest.mark.parametrize("addresses", [1, 16])
@pytest.mark.parametrize("path", ["/whole", "/stream"])
@pytest.mark.parametrize("body", [BODY, LARGE_BODY], ids=["short", "large"])
def test_unread_bytes_never_exceed_the_limit(blog, max_unread, addresses, path, body):
    blog.application.body = body
    with serve_blog(blog.app) as server, ExitStack() as stack:
        for number in range(16):
            address = f"10.0.0.{number % addresses}"
            stack.enter_context(send_request(server, path, address=address, times=20))
        wait_until(lambda: len(blog.requested_paths) >= 16 and not server.task_dispatcher.queue)
        # Other clients are answered meanwhile.
        assert get_response(server, "/health", address="10.1.0.1").status == 200
        assert any(channel.total_outbufs_len for channel in server.active_channels.values())
    assert 0 < max_unread.pop("all") <= MAX_UNREAD_BYTES
    assert max(max_unread.values()) <= MAX_UNREAD_BYTES // SHARE_COUNT
    # No second request was processed.
    assert len(blog.requested_paths) <= 16


def test_the_next_request_waits_until_the_previous_response_is_read(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole", times=3) as sock:
        wait_until(lambda: any(channel.deferred for channel in server.active_channels.values()))
        assert blog.requested_paths == ["/whole"]
        sock.sendall(HEALTH)
        assert read_all(sock).count(BODY) == 3
    assert blog.requested_paths == ["/whole"] * 3


def test_an_error_waits_until_the_previous_response_is_read(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole") as sock:
        sock.sendall(b"garbage\r\n\r\n")
        response, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert response.count(BODY) == 1 and refused.endswith(b"}")


def test_a_stalled_connection_with_a_waiting_request_is_closed(blog):
    with serve_blog(blog.app, limits=Limits(stall=0.2, sweep=0.02)) as server:
        with send_request(server, "/whole", times=3):
            wait_until(lambda: server.active_channels)
            wait_until(lambda: not server.active_channels)
        assert (server.unread.held, blog.requested_paths) == (0, ["/whole"])


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        ("1.2.3.4", "1.2.3.4", "1.2.3.5"),
        ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"),
    ],
)
def test_behind_a_proxy_the_share_belongs_to_the_forwarded_address(blog, first, second, other):
    with serve_blog(blog.app, threads=4) as server, ExitStack() as stack:
        stack.enter_context(send_request(server, "/whole", address=first))
        wait_until(lambda: server.unread.held)
        # The one thread that may wait for this address.
        stack.enter_context(send_request(server, "/whole", address=second))
        wait_until(lambda: any(channel.streams for channel in server.active_channels.values()))
        refused = get_response(server, "/whole", address=first)
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert get_response(server, "/whole", address=other).body == BODY
        assert get_response(server, "/health", address=first).status == 200


@pytest.mark.parametrize("path", ["/whole", "/stream"])
def test_a_response_larger_than_a_share_is_sent_as_its_client_reads_it(blog, path):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app) as server, send_request(server, path) as sock:
        wait_until(lambda: blog.application.gave_up.is_set())
        (channel,) = server.active_channels.values()
        assert channel.streams and server.unread.held <= MAX_UNREAD_BYTES // SHARE_COUNT
        assert blog.application.served_bytes < len(LARGE_BODY)
        received = 0
        while received < len(LARGE_BODY):
            received += len(sock.recv(65536))
        wait_until(lambda: not server.unread.held and not channel.streams)


def test_a_large_streamed_response_arrives_completely(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app) as server, send_request(server, "/stream") as sock:
        wait_until(lambda: blog.application.gave_up.is_set())
        _, _, chunked = read_all(sock).partition(b"\r\n\r\n")
    body = b""
    while chunked:
        size, _, rest = chunked.partition(b"\r\n")
        body, chunked = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    assert body == LARGE_BODY


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """Reference cycles are not freed."""
    gc.disable()
    yield
    gc.enable()


def test_at_most_half_of_the_threads_wait_for_their_clients(blog, no_garbage_collection):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=4) as server, ExitStack() as stack:
        for number in range(2):
            stack.enter_context(send_request(server, "/stream", address=f"10.0.0.{number}"))
        wait_until(lambda: sum(channel.streams for channel in server.active_channels.values()) == 2)
        before = blog.application.served_bytes
        for path in ("/stream", "/whole"):
            refused = get_response(server, path, address="10.0.0.9")
            assert_problem(refused, 503, "unavailable")
            assert refused.headers["Retry-After"] == "1"
        # Of the refused responses no more was produced than may be buffered; the socket buffers hold a part
        # of the two that are streamed.
        assert blog.application.served_bytes - before < 2 * MAX_UNREAD_BYTES // SHARE_COUNT
        # No chunk is kept, not even by a reference cycle.
        wait_until(
            lambda: (
                not any(
                    isinstance(found, ResponseTask) and found._buffered_chunks for found in gc.get_objects()
                )
            )
        )
        # A response of unknown length that fits needs no waiting thread.
        blog.application.body = BODY
        response = get_response(server, "/stream", address="10.0.0.9")
        assert (response.status, response.body) == (200, BODY)
        assert get_response(server, "/health", address="10.0.0.9").status == 200


def test_a_committed_write_is_not_answered_by_a_503(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app, threads=4) as server, ExitStack() as stack:
        for number in range(2):
            stack.enter_context(send_request(server, "/stream", address=f"10.0.0.{number}"))
        wait_until(lambda: sum(channel.streams for channel in server.active_channels.values()) == 2)
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
        wait_until(lambda: sum(channel.streams for channel in server.active_channels.values()) == 2)
        assert get_response(server, "/stream", address="10.0.0.1").status == 503
        stack.enter_context(send_request(server, "/stream", address="10.0.0.2"))
        wait_until(lambda: sum(channel.streams for channel in server.active_channels.values()) == 3)


def test_a_stalled_client_is_closed_for_a_response_to_its_address(blog):
    limits = Limits(unread_bytes=MAX_UNREAD_BYTES, connections=32, sweep=0.02, stall_when_full=0.1)
    with serve_blog(blog.app, threads=2, limits=limits) as server, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(send_request(server, "/whole", address="10.0.0.1"))
        wait_until(lambda: len(list_unread_channels(server, "10.0.0.1")) == 2)
        wait_until(lambda: get_response(server, "/whole", address="10.0.0.1").status == 200)


def make_channel(reader: str, *, since: float | None, reserved: int = 1, streams: bool = False) -> Any:
    closed: list[bool] = []
    return SimpleNamespace(
        reader=reader,
        reserved=reserved,
        streams=streams,
        stalled_since=lambda: since,
        closed=closed,
        handle_close=lambda: closed.append(True),
    )


@pytest.mark.parametrize(
    ("full", "enough", "closed"),
    [
        # The longest stalled first, and no more of them than are needed.
        (False, 1, {"oldest"}),
        (False, 9, {"oldest", "older"}),
        (True, 9, {"oldest", "older", "other's"}),
    ],
)
def test_the_longest_stalled_are_closed_and_active_ones_are_kept(app, monkeypatch, full, enough, closed):
    channels = {
        "older": make_channel("a", since=20),
        "oldest": make_channel("a", since=10),
        "moves": make_channel("a", since=None),
        "has just stalled": make_channel("a", since=97),
        "short": make_channel("a", since=10, reserved=0),
        "other's": make_channel("b", since=10.5),
    }
    with start_server(app) as server:
        pass
    monkeypatch.setattr(server, "active_channels", channels)
    monkeypatch.setattr(server.unread, "is_full", lambda size: full)
    monkeypatch.setattr(
        server.unread,
        "can_send",
        lambda *_: sum(len(channel.closed) for channel in channels.values()) >= enough,
    )
    server._make_room("a", 100, 100.0)
    assert {name for name, channel in channels.items() if channel.closed} == closed


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
        wait_until(lambda: blog.application.gave_up.is_set())
        server._poll = poll
        swept_at = server._next_sweep
        wait_until(lambda: server._next_sweep > swept_at + 0.1)
        (channel,) = server.active_channels.values()
        active_at = channel._inactive_since
        wait_until(lambda: sock.recv(4096) and channel._inactive_since > active_at)


def test_a_long_list_keeps_no_connection_to_the_database_for_a_slow_client(
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
            wait_until(lambda: any(channel.streams for channel in server.active_channels.values()))
            with app.app_context():
                wait_until(lambda: db.engine.pool.checkedout() == 0)
            whole = read_all(sock)
        assert whole.endswith(b"0\r\n\r\n") and whole.count(b'"uuid"') >= 9


def test_the_limit_of_unread_bytes_is_a_setting(make_app):
    with start_server(make_app(UNREAD_MEGABYTES=32)) as server:
        assert server.limits.unread_bytes == 32 * 2**20
        # There is always room for an error.
        assert server.unread.allowance > OVERHEAD_BYTES * 3


def test_unread_bytes_are_a_metric(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole"):
        wait_until(lambda: server.unread.held)
        assert registry.get_metrics(blog.app)["unread_bytes"].read() >= len(BODY) - server.unread.allowance
