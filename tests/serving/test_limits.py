"""Limits on time, connections and the queue, and the stop of the server."""

from __future__ import annotations

import errno
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from waitress import channel as waitress_channel

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from blogapi.serving.unread import OVERHEAD_BYTES, ChunkBuffer
from blogapi.storage import connections
from tests.databases import other_connection
from tests.live_server import serve, start_server
from tests.serving.test_server import assert_problem, connect, parse_response, read_all, send

HEALTH = b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CHUNK = b"x" * 65536


class BlockedApplication:
    """An application that responds once `open` is set."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)

    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        self.entered.release()
        assert self.open.wait(10)
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]


@pytest.fixture
def blocked_application(app: Any, monkeypatch: pytest.MonkeyPatch) -> BlockedApplication:
    application = BlockedApplication()
    monkeypatch.setattr(app, "wsgi_app", application)
    return application


@pytest.fixture
def long_response(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the application by one that streams 20 MB."""

    def respond(environ: Any, start_response: Any) -> Iterator[bytes]:
        small = environ["PATH_INFO"] == "/health"
        start_response("200 OK", [])
        yield from ([b"ok"] if small else [CHUNK] * 320)

    monkeypatch.setattr(app, "wsgi_app", respond)


def wait_until(condition: Callable[[], Any], seconds: float = 8) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition was never met"
        time.sleep(0.005)


@pytest.mark.parametrize(
    "sent",
    [b"G", b"GET / HTTP/1.1\r\nHost: a\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"],
)
def test_an_incomplete_request_is_a_408(app, sent):
    with serve(app, limits=Limits(request=0.2, sweep=0.05)) as port, connect(port) as sock:
        sock.sendall(sent)
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")


def test_a_slow_request_does_not_extend_its_deadline(app):
    started_at = time.monotonic()
    with serve(app, limits=Limits(request=0.4, sweep=0.05)) as port, connect(port) as sock:
        sock.settimeout(0.02)
        received = b""
        for _ in range(300):
            try:
                sock.sendall(b"x")
                received = sock.recv(1)
                break
            except TimeoutError:
                continue
            except OSError:  # the server has closed meanwhile
                break
    assert received in (b"", b"H") and 0.3 < time.monotonic() - started_at < 3


@pytest.mark.parametrize("clock", ["runs", "stands still"])
def test_an_idle_connection_is_closed(app, monkeypatch, clock):
    if clock == "stands still":
        monkeypatch.setattr(waitress_channel, "time", SimpleNamespace(time=lambda: 1.0))
    with serve(app, limits=Limits(idle=0.2, sweep=0.05)) as port, connect(port) as sock:
        sock.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        assert read_all(sock).startswith(b"HTTP/1.1 200")


def test_setting_the_clock_closes_no_connection(app, monkeypatch):
    monkeypatch.setattr(waitress_channel, "time", SimpleNamespace(time=lambda: 1.0))
    with start_server(app, limits=Limits(sweep=0.02)) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        assert sock.recv(65536).startswith(b"HTTP/1.1 200")
        sweeps = server._next_sweep
        wait_until(lambda: server._next_sweep > sweeps + 0.1)
        sock.sendall(HEALTH)
        assert parse_response(read_all(sock)).status == 200


