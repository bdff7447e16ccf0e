"""Calls of receivers that answer badly, slowly, for ever or not at all."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from blogapi.web import outgoing

pytestmark = pytest.mark.no_database

# The time of a call that waits for nothing is not over before its answer, even on a busy machine.
SECONDS, SHORT = 90, 0.5
NO_ANSWER = "No answer in 0 s."


@contextmanager
def behave(answer):
    """Run a server that calls `answer` with each connection; yield its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve():
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    answer(connection, stop)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/hook"
    finally:
        stop.set()
        # `close` alone does not end `accept`.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def call(url, body=b"{}", *, seconds=SECONDS):
    return outgoing.call_url(url, {}, body, allowed_hosts=("127.0.0.1",), seconds=seconds)


def close_at_once(connection, stop):
    pass


def close_after_the_request(connection, stop):
    connection.recv(65536)


def close_in_the_head(connection, stop):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")


def answer_garbage(connection, stop):
    connection.recv(65536)
    connection.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")


def send_endless_headers(connection, stop):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(1_000_000):
        connection.sendall(b"X-%d: y\r\n" % number)


def send_a_byte_at_a_time(connection, stop):
    connection.recv(65536)
    while not stop.wait(0.05):
        connection.sendall(b"H")


def never_answer(connection, stop):
    connection.recv(65536)
    stop.wait(30)


def send_continue_for_ever(connection, stop):
    connection.recv(65536)
    while not stop.wait(0.01):
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (close_at_once, "The connection ended before there was an answer."),
        (close_after_the_request, "The connection ended before there was an answer."),
        (answer_garbage, "The connection ended before there was an answer."),
        (send_endless_headers, "The connection ended before there was an answer."),
        (send_a_byte_at_a_time, NO_ANSWER),
        (never_answer, NO_ANSWER),
        (send_continue_for_ever, NO_ANSWER),
    ],
)
def test_a_receiver_without_a_valid_answer_ends_the_call(answer, error):
    with behave(answer) as url:
        found = call(url, seconds=SHORT if error == NO_ANSWER else SECONDS)
    assert (found.status, found.error) == (None, error)


def test_an_answer_that_ends_in_the_head_counts_as_it_is():
    with behave(close_in_the_head) as url:
        assert call(url).status in (None, 200)


def test_an_endless_answer_is_cut_off():
    def stream(connection, stop):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not stop.is_set():
            connection.sendall(b"x" * 65536)

    with behave(stream) as url:
        found = call(url)
    assert (found.status, found.text) == (200, "x" * 1024)


def test_an_answer_that_stops_in_the_middle_counts_by_its_status():
    def stop_in_the_middle(connection, stop):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nbegun")
        stop.wait(30)

    with behave(stop_in_the_middle) as url:
        # On a busy machine, the shorter times can be over before the answer begins.
        statuses = (call(url, seconds=seconds).status for seconds in (SHORT, 5, 30))
        assert next(filter(None, statuses)) == 201


def test_a_server_that_refuses_the_connection_is_named():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert call(f"http://127.0.0.1:{port}/").error == "The server refuses the connection."


def test_a_server_without_tls_is_named():
    def answer_plainly(connection, stop):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with behave(answer_plainly) as url:
        assert call(url.replace("http", "https", 1)).error == "The server does not speak TLS."


def test_a_private_address_is_not_called():
    with behave(never_answer) as url:
        answer = outgoing.call_url(url.replace("http", "https", 1), {}, b"", allowed_hosts=())
    assert answer.error == "127.0.0.1 is in a private network. The setting WEBHOOK_HOSTS can allow it."


def test_the_call_goes_to_the_address_that_was_checked(monkeypatch):
    looked_up = []
    real = socket.getaddrinfo

    def rebind(host, *arguments, **options):
        looked_up.append(host)
        return real("127.0.0.1" if host == "hooks.example" else host, *arguments, **options)

    def answer_with_the_host(connection, stop):
        head = connection.recv(65536).decode()
        host = next(line for line in head.splitlines() if line.startswith("Host:"))
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(host)}\r\n\r\n{host}".encode())

    monkeypatch.setattr(socket, "getaddrinfo", rebind)
    with behave(answer_with_the_host) as url:
        address = url.replace("127.0.0.1", "hooks.example")
        answer = outgoing.call_url(address, {}, b"", allowed_hosts=("hooks.example",))
    assert answer.text.startswith("Host: hooks.example:")
    assert looked_up.count("hooks.example") == 1


