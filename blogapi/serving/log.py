"""The access log: one line for each request, written by a thread of its own.

A line contains no key, cookie, password, search text or secret link.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

logger = logging.getLogger("blogapi.access")

# How long an entry may wait, so that several are written together, in seconds.
BATCH_SECONDS = 0.1
# How many entries may wait while the output is blocked; further ones are only counted.
MAX_WAITING = 100_000

# The prefix of a key that lists of keys show too, and the rest, which is a secret.
_KEY = re.compile(r"(blogapi_[0-9A-Za-z]{6})[0-9A-Za-z]{32}", re.ASCII)
_SHOWN = r"/?:@!$&'()*+,;=-._~%"


class AccessLogEntry(NamedTuple):
    """A finished request; `at` in seconds since 1970, `seconds` since its last byte was received."""

    at: float
    method: str
    path: str
    route: str
    status: str
    seconds: float
    size: int
    request_id: str
    key: str


class AccessLog:
    """Passes entries to its handlers in a thread of its own; `close` waits for the last ones."""

    def __init__(self, *handlers: Callable[[Sequence[AccessLogEntry]], None]) -> None:
        self._handlers = handlers
        self._waiting: deque[AccessLogEntry] = deque()
        self._lost = 0
        self._some, self._ends = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="access_log", daemon=True)
        self._thread.start()

    def add(self, served: AccessLogEntry) -> None:
        """Add an entry; it is dropped and counted if too many are waiting."""
        if len(self._waiting) >= MAX_WAITING:
            self._lost += 1
            return
        self._waiting.append(served)
        if not self._some.is_set():
            self._some.set()

    def close(self) -> None:
        """Pass on the waiting entries, then stop."""
        self._ends.set()
        self._some.set()
        self._thread.join(5)

    def _run(self) -> None:
        while not self._ends.is_set():
            self._some.wait()
            self._ends.wait(BATCH_SECONDS)
            self._some.clear()
            self._pass_on()
        self._pass_on()

    def _pass_on(self) -> None:
        found = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if found:
            for take in self._handlers:
                take(found)
        if self._lost:
            lost, self._lost = self._lost, 0
            logger.warning("%d requests are missing from this log: its output was blocked.", lost)


def log_lines(form: str) -> Callable[[Sequence[AccessLogEntry]], None]:
    """Return a handler that logs entries in that format, `text` or `json`: to stderr by default.

    Entries that arrive together share one record of Python's logging, which costs more than the line.
    """
    if not logger.hasHandlers():
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)
    line = {"text": format_text, "json": format_json}[form]
    return lambda found: logger.info("%s", "\n".join(map(line, found)))


def count_requests(
    count: Callable[[str, str, str, float], None],
) -> Callable[[Sequence[AccessLogEntry]], None]:
    """Return a handler that calls `count` with route, method, status and seconds."""

    def take(found: Sequence[AccessLogEntry]) -> None:
        for one in found:
            count(one.route, one.method, one.status, one.seconds)

    return take


def format_text(served: AccessLogEntry) -> str:
    """Return the line: time, method, path, route, status, milliseconds, bytes, request id, key prefix."""
    at, method, path, route, status, seconds, size, request_id, key = served
    return (
        f"{_second(int(at))}.{int(at % 1 * 1000):03}Z {method[:20] or '-'} "
        f"{loggable_path(path, route)} {route or '-'} {status[:3]} "
        f"{seconds * 1000:.1f}ms {size}B {request_id} {key_prefix(key) or '-'}"
    )


def format_json(served: AccessLogEntry) -> str:
    """Return the line as JSON, with null for absent values."""
    told = {
        "time": f"{_second(int(served.at))}.{int(served.at % 1 * 1000):03}Z",
        "method": served.method[:20] or None,
        "path": loggable_path(served.path, served.route),
        "route": served.route or None,
        "status": int(served.status[:3]),
        "ms": round(served.seconds * 1000, 1),
        "bytes": served.size,
        "request_id": served.request_id,
        "key": key_prefix(served.key) or None,
    }
    return json.dumps(told, separators=(",", ":"))


@lru_cache(4096)
def loggable_path(path: str, route: str) -> str:
    """Return the path in a form that may be logged: percent-encoded, without secrets.

    `path` holds bytes as latin-1. A path without a route may contain a secret that a client sent by mistake.
    """
    if "<token>" in route:
        return route
    plain = _KEY.sub(r"\1*", path)
    if not route:
        plain = re.sub(r"[\w~-]{24,}", "*", plain)
    return quote(plain[:1000].encode("latin-1", "replace"), safe=_SHOWN) or "-"


@lru_cache(1024)
def key_prefix(key: str) -> str:
    """Return the prefix of a key that may be logged; empty if the text is not a key."""
    found = _KEY.fullmatch(key)
    return found[1] if found else ""


@lru_cache(4)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")
