"""Our own client, run as a process: `press` as hard as it goes, or `pace` at a modest rate.

Both print one line of JSON, the fields of `load.Load`. Counted are complete answers on connections that
are kept; an answer that is no success, or whose length nothing tells, is an error.
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
AT_ONCE = 256 * 1024
# No JSON holds this end of an answer in pieces: it writes a line's end as \\r\\n, in letters.
_LAST_PIECE = b"\r\n0\r\n\r\n"
_PIECES = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)


class Broken(Exception):
    """The connection cannot be used any longer."""


class Connection:
    """One connection that asks for the same again and again; `latencies` in ms."""

    def __init__(self, port: int, request: bytes) -> None:
        self.socket = socket.create_connection((HOST, port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.latencies: list[float] = []
        self.errors = 0

    def ask(self) -> None:
        """Send the request."""
        self.head, self.tail, self.left, self.pieces = b"", b"", -1, False
        self.asked = time.perf_counter()
        self.socket.sendall(self.request)

    def receive(self) -> bool:
        """Take in what has come and tell whether the answer is complete; raises Broken, OSError."""
        data = self.socket.recv(AT_ONCE)
        if not data:
            raise Broken
        if self.left < 0 and not self.pieces:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return False
            data = self.head[end + 4 :]
            self._begin(self.head[:end])
        complete = self._take(data)
        if complete:
            self.latencies.append((time.perf_counter() - self.asked) * 1000)
        return complete

    def _begin(self, head: bytes) -> None:
        length, self.pieces = _LENGTH.search(head), _PIECES.search(head) is not None
        if head[9:10] != b"2" or (length is None and not self.pieces):
            raise Broken
        self.left = int(length[1]) if length else -1

    def _take(self, data: bytes) -> bool:
        """Take in a part of the body and tell whether it was the last."""
        if self.pieces:
            self.tail = (self.tail + data)[-len(_LAST_PIECE) :]
            return self.tail == _LAST_PIECE
        self.left -= len(data)
        return self.left == 0


def request_for(port: int, path: str, key: str) -> bytes:
    """Return the bytes of the request."""
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nX-API-KEY: {key}\r\n\r\n".encode("ascii")


def press(port: int, path: str, key: str, count: int, seconds: float) -> str:
    """Ask on `count` connections for so many seconds."""
    connections = [Connection(port, request_for(port, path, key)) for _ in range(count)]
    waiting = selectors.DefaultSelector()
    begun = time.perf_counter()
    for connection in connections:
        waiting.register(connection.socket, selectors.EVENT_READ, connection)
        connection.ask()
    while waiting.get_map() and time.perf_counter() < begun + seconds:
        for ready, _ in waiting.select(timeout=0.1):
            if not _served(ready.data):
                waiting.unregister(ready.fileobj)
    return _summary(connections, time.perf_counter() - begun)


def pace(port: int, path: str, key: str, rate: float) -> str:
    """Ask `rate` times a second, one after the other, until standard input ends."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    connection = Connection(port, request_for(port, path, key))
    begun = due = time.perf_counter()
    while not over.wait(max(0.0, due - time.perf_counter())):
        connection.ask()
        try:
            while not connection.receive():
                pass
        except (OSError, Broken):
            connection.errors += 1
            break
        due += 1 / rate
    return _summary([connection], time.perf_counter() - begun)


def _served(connection: Connection) -> bool:
    """Take in what has come and ask again after a complete answer; tell whether the connection lives."""
    try:
        if connection.receive():
            connection.ask()
    except (OSError, Broken):
        connection.errors += 1
        return False
    return True


def _summary(connections: list[Connection], seconds: float) -> str:
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
    way, port, path, key, *numbers = sys.argv[1:]
    if way == "press":
        print(press(int(port), path, key, int(numbers[0]), float(numbers[1])))
    else:
        print(pace(int(port), path, key, float(numbers[0])))
