"""What `serve` reports to systemd: ready, alive, upgrading, stopping."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from blogapi.serving import channel, listening, upgrade_responses
from blogapi.serving.limits import Limits
from tests.durability.test_processes import BLOGAPI, TIMEOUT, start_process
from tests.live_server import start_server
from tests.serving.sockets import HEALTH, connect, parse_response, read_all

pytestmark = pytest.mark.skipif(not listening.HAS_UNIX_SOCKETS, reason="Windows has no Unix sockets")

# Each sweep of a server sends one state.
SWEEP = 0.02


@pytest.fixture
def systemd(monkeypatch, tmp_path) -> Iterator[socket.socket]:
    """The socket on which systemd receives the states; its path is short because it is relative."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NOTIFY_SOCKET", "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.settimeout(TIMEOUT)
        receiver.bind("notify")
        yield receiver


def receive(receiver: socket.socket) -> str:
    return receiver.recv(1000).decode("ascii")


def receive_waiting(receiver: socket.socket) -> list[str]:
    """Return the states that were sent already."""
    found = []
    receiver.settimeout(0)
    try:
        while True:
            found.append(receive(receiver))
    except BlockingIOError:
        return found
    finally:
        receiver.settimeout(TIMEOUT)


@pytest.mark.skipif(sys.platform != "linux", reason="Windows and macOS have no abstract addresses")
def test_a_state_is_sent_to_an_abstract_address(monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.settimeout(60)
        # Linux chooses the address.
        receiver.bind("")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{receiver.getsockname()[1:].decode('ascii')}")
        listening.notify_service_manager("READY=1")
        assert receive(receiver) == "READY=1"


@pytest.mark.parametrize("address", ["", "missing"])
def test_without_a_supervisor_nothing_is_sent(systemd, monkeypatch, address):
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    listening.notify_service_manager("READY=1")
    assert receive_waiting(systemd) == []
    monkeypatch.setenv("NOTIFY_SOCKET", "notify")
    listening.notify_service_manager("READY=1")
    assert receive_waiting(systemd) == ["READY=1"]


def test_a_supervisor_that_does_not_read_is_no_error(systemd):
    sent = 0
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            try:
                sender.sendto(b"full", "notify")
            except BlockingIOError:
                break
        sent += 1
    listening.notify_service_manager("WATCHDOG=1")
    assert receive_waiting(systemd) == ["full"] * sent


def test_an_upgrade_gets_more_time(systemd):
    with listening.bind_address("127.0.0.1", 0) as bound, upgrade_responses.serve_upgrade_responses(bound):
        found = {receive(systemd) for _ in range(2)}
    assert found == {"EXTEND_TIMEOUT_USEC=60000000"}


def test_a_hung_socket_thread_is_not_reported_as_alive(app, systemd, monkeypatch):
    hung, released = threading.Event(), threading.Event()
    read: Callable[[channel.Channel], None] = channel.Channel.handle_read

    def hang(self: channel.Channel) -> None:
        hung.set()
        assert released.wait(60)
        read(self)

    monkeypatch.setattr(channel.Channel, "handle_read", hang)
    with start_server(app, limits=Limits(sweep=SWEEP)) as server, connect(server.effective_port) as sock:
        assert receive(systemd) == "WATCHDOG=1"
        sock.sendall(HEALTH)
        assert hung.wait(60)
        receive_waiting(systemd)
        systemd.settimeout(10 * SWEEP)
        with pytest.raises(TimeoutError):
            receive(systemd)
        systemd.settimeout(TIMEOUT)
        released.set()
        assert parse_response(read_all(sock)).status == 200
        assert receive(systemd) == "WATCHDOG=1"


@pytest.mark.slow
@pytest.mark.once
def test_serve_reports_when_it_is_ready_alive_and_stopping(systemd, tmp_path):
    with start_process([*BLOGAPI, "serve", "--demo", "--port", "0"], tmp_path) as server_process:
        assert receive(systemd) == "READY=1"
        port = int(server_process.wait_for(r"at http://127\.0\.0\.1:(\d+)/")[1])
        with connect(port) as sock:
            sock.sendall(HEALTH)
            assert parse_response(read_all(sock)).status == 200
        assert [receive(systemd) for _ in range(2)] == ["WATCHDOG=1"] * 2
        # A state that finds no room in the socket is lost.
        assert set(receive_waiting(systemd)) <= {"WATCHDOG=1"}
        server_process.process.send_signal(signal.SIGTERM)
        assert server_process.process.wait(60) == 0
    found = receive_waiting(systemd)
    assert found.count("STOPPING=1") == 1 and set(found) <= {"WATCHDOG=1", "STOPPING=1"}
