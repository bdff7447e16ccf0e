"""The access log: one line for each request, written by a separate thread.

A line contains no key, cookie, password, search text or secret link.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from blogapi.web.logs import API_KEY_PATTERN, FORMATTED_KEY, format_log_time, get_key_prefix

logger = logging.getLogger("blogapi.access")

# The maximum time that an entry waits, in seconds, so that several entries are written together.
BATCH_SECONDS = 0.1
# The maximum number of entries that wait while the output is blocked. Further entries are only counted.
MAX_WAITING_ENTRIES = 100_000

_UNQUOTED_CHARACTERS = r"/?:@!$&'()*+,;=-._~%"


class AccessLogEntry(NamedTuple):
    """A finished request, as one entry of the access log.

    `at` is the time at which the response ended, in seconds since 1970. `seconds` is the time from the last
    received byte of the request to the end of the response. `user` is the name of the user who is logged in.
    """

    at: float
    method: str
    path: str
    route: str
    status: str
    seconds: float
    size: int
    request_id: str
    key: str
    client: str
    user: str = ""


class AccessLog:
    """Passes entries to its handlers in a separate thread; `close` waits for the last entries."""

    def __init__(self, *handlers: Callable[[Sequence[AccessLogEntry]], None]) -> None:
        self._handlers = handlers
        self._waiting: deque[AccessLogEntry] = deque()
        self._lost = 0
        self._has_entries, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run_handler_loop, name="access_log", daemon=True)
        self._thread.start()

    def add_entry(self, entry: AccessLogEntry) -> None:
        """Add an entry, or drop and count it if too many entries are waiting."""
        if len(self._waiting) >= MAX_WAITING_ENTRIES:
            self._lost += 1
            return
        self._waiting.append(entry)
        if not self._has_entries.is_set():
            self._has_entries.set()

    def close(self) -> None:
        """Pass the waiting entries to the handlers, then stop the thread."""
        self._closing.set()
        self._has_entries.set()
        self._thread.join(5)

    def _run_handler_loop(self) -> None:
        while not self._closing.is_set():
            self._has_entries.wait()
            self._closing.wait(BATCH_SECONDS)
            self._has_entries.clear()
            self._handle_waiting_entries()
        self._handle_waiting_entries()

    def _handle_waiting_entries(self) -> None:
        entries = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if entries:
            for handle in self._handlers:
                handle(entries)
        if self._lost:
            lost, self._lost = self._lost, 0
            logger.warning("%d requests are missing from this log because its output was blocked.", lost)


def make_log_handler(log_format: str) -> Callable[[Sequence[AccessLogEntry]], None]:
    """Return a handler that logs entries in the format `text` or `json`.

    Each batch of entries is one log record, because creating a record costs more than formatting a line.
    """
    # Whether requests are logged depends only on ACCESS_LOG, not on LOG_LEVEL.
    logger.setLevel(logging.INFO)
    line, extra = {"text": format_text_line, "json": format_json_line}[log_format], {FORMATTED_KEY: True}
    return lambda entries: logger.info("%s", "\n".join(map(line, entries)), extra=extra)


def make_count_handler(
    count: Callable[[str, str, str, float], None],
) -> Callable[[Sequence[AccessLogEntry]], None]:
    """Return a handler that calls `count` with the route, method, status and seconds of each entry."""

    def count_entries(entries: Sequence[AccessLogEntry]) -> None:
        for entry in entries:
            count(entry.route, entry.method, entry.status, entry.seconds)

    return count_entries


def format_text_line(entry: AccessLogEntry) -> str:
    """Return the entry as a line of text, with the key's prefix or the user; `-` is an absent value."""
    at, method, path, route, status, seconds, size, request_id, key, client, user = entry
    caller = find_key_prefix(key) or quote(user) or "-"
    return (
        f"{_format_second(int(at))}.{int(at % 1 * 1000):03}Z {method[:20] or '-'} "
        f"{make_loggable_path(path, route)} {route or '-'} {status[:3]} "
        f"{seconds * 1000:.1f}ms {size}B {request_id} {caller} {client or '-'}"
    )


def format_json_line(entry: AccessLogEntry) -> str:
    """Return the entry as a line of JSON, with null for absent values."""
    fields = {
        "time": f"{_format_second(int(entry.at))}.{int(entry.at % 1 * 1000):03}Z",
        "method": entry.method[:20] or None,
        "path": make_loggable_path(entry.path, entry.route),
        "route": entry.route or None,
        "status": int(entry.status[:3]),
        "ms": round(entry.seconds * 1000, 1),
        "bytes": entry.size,
        "request_id": entry.request_id,
        "key": find_key_prefix(entry.key) or None,
        "user": entry.user or None,
        "client": entry.client or None,
    }
    return json.dumps(fields, separators=(",", ":"))


# Cached, because the formatting functions call it for each request.
find_key_prefix = lru_cache(1024)(get_key_prefix)


@lru_cache(4096)
def make_loggable_path(path: str, route: str) -> str:
    """Return the path percent-encoded and without secrets, so that it can be logged.

    `path` contains bytes that were decoded as Latin-1, as in WSGI. If no route matches the path, it may
    contain a secret that a client sent by mistake, so long words are replaced.
    """
    if "<token>" in route:
        return route
    plain = API_KEY_PATTERN.sub(r"\1*", path)
    if not route:
        plain = re.sub(r"[\w~-]{24,}", "*", plain)
    return quote(plain[:1000].encode("latin-1", "replace"), safe=_UNQUOTED_CHARACTERS) or "-"


@lru_cache(4)
def _format_second(at: int) -> str:
    return format_log_time(at).partition(".")[0]
