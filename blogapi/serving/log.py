"""One line for each request: written beside the requests, which do not wait for it.

A line tells neither a key, a cookie, a password, what was searched for, nor a link that is a secret.
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

# How long a line may wait for others to be written with, in seconds.
GATHER = 0.1
# How many may wait while nobody takes what is written; more are counted only.
MAX_WAITING = 100_000

# Of a key, what the lists of keys show too; only of what can be one.
_KEY = re.compile(r"(blogapi_[0-9A-Za-z]{6})[0-9A-Za-z]{32}", re.ASCII)
_SHOWN = r"/?:@!$&'()*+,;=-._~%"


class AccessLogEntry(NamedTuple):
    """A request that was answered; `at` in seconds since 1970, `seconds` from its last byte on."""

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
    """Hands what was served to its takers, in a thread of its own; nothing is lost at the end."""

    def __init__(self, *takers: Callable[[Sequence[AccessLogEntry]], None]) -> None:
        self._takers = takers
        self._waiting: deque[AccessLogEntry] = deque()
        self._lost = 0
        self._some, self._ends = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def add(self, served: AccessLogEntry) -> None:
        """Take in one more."""
        if len(self._waiting) >= MAX_WAITING:
            self._lost += 1
            return
        self._waiting.append(served)
        if not self._some.is_set():
            self._some.set()

    def close(self) -> None:
        """Hand on what waits, and end."""
        self._ends.set()
        self._some.set()
        self._thread.join(5)

    def _run(self) -> None:
        while not self._ends.is_set():
            self._some.wait()
            self._ends.wait(GATHER)
            self._some.clear()
            self._hand_on()
        self._hand_on()

    def _hand_on(self) -> None:
        found = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if found:
            for take in self._takers:
                take(found)
        if self._lost:
            lost, self._lost = self._lost, 0
            logger.warning("%d requests are not in this log: nobody took its lines.", lost)


def log_lines(form: str) -> Callable[[Sequence[AccessLogEntry]], None]:
    """Return the taker that logs lines of that form, `text` or `json`: to stderr, unless logging is set up.

    Lines that come together are one record of Python's logging, which costs more than the line.
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
    """Return the taker that counts by route, method, status and seconds."""

    def take(found: Sequence[AccessLogEntry]) -> None:
        for one in found:
            count(one.route, one.method, one.status, one.seconds)

    return take


def format_text(served: AccessLogEntry) -> str:
    """Return the line: time, method, path, route, status, milliseconds, bytes, request id, key's start."""
    at, method, path, route, status, seconds, size, request_id, key = served
    return (
        f"{_second(int(at))}.{int(at % 1 * 1000):03}Z {method[:20] or '-'} "
        f"{loggable_path(path, route)} {route or '-'} {status[:3]} "
        f"{seconds * 1000:.1f}ms {size}B {request_id} {key_prefix(key) or '-'}"
    )


def format_json(served: AccessLogEntry) -> str:
    """Return the line as JSON; what there is none of is null."""
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
    """Return the path as it may be logged: in one word, without a secret.

    `path` holds bytes as latin-1. A path that nothing is at can hold anything that was meant for elsewhere.
    """
    if "<token>" in route:
        return route
    plain = _KEY.sub(r"\1*", path)
    if not route:
        plain = re.sub(r"[\w~-]{24,}", "*", plain)
    return quote(plain[:1000].encode("latin-1", "replace"), safe=_SHOWN) or "-"


@lru_cache(1024)
def key_prefix(key: str) -> str:
    """Return what may be seen of a key; nothing of what can be none."""
    found = _KEY.fullmatch(key)
    return found[1] if found else ""


@lru_cache(4)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")
