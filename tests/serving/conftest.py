"""Fixtures: a server, and applications whose responses a test controls."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from blogapi.serving import channel, parser
from blogapi.serving import server as serving
from blogapi.serving.channel import Channel
from tests.live_server import serve
from tests.serving.unread_responses import Blog

MAX_BODY_BYTES = 1024 * 1024
CHUNK = b"x" * 65536


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


@pytest.fixture
def server_clock(monkeypatch: pytest.MonkeyPatch) -> ServerClock:
    server_clock = ServerClock()
    for module in (serving, channel, parser):
        monkeypatch.setattr(module, "time", server_clock)
    return server_clock


@pytest.fixture
def long_response(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the application with an application that streams 20 MB."""

    def respond(environ: Any, start_response: Any) -> Iterator[bytes]:
        small = environ["PATH_INFO"] == "/health"
        start_response("200 OK", [])
        yield from ([b"ok"] if small else [CHUNK] * 320)

    monkeypatch.setattr(app, "wsgi_app", respond)


@pytest.fixture
def blog(make_app: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The application behind a proxy on this machine."""
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    blog = Blog(app.wsgi_app)
    monkeypatch.setattr(app, "wsgi_app", blog)
    return SimpleNamespace(app=app, requested_paths=blog.requested_paths, application=blog)


@pytest.fixture
def max_unread(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The maximum number of unread bytes by address, and under the key `all` for all addresses together."""
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