@pytest.mark.skipif(not hasattr(select, "poll"), reason="this system has no poll()")
def test_a_file_descriptor_over_1023_does_not_end_the_process(app):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1500:
        pytest.skip("so many files cannot be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1500), hard))
    held = [os.dup(1) for _ in range(1024)]
    try:
        with serve(app) as port:
            assert send(port, HEALTH).status == 200
    finally:
        for number in held:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_server_works_without_poll(app, monkeypatch):
    # select() takes 512 files on Windows; the process needs some for itself.
    assert Limits().connections <= 450
    monkeypatch.delattr(select, "poll", raising=False)
    with serve(app) as port:
        assert send(port, HEALTH).status == 200


def test_waiting_writes_leave_threads_for_reads(make_app, monkeypatch):
    monkeypatch.setattr(connections, "BUSY_SECONDS", 2)
    app = make_app()
    post = b"POST /api/v1/auth/api-key/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    with other_connection(app, writing=True), start_server(app, threads=4) as server, ExitStack() as stack:
        writes = [stack.enter_context(connect(server.effective_port)) for _ in range(4)]
        for sock in writes:
            sock.sendall(post)
        assert send(server.effective_port, HEALTH).status == 200
        # The first still waits for the write lock; the others got a 503.
        waiting = [sock for sock in writes if not select.select([sock], [], [], 0)[0]]
        refused = [parse_response(read_all(sock)) for sock in writes if sock not in waiting]
        assert waiting and {response.status for response in refused} <= {503}


def test_a_slow_response_exceeds_no_deadline_of_the_client(app, blocked_application):
    hurried = Limits(request=0.1, idle=0.1, stall=0.1, sweep=0.02)
    with start_server(app, limits=hurried) as server, connect(server.effective_port) as sock:
        sock.sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=5)
        sweeps = server._next_sweep
        wait_until(lambda: server._next_sweep > sweeps + 0.4)
        blocked_application.open.set()
        assert parse_response(read_all(sock)).body == b"ok"


def test_a_client_that_reads_nothing_is_disconnected(app, long_response):
    limits = Limits(stall=0.3, sweep=0.05)
    with start_server(app, limits=limits) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(lambda: server.active_channels)
        wait_until(lambda: not server.active_channels)


def test_slow_clients_of_streams_leave_threads_for_others(app, long_response):
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
    held = []

    def respond(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        for _ in range(320):
            yield CHUNK
            (channel,) = server.active_channels.values()
            buffers = [outbuf for outbuf in channel.outbufs if isinstance(outbuf, ChunkBuffer)]
            # All but the few bytes around the chunks is sent without being copied.
            assert channel.total_outbufs_len - sum(map(len, buffers)) < 64
            held.append(sum(buffer.held for buffer in buffers) - channel.total_outbufs_len)

    monkeypatch.setattr(app, "wsgi_app", respond)
    with start_server(app) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert read_all(sock).count(CHUNK) == 320
    # The sent part of the first chunk, and the overhead of each.
    assert max(held) < 2 * len(CHUNK) + 320 * OVERHEAD_BYTES


def test_an_error_follows_the_complete_previous_response(app, monkeypatch):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(320 * len(CHUNK)))])
        return [CHUNK] * 320

    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app) as port, connect(port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\ngarbage\r\n\r\n")
        response, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert response.count(CHUNK) == 320 and refused.endswith(b"}")


def test_250_slow_connections_of_one_address_leave_others_answered(app):
    with serve(app) as port, ExitStack() as stack:
        for _ in range(250):
            stack.enter_context(connect(port)).sendall(b"GET / HTTP/1.1\r\n")
        started_at = time.monotonic()
        for _ in range(5):
            assert send(port, HEALTH).status == 200
        assert time.monotonic() - started_at < 2


def test_an_address_is_limited_once_half_of_the_connections_are_taken(app):
    with start_server(app, limits=Limits(connections=8, per_address=3)) as server, ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(connect(server.effective_port)).sendall(b"G")
        wait_until(lambda: len(server.active_channels) == 4)
        other = socket.socket()
        stack.enter_context(other)
        other.settimeout(5)
        try:
            other.bind(("127.0.0.2", 0))
        except OSError:
            pytest.skip("this system has one loopback address")
        other.connect(("127.0.0.1", int(server.effective_port)))
        other.sendall(HEALTH)
        assert parse_response(read_all(other)).status == 200
        assert server.addresses == {"127.0.0.1": 4}


def test_the_most_stalled_connection_is_evicted_for_a_new_one_of_its_address(app, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with (
        start_server(app, limits=Limits(connections=2, per_address=1)) as server,
        connect(server.effective_port) as slow,
    ):
        slow.sendall(b"G")
        wait_until(lambda: any(channel.request for channel in server.active_channels.values()))
        assert send(server.effective_port, HEALTH).status == 200
        assert read_all(slow) == b""


def test_a_half_closed_connection_is_evicted_for_a_new_one(app, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with start_server(app, limits=Limits(connections=2)) as server, ExitStack() as stack:
        for _ in range(2):
            refused = stack.enter_context(connect(server.effective_port))
            refused.sendall(b"garbage\r\n\r\n")
            assert parse_response(read_all(refused)).status == 400
        assert len(server.active_channels) == 2
        started_at = time.monotonic()
        assert send(server.effective_port, HEALTH).status == 200
        assert time.monotonic() - started_at < 5


def test_the_proxy_has_no_limit_of_its_own(app):
    limits = Limits(connections=8, per_address=1)
    with start_server(app, limits=limits, trusted_proxy="127.0.0.1") as server, ExitStack() as stack:
        for _ in range(7):
            stack.enter_context(connect(server.effective_port)).sendall(b"G")
        wait_until(lambda: len(server.active_channels) == 7)


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("10.0.0.7", ""),
    ],
)
def test_an_address_is_counted_under_its_key(app, address, client):
    with start_server(app, trusted_proxy="10.0.0.0/8") as server:
        assert server.get_client((address, 1)) == client


def test_a_connection_waits_while_all_slots_are_taken(app, blocked_application, caplog):
    limits = Limits(connections=2, accept_pause=0.02, sweep=0.05)
    with start_server(app, limits=limits) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(3)]
        for sock in held:
            sock.sendall(HEALTH)
        for _ in range(2):
            assert blocked_application.entered.acquire(timeout=5)
        assert len(server.active_channels) == 2
        blocked_application.open.set()
        assert [parse_response(read_all(sock)).body for sock in held] == [b"ok"] * 3
    assert len([line for line in caplog.messages if "All connections" in line]) <= 1


