"""The load generator in Python, with the modes `send_continuously` and `send_at_rate`.

Both modes print one line of JSON with the fields of `load.Load`. They count complete responses on persistent
connections. A response without a 2xx status or without a known length is an error.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import threading
import time

HOST = "127.0.0.1"
RECEIVE_BYTES = 256 * 1024
# The end of a chunked response. It cannot occur in JSON, which escapes line ends.
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)


class BrokenConnection(Exception):
    """The connection cannot be used for further requests."""


class Connection:
    """A connection that repeats the same request; `latencies` are in ms."""

    def __init__(self, port: int, request: bytes) -> None:
        self.socket = socket.create_connection((HOST, port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.latencies: list[float] = []
        self.errors = 0

    def send(self) -> None:
        """Send the request."""
        self.head, self.tail, self.bytes_left, self.is_chunked = b"", b"", -1, False
        self.sent_at = time.perf_counter()
        self.socket.sendall(self.request)

    def receive(self) -> bool:
        """Read the received bytes; return whether the response is complete.

        Raises BrokenConnection or OSError if the connection fails.
        """
        data = self.socket.recv(RECEIVE_BYTES)
        if not data:
            raise BrokenConnection
        if self.bytes_left < 0 and not self.is_chunked:
            self.head += data
            end_process = self.head.find(b"\r\n\r\n")
            if end_process < 0:
                return False
            data = self.head[end_process + 4 :]
            self._parse_head(self.head[:end_process])
        complete = self._receive_body(data)
        if complete:
            self.latencies.append((time.perf_counter() - self.sent_at) * 1000)
        return complete

    def _parse_head(self, head: bytes) -> None:
        length, self.is_chunked = _LENGTH.search(head), _CHUNKED.search(head) is not None
        if head[9:10] != b"2" or (length is None and not self.is_chunked):
            raise BrokenConnection
        self.bytes_left = int(length[1]) if length else -1

    def _receive_body(self, data: bytes) -> bool:
        """Process a part of the body; return whether it was the last part."""
        if self.is_chunked:
            self.tail = (self.tail + data)[-len(_LAST_CHUNK) :]
            return self.tail == _LAST_CHUNK
        self.bytes_left -= len(data)
        return self.bytes_left == 0


def make_request(port: int, path: str, key: str) -> bytes:
    """Return the bytes of the request."""
    credentials = f"X-API-KEY: {key}\r\n" if key else ""
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n{credentials}\r\n".encode("ascii")


def send_continuously(port: int, path: str, key: str, count: int, seconds: float) -> str:
    """Send requests on `count` connections for this number of seconds; return the result as JSON."""
    connections = [Connection(port, make_request(port, path, key)) for _ in range(count)]
    waiting = selectors.DefaultSelector()
    started_at = time.perf_counter()
    for connection in connections:
        waiting.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send()
    while waiting.get_map() and time.perf_counter() < started_at + seconds:
        for ready, _ in waiting.select(timeout=0.1):
            if not _receive_and_resend(ready.data):
                waiting.unregister(ready.fileobj)
    return _summarize(connections, time.perf_counter() - started_at)


def send_at_rate(port: int, path: str, key: str, rate: float) -> str:
    """Send `rate` requests per second until standard input ends, at least one; return the result as JSON."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    connection = Connection(port, make_request(port, path, key))
    started_at = due_at = time.perf_counter()
    while True:
        connection.send()
        try:
            while not connection.receive():
                pass
        except (OSError, BrokenConnection):
            connection.errors += 1
            break
        due_at += 1 / rate
        if ended.wait(max(0.0, due_at - time.perf_counter())):
            break
    return _summarize([connection], time.perf_counter() - started_at)


def _receive_and_resend(connection: Connection) -> bool:
    """Read the received bytes. If the response is complete, send the next request. Return False on errors."""
    try:
        if connection.receive():
            connection.send()
    except (OSError, BrokenConnection):
        connection.errors += 1
        return False
    return True


def _summarize(connections: list[Connection], seconds: float) -> str:
    latencies = sorted(latency for connection in connections for latency in connection.latencies)
    count = len(latencies)
    return json.dumps(
        {
            "requests": count,
            "seconds": seconds,
            "p50_ms": latencies[count // 2] if count else 0.0,
            "p99_ms": latencies[min(count - 1, count * 99 // 100)] if count else 0.0,
            "errors": sum(connection.errors for connection in connections),
        }
    )


if __name__ == "__main__":
    mode, port, path, key, *numbers = sys.argv[1:]
    if mode == "send_continuously":
        print(send_continuously(int(port), path, key, int(numbers[0]), float(numbers[1])))
    else:
        print(send_at_rate(int(port), path, key, float(numbers[0])))
