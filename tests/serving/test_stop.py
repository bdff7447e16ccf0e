"""At shutdown the server finishes the received requests within a time limit."""

from __future__ import annotations

from contextlib import ExitStack

from blogapi.serving import listening
from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from tests.live_server import start_server
from tests.serving.conftest import CHUNK, CHUNKS
from tests.serving.sockets import HEALTH, connect, parse_response, read_all, wait_until

# However busy the machine is, the time to stop is not over before the last response.
LIMITS = Limits(stop=600, stop_grace=600, stall=600, sweep=0.05)


def test_a_stopping_server_finishes_running_and_queued_requests(app, blocked_application):
    with start_server(app, limits=LIMITS) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(16)]
        for sock in held:
            sock.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        wait_until(lambda: server.task_dispatcher.count_queued() == 12)
        server.stop()
        wait_until(lambda: not server.accepting)
        blocked_application.open.set()
        responses = [parse_response(read_all(sock)) for sock in held]
    assert [response.body for response in responses] == [b"ok"] * 16
    assert {response.headers["Connection"] for response in responses} == {"close"}


def test_a_stopping_server_finishes_requests_on_connections_not_yet_accepted(app):
    listening_socket = listening.bind_address("127.0.0.1", 0)
    server = serving.create_server(app, listening_socket=listening_socket, threads=2, limits=LIMITS)
    with ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(5)]
        for sock in held:
            sock.sendall(HEALTH)
        server.stop()
        server.run()
        assert [parse_response(read_all(sock)).status for sock in held] == [200] * 5


def test_stopping_the_server_takes_a_limited_time(app, blocked_application, server_clock):
    limits = Limits(stop=8, stop_grace=1, sweep=0.05)
    with start_server(app, limits=limits) as server, ExitStack() as stack:
        half, idle, stuck = (stack.enter_context(connect(server.effective_port)) for _ in range(3))
        half.sendall(b"GET")
        stuck.sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=60)
        wait_until(lambda: len(server.active_channels) == 3)
        server.stop()
        assert read_all(idle) == b""
        server_clock.move(1.1)
        assert parse_response(read_all(half)).status == 408
        server_clock.move(7)
        assert read_all(stuck) == b""
        blocked_application.open.set()


def test_a_stopping_server_sends_the_rest_of_a_response_that_a_client_is_reading(app, long_response):
    with start_server(app, limits=LIMITS) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(
            lambda: any(channel.total_outbufs_len for channel in list(server.active_channels.values()))
        )
        server.stop()
        wait_until(lambda: not server.accepting)
        assert read_all(sock).count(CHUNK) == CHUNKS
