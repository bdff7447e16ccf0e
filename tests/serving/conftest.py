"""Fixtures: a server, and applications whose responses a test controls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from blogapi.serving import channel, parser
from blogapi.serving import server as serving
from tests.live_server import serve
from tests.serving.slow_clients import Blog
from tests.serving.sockets import wait_until

MAX_BODY_BYTES = 1024 * 1024
CHUNK, CHUNKS = b"x" * 65536, 240


@pytest.fixture
def port(make_app: Callable[..., Any]) -> Iterator[int]:
    """The port of a server that limits request bodies to 1 MB."""
    with serve(make_app(MAX_CONTENT_LENGTH=MAX_BODY_BYTES)) as number:
        yield number


class BlockedApplication:
    """An application that sends no response until `open` is set."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)
        self.environs: list[Any] = []

    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        self.environs.append(environ)
        self.entered.release()
        assert self.open.wait(60)
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]


@pytest.fixture
def blocked_application(app: Any, monkeypatch: pytest.MonkeyPatch) -> BlockedApplication:
    application = BlockedApplication()
    monkeypatch.setattr(app, "wsgi_app", application)
    return application


class ServerClock:
    """The clock of the server's deadlines; only the test advances it."""

    def __init__(self) -> None:
        self.seconds = time.monotonic()

    def monotonic(self) -> float:
        return self.seconds

    def move(self, seconds: float) -> None:
        self.seconds += seconds

    def let_check(self, server: serving.Server) -> None:
        """Wait until the server has checked all deadlines at the current time; that takes little time."""
        # A second sweep begins only after the first one has ended.
        for _ in range(2):
            self.move(server.limits.sweep)
            wait_until(lambda: server._next_sweep > self.seconds)


@pytest.fixture
def server_clock(monkeypatch: pytest.MonkeyPatch) -> ServerClock:
    server_clock = ServerClock()
    for module in (serving, channel, parser):
        monkeypatch.setattr(module, "time", server_clock)
    return server_clock


@pytest.fixture
def long_response(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the application with an application that streams 15 MB, which wait without a thread."""

    def respond(environ: Any, start_response: Any) -> Iterator[bytes]:
        small = environ["PATH_INFO"] == "/health"
        start_response("200 OK", [])
        yield from ([b"ok"] if small else [CHUNK] * CHUNKS)

    monkeypatch.setattr(app, "wsgi_app", respond)


@pytest.fixture
def blog(make_app: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The application behind a proxy on this machine."""
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    blog = Blog(app.wsgi_app)
    monkeypatch.setattr(app, "wsgi_app", blog)
    return SimpleNamespace(app=app, requested_paths=blog.requested_paths, application=blog)
