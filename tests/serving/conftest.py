"""Fixtures: a server, and applications whose answers a test controls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from blogapi.serving import channel, parser
from blogapi.serving import server as serving
from tests.live import running

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