def test_accepting_pauses_without_a_free_file_descriptor(app, caplog, monkeypatch):
    attempts = []

    def refuse(self: Any) -> None:
        attempts.append(time.monotonic())
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with (
        start_server(app, limits=Limits(accept_pause=0.1, sweep=0.05)) as server,
        connect(server.effective_port) as sock,
    ):
        with monkeypatch.context() as patch:
            patch.setattr(serving.Server, "accept", refuse)
            with connect(server.effective_port):
                wait_until(lambda: len(attempts) >= 4)
        sock.sendall(HEALTH)
        assert parse_response(read_all(sock)).status == 200
    assert attempts[3] - attempts[0] > 0.25
    assert len([line for line in caplog.messages if "No connection can be accepted" in line]) == 1


def test_a_request_beyond_the_queue_is_a_503(app, blocked_application, caplog):
    with start_server(app, threads=1, limits=Limits(queue=2)) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(3)]
        held[0].sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=5)
        for sock in held[1:]:
            sock.sendall(HEALTH)
        wait_until(lambda: len(server.task_dispatcher.queue) == 2)
        refused = send(server.effective_port, HEALTH)
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        blocked_application.open.set()
        assert [parse_response(read_all(sock)).status for sock in held] == [200] * 3
    assert not caplog.messages


def test_a_stop_finishes_running_and_queued_requests(app, blocked_application):
    with start_server(app) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(16)]
        for sock in held:
            sock.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        wait_until(lambda: len(server.task_dispatcher.queue) == 12)
        server.stop()
        wait_until(lambda: not server.accepting)
        blocked_application.open.set()
        responses = [parse_response(read_all(sock)) for sock in held]
    assert [response.body for response in responses] == [b"ok"] * 16
    assert {response.headers["Connection"] for response in responses} == {"close"}


def test_a_stop_finishes_requests_of_connections_not_yet_accepted(app):
    server = serving.create_server(app, host="127.0.0.1", port=0, threads=2)
    with ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(5)]
        for sock in held:
            sock.sendall(HEALTH)
        server.stop()
        server.run()
        assert [parse_response(read_all(sock)).status for sock in held] == [200] * 5


