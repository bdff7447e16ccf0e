"""Fixtures: a server, and applications whose answers a test controls."""

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
from tests.live import running
from tests.serving.unread_answers import Blog

LIMIT = 1024 * 1024
PIECE = b"x" * 65536


@pytest.fixture
def port(make_app: Callable[..., Any]) -> Iterator[int]:
    """The port of a server with a limit of 1 MB on bodies."""
    with running(make_app(MAX_CONTENT_LENGTH=LIMIT)) as number:
        yield number


class Gate:
    """An application that answers when it is let."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)

    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        self.entered.release()
        assert self.open.wait(10)
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]


@pytest.fixture
def gate(app: Any, monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate()
    monkeypatch.setattr(app, "wsgi_app", made)
    return made


class ServerClock:
    """The clock of the server's deadlines; it stands still until a test moves it."""

    def __init__(self) -> None:
        self.seconds = time.monotonic()

    def monotonic(self) -> float:
        return self.seconds

    def move(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def server_clock(monkeypatch: pytest.MonkeyPatch) -> ServerClock:
    made = ServerClock()
    for module in (serving, channel, parser):
        monkeypatch.setattr(module, "time", made)
    return made


@pytest.fixture
def streams(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the application answer 20 MB in pieces."""

    def answer(environ: Any, start_response: Any) -> Iterator[bytes]:
        small = environ["PATH_INFO"] == "/health"
        start_response("200 OK", [])
        yield from ([b"ok"] if small else [PIECE] * 320)

    monkeypatch.setattr(app, "wsgi_app", answer)


@pytest.fixture
def blog(make_app: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The application behind a proxy on this machine."""
    app = make_app(TRUSTED_PROXY="127.0.0.1")
    made = Blog(app.wsgi_app)
    monkeypatch.setattr(app, "wsgi_app", made)
    return SimpleNamespace(app=app, asked=made.asked, made=made)


@pytest.fixture
def peaks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The most that was unread at any moment, by address and, as `all`, in all."""
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