@pytest.fixture
def slow_receiver():
    """The address of a receiver whose answer takes a minute, and the list of answers that it has sent."""
    sent = []

    def answer_slowly(connection, stop):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        for _ in range(1_200):
            if stop.wait(0.05):
                return
            connection.sendall(b"x")
        sent.append("all")

    with behave(answer_slowly) as url:
        yield url, sent


def test_an_answer_that_closes_the_connection_ends_in_time(slow_receiver):
    url, sent = slow_receiver
    # On a busy machine, the head of the answer can take longer than the shortest limit.
    statuses = (call(url, seconds=seconds).status for seconds in (SHORT, 5, 30))
    assert (next(filter(None, statuses), None), sent) == (200, [])


def test_a_slow_connection_uses_the_time_of_the_answer(slow_receiver, monkeypatch):
    connect = socket.create_connection

    def connect_late(address, timeout):
        time.sleep(2 * SHORT)
        return connect(address, timeout)

    url, sent = slow_receiver
    monkeypatch.setattr(socket, "create_connection", connect_late)
    answer = call(url, seconds=SHORT)
    assert (answer.status, answer.error, sent) == (None, NO_ANSWER, [])


def test_a_slow_lookup_of_the_name_uses_the_time_of_the_connection(monkeypatch):
    lookup, connected = socket.getaddrinfo, []

    def look_up_late(*arguments, **options):
        time.sleep(2 * SHORT)
        return lookup(*arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_late)
    monkeypatch.setattr(socket, "create_connection", lambda *arguments: connected.append(arguments))
    assert (call("http://127.0.0.1:9/", seconds=SHORT).error, connected) == (NO_ANSWER, [])


def test_all_addresses_of_a_host_share_the_time(monkeypatch):
    addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
    tried = []

    def refuse(address, timeout):
        tried.append((address[0], timeout))
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: found)
    monkeypatch.setattr(socket, "create_connection", refuse)
    answer = outgoing.call_url("https://a.example/", {}, b"", allowed_hosts=("a.example",), seconds=SECONDS)
    assert answer.error == "The server refuses the connection."
    assert [address for address, _ in tried] == addresses
    assert all(timeout <= SECONDS / (3 - number) for number, (_, timeout) in enumerate(tried))


@pytest.mark.parametrize(
    ("url", "address", "header"),
    [
        ("https://[2606:4700:4700::1111]/hook", ("2606:4700:4700::1111", 443), None),
        ("https://[2606:4700:4700::abcd]/hook", ("2606:4700:4700::abcd", 443), None),
        ("https://[2606:4700:4700::1111]:8443/hook", ("2606:4700:4700::1111", 8443), None),
        ("https://192.0.2.1/hook", ("192.0.2.1", 443), None),
        ("http://[::1]/hook", ("::1", 80), "[::1]"),
        ("http://[::1]:8080/hook", ("::1", 8080), "[::1]:8080"),
        ("http://192.0.2.1/hook", ("192.0.2.1", 80), "192.0.2.1"),
    ],
)
def test_an_ip_address_is_called_at_its_port(monkeypatch, url, address, header):
    tried, requests = [], []

    def connect(target, timeout):
        tried.append(target)
        if header is None:
            raise ConnectionRefusedError
        ours, theirs = socket.socketpair()
        theirs.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        requests.append(theirs)
        return ours

    monkeypatch.setattr(socket, "create_connection", connect)
    answer = outgoing.call_url(url, {}, b"", allowed_hosts=("[::1]", "192.0.2.1"), seconds=SECONDS)
    assert (tried, answer.status) == ([address], 204 if header else None)
    for request in requests:
        with request:
            assert f"\r\nHost: {header}\r\n".encode() in request.recv(65536)