def test_a_stop_takes_a_bounded_time(app, blocked_application):
    limits = Limits(stop=0.4, stop_grace=0.1, sweep=0.05)
    with start_server(app, limits=limits) as server, ExitStack() as stack:
        half, idle, stuck = (stack.enter_context(connect(server.effective_port)) for _ in range(3))
        half.sendall(b"GET")
        stuck.sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=5)
        wait_until(lambda: len(server.active_channels) == 3)
        started_at = time.monotonic()
        server.stop()
        assert read_all(idle) == b""
        assert parse_response(read_all(half)).status == 408
        assert read_all(stuck) == b""
        assert time.monotonic() - started_at < 2
        blocked_application.open.set()


def test_a_stop_waits_a_bounded_time_for_refused_clients(app):
    with start_server(app, limits=Limits(stop_grace=0.1, sweep=0.05)) as server, ExitStack() as stack:
        refused = stack.enter_context(connect(server.effective_port))
        refused.sendall(b"garbage\r\n\r\n")
        assert parse_response(read_all(refused)).status == 400
        started_at = time.monotonic()
        server.stop()
        wait_until(lambda: not server.active_channels)
        assert time.monotonic() - started_at < 5


def test_a_client_that_reads_nothing_is_evicted_for_a_new_connection(app, long_response, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with start_server(app, limits=Limits(connections=2, sweep=0.05)) as server, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(connect(server.effective_port)).sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(lambda: len(server.active_channels) == 2)
        wait_until(lambda: all(channel.stalled_since() for channel in server.active_channels.values()))
        started_at = time.monotonic()
        assert send(server.effective_port, HEALTH).status == 200
        assert time.monotonic() - started_at < 5


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


def test_a_stop_sends_a_whole_response_that_is_being_read(app, long_response):
    with start_server(app, limits=Limits(sweep=0.05)) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(lambda: any(channel.total_outbufs_len for channel in server.active_channels.values()))
        server.stop()
        wait_until(lambda: not server.accepting)
        assert read_all(sock).count(CHUNK) == 320


def test_a_stop_gives_refused_clients_time_to_read(app):
    with start_server(app, limits=Limits(stop_grace=5, sweep=0.05)) as server, ExitStack() as stack:
        refused = stack.enter_context(connect(server.effective_port))
        refused.sendall(b"garbage\r\n\r\n")
        wait_until(
            lambda: [type(channel).__name__ for channel in server.active_channels.values()] == ["HalfClosed"]
        )
        server.stop()
        with pytest.raises(AssertionError, match="never met"):
            wait_until(lambda: not server.active_channels, 0.3)
        refused.sendall(b"more")
        assert parse_response(read_all(refused)).status == 400
        refused.close()
        wait_until(lambda: not server.active_channels, 3)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_url_scheme_is_that_of_the_option(app, monkeypatch, scheme):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(environ["wsgi.url_scheme"])))])
        return [environ["wsgi.url_scheme"].encode()]

    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app, url_scheme=scheme) as port:
        assert f"\r\n\r\n{scheme}".encode() in get_health(port)


def get_health(port: int) -> bytes:
    with connect(port) as sock:
        sock.sendall(HEALTH)
        return read_all(sock)


@pytest.mark.parametrize(
    ("setting", "option", "address"),
    [("10.0.0.1", "127.0.0.1", b"1.2.3.4"), ("", "", b"127.0.0.1"), ("127.0.0.1", "", b"127.0.0.1")],
)
def test_the_option_wins_over_the_setting(make_app, monkeypatch, setting, option, address):
    def respond(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(environ["REMOTE_ADDR"])))])
        return [environ["REMOTE_ADDR"].encode()]

    app = make_app(TRUSTED_PROXY=setting)
    monkeypatch.setattr(app, "wsgi_app", respond)
    with serve(app, trusted_proxy=option) as port, connect(port) as sock:
        sock.sendall(HEALTH.replace(b"Host: a", b"Host: a\r\nX-Forwarded-For: 1.2.3.4"))
        assert read_all(sock).endswith(address)
