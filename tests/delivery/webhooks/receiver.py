"""A receiver of webhooks on the loopback interface, which keeps the requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Call:
    """A request that was received."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


@dataclass
class Receiver:
    """The requests that were received, and the answers to the next ones (then 204)."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    check: Callable[[Call], None] = lambda call: None
    received: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """The address of the receiver."""
        return f"http://127.0.0.1:{self.port}/secret/hook"

    def answer(self, status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> None:
        """Answer the next request that has no answer yet."""
        self.answers.append((status, headers or {}, body))

    def add(self, call: Call) -> tuple[int, dict[str, str], bytes]:
        """Keep a request and return the answer."""
        self.check(call)
        with self.received:
            self.calls.append(call)
            self.received.notify_all()
            return self.answers.pop(0) if self.answers else (204, {}, b"")

    def wait_for(self, count: int) -> None:
        """Wait until there are `count` requests."""
        self.wait_until(lambda calls: len(calls) >= count)

    def wait_until(self, condition: Callable[[list[Call]], object], *, seconds: float = 90) -> None:
        """Wait until the requests meet the condition; fail after `seconds`."""
        with self.received:
            assert self.received.wait_for(lambda: condition(self.calls), seconds), len(self.calls)


@contextmanager
def receive() -> Iterator[Receiver]:
    """Run a receiver."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, answer = receiver.add(Call(self.path, headers, body))
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST  # noqa: N815 (the base class names it so)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
