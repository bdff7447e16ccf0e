"""Answers given again: in front of the application, for as long as nothing that they show can have changed.

The hook before each request stays the only judge: what it has not allowed to be kept is never given
again, and what it allowed, it allowed to exactly this request with exactly this key.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from blogapi import clock
from blogapi.articles import queries as articles
from blogapi.metrics import registry
from blogapi.response_cache.lru_cache import GIVE_UP, CachedResponse, LRUCache
from blogapi.storage import commit_version
from blogapi.storage.commit_version import CommitVersionSource
from blogapi.web import request_id

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# Where the hook says until when the answer holds.
CACHEABLE_UNTIL_KEY = "blogapi.until"

NO_EXPIRY = datetime.max.replace(tzinfo=UTC)

# How long a request waits for another one's answer to the same question, in seconds.
WAIT_SECONDS = 5

# What of a request the application looks at, beside its key.
_LOOKED_AT = (
    *("REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "HTTP_HOST", "HTTP_ORIGIN"),
    *("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE"),
)
_STATUSES = ("200 ", "304 ")


@dataclass(slots=True)
class _Asked:
    """A request: what makes it this one, and the state and time before anything was read for it."""

    request: Hashable
    state: int
    now: datetime
    status: str = ""
    route: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)


class ResponseCacheMiddleware:
    """A WSGI application that gives the answers of another again.

    A crowd that asks the same at once has the answer made once.
    """

    def __init__(
        self, app: Flask, application: WSGIApplication, source: CommitVersionSource, size: int
    ) -> None:
        self.shelf = LRUCache(size)
        self._app, self._application, self._source = app, application, source
        self._lock = threading.Lock()
        self.misses = 0
        self._made: dict[Hashable, threading.Event] = {}
        self._due = (-1, NO_EXPIRY, NO_EXPIRY)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request, from memory where that is the same."""
        key = environ.get("HTTP_X_API_KEY")
        if key is None or environ["REQUEST_METHOD"] not in ("GET", "HEAD") or _has_body(environ):
            return self._application(environ, start_response)
        state = self._source.state(since=environ.get(commit_version.RECEIVED_KEY))
        if state is None:
            return self._application(environ, start_response)
        asked = _Asked(_request(environ, key), state, clock.now())
        answer = self.shelf.find(asked.request, state, asked.now)
        if answer is not None:
            return _again(answer, environ, start_response)
        before = self._claim(asked)
        if before is not None:
            before.wait(WAIT_SECONDS)
        # The one before us may have ended before our claim, and may have begun after our `now`.
        answer = self.shelf.find(asked.request, state, clock.now())
        if answer is None:
            answering = self._application if before is not None else partial(self._first, asked)
            return answering(environ, start_response)
        if before is None:
            self._done(asked)
        return _again(answer, environ, start_response)

    def _claim(self, asked: _Asked) -> threading.Event | None:
        """Take it on to make the answer; where another does already, return what tells its end."""
        with self._lock:
            made = self._made.get((asked.request, asked.state))
            if made is None:
                self._made[asked.request, asked.state] = threading.Event()
            return made

    def _first(
        self, asked: _Asked, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        def noting(status: str, headers: list[tuple[str, str]], *failed: Any) -> Any:
            asked.status, asked.headers = status, list(headers)
            asked.route = environ.get(request_id.ROUTE_KEY, "")
            return start_response(status, headers, *failed)

        try:
            chunks = self._application(environ, noting)
        except BaseException:
            self._done(asked)
            raise
        until = environ.get(CACHEABLE_UNTIL_KEY)
        if until is None or not asked.status.startswith(_STATUSES):
            self._done(asked)
            return chunks
        with self._lock:
            self.misses += 1
        most, length = self.shelf.largest, _length(asked.headers)
        collected = _Collected(chunks, most, length, partial(self._keep, asked, until))
        # Others who ask the same are not made to wait for this client.
        environ[GIVE_UP] = collected.give_up
        return collected

    def _keep(self, asked: _Asked, until: datetime, body: bytes | None) -> None:
        """Keep the answer, None where there is no whole one; whoever waits for it goes on."""
        try:
            # It is on its way already: a database that fails now must not break it.
            if body is not None:
                with suppress(SQLAlchemyError):
                    ends = min(until, self._next_due(asked))
                    answer = CachedResponse(asked.status, asked.headers, body, asked.now, ends, asked.route)
                    self.shelf.keep(asked.request, asked.state, answer)
        finally:
            self._done(asked)

    def _next_due(self, asked: _Asked) -> datetime:
        """Return when something scheduled becomes visible, seen from when the answer was asked for.

        Not from now: what became visible meanwhile may not be in the answer.
        """
        state, since, due = self._due
        if state != asked.state or not since <= asked.now < due:
            with self._app.app_context():
                due = articles.next_publication(asked.now) or NO_EXPIRY
            self._due = (asked.state, asked.now, due)
        return due

    def _done(self, asked: _Asked) -> None:
        with self._lock:
            made = self._made.pop((asked.request, asked.state), None)
        if made is not None:
            made.set()


class _Collected:
    """The chunks of an answer, handed on as they come; `keep` gets the body, or None if it is not whole.

    Where its `length` is told, it is whole before the last chunk is: a client may take its time with that.
    Not a generator, whose end would not be heard of where it was closed before its first chunk.
    """

    def __init__(
        self, chunks: Iterable[bytes], most: int, length: int | None, keep: Callable[[bytes | None], None]
    ) -> None:
        self._chunks, self._rest = chunks, iter(chunks)
        self._most, self._length, self._keep = most, length, keep
        self._held: list[bytes] | None = []
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            chunk = next(self._rest)
        except StopIteration:
            self._end(whole=True)
            raise
        except BaseException:
            self._end(whole=False)
            raise
        self._size += len(chunk)
        if self._held is not None:
            self._held.append(chunk)
        if self._size == self._length or self._size > self._most:
            self._end(whole=self._size == self._length)
        return chunk

    def give_up(self) -> None:
        """Keep nothing of the answer."""
        self._end(whole=False)

    def close(self) -> None:
        """Let go of the answer, which may not have been read to its end."""
        self.give_up()
        if hasattr(self._chunks, "close"):
            self._chunks.close()

    def _end(self, *, whole: bool) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._keep(b"".join(held) if whole else None)


def init_app(app: Flask) -> None:
    """Put the memory in front of the application."""
    source = commit_version.get_source(app)
    if source is None:
        return
    replay = ResponseCacheMiddleware(app, app.wsgi_app, source, app.config["CACHE_MEGABYTES"] * 2**20)
    app.extensions["blogapi-replay"] = replay
    app.wsgi_app = replay  # type: ignore[method-assign]
    registry.counter(app, "replay_hits", "Answers given again.", lambda: replay.shelf.hits)
    registry.counter(app, "replay_misses", "Answers made that could be given again.", lambda: replay.misses)
    registry.gauge(app, "replay_bytes", "Memory held by answers.", lambda: replay.shelf.held)


def _again(answer: CachedResponse, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    environ[request_id.ROUTE_KEY] = answer.route
    start_response(answer.status, list(answer.headers))
    # No chunk where there is no body: of a single one the server takes the length of the whole.
    return [answer.body] if answer.body else []


def _length(headers: Iterable[tuple[str, str]]) -> int | None:
    return next((int(value) for name, value in headers if name.lower() == "content-length"), None)


def _has_body(environ: WSGIEnvironment) -> bool:
    return environ.get("CONTENT_LENGTH", "0") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environ


def _request(environ: WSGIEnvironment, key: str) -> Hashable:
    # The digest, since a key is kept nowhere, and a query or a condition may be long.
    said = repr((key, *map(environ.get, _LOOKED_AT)))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()
