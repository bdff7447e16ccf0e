"""WSGI middleware that sends cached responses while their content cannot have changed.

`authentication.authorize_request`, which runs before each view, decides which responses may be cached, and
until when. A cached response is sent only for the same request with the same API key.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header
from werkzeug.wsgi import ClosingIterator

from blogapi import clock
from blogapi.config import AppState
from blogapi.content.articles.queries import get_next_publication_time
from blogapi.delivery.response_cache import commit_version
from blogapi.delivery.response_cache.commit_version import CommitVersion, CommitVersionSource
from blogapi.delivery.response_cache.lru_cache import CachedResponse, LRUCache
from blogapi.site.served_paths import SEARCH_PATH, is_site_path
from blogapi.web import headers, metrics, request_environ
from blogapi.web.access import get_access
from blogapi.web.operation import get_operation

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# The WSGI environ key that the server sets to ask only for a cached response.
ONLY_CACHED_KEY = "blogapi.only-cached"

# WSGI environ keys for the time until which a response is valid, and whether it shows drafts.
CACHEABLE_UNTIL_KEY, SHOWS_DRAFTS_KEY = "blogapi.until", "blogapi.shows-drafts"
# The WSGI environ key that stores the commit version of a response that may be cached.
COMMIT_VERSION_KEY = "blogapi.commit-version"

NO_EXPIRY = datetime.max.replace(tzinfo=UTC)

# WSGI environ keys whose values form the cache key, together with the API key.
_CACHE_KEY_VARIABLES = (
    *("REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "HTTP_HOST", "HTTP_ORIGIN"),
    *("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE"),
)
_CACHEABLE_STATUSES: tuple[str, ...] = ("200 ", "304 ", "308 ")
# The statuses of missing pages in the site for readers, and of custom redirects.
_MISSING_STATUSES, _REDIRECT_STATUSES = ("404 ", "410 "), ("301 ", "302 ")
# The share of the cache for responses to unknown addresses; clients can request any number of addresses.
_MISSING_PAGES_SHARE = 0.1


class NotCached(Exception):
    """The response is not in the cache; raised only if the server asks only for a cached response."""


@dataclass(slots=True)
class _PendingResponse:
    """A response that is being computed; its data is at least as new as `version` and `started_at`."""

    cache_key: Hashable
    version: CommitVersion
    started_at: datetime
    local_started_at: datetime
    status: str = ""
    route: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)


class ResponseCacheMiddleware:
    """A WSGI application that caches the responses of another WSGI application."""

    def __init__(
        self,
        app: Flask,
        application: WSGIApplication,
        source: CommitVersionSource,
        max_bytes: int,
        get_generation: Callable[[], str] = str,
    ) -> None:
        """Create the cache; `get_generation` returns a text that changes with the theme."""
        missing_bytes = int(max_bytes * _MISSING_PAGES_SHARE)
        self.cache, self.missing_pages = LRUCache(max_bytes - missing_bytes), LRUCache(missing_bytes)
        self.misses = 0
        self._get_generation = get_generation
        self.source = source
        self._app, self._application = app, application
        self._public_paths = _list_cacheable_paths(app, checks_credentials=False)
        self._guest_paths = _list_cacheable_paths(app, checks_credentials=True)
        # The prefixes of paths whose responses can be cached for requests without a key.
        self.keyless_paths = self._public_paths + self._guest_paths
        self._lock = threading.Lock()
        # A public version number, a time, and the time of the first scheduled publication after that time.
        self._next_due = (-1, NO_EXPIRY, NO_EXPIRY)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Return the body of the response, from the cache if possible.

        Raises NotCached if the server asks only for a cached response and the cache has none.
        """
        pending = (
            self._make_pending_response(environ) if environ["REQUEST_METHOD"] in ("GET", "HEAD") else None
        )
        if pending is not None:
            values = pending.cache_key, pending.version, pending.started_at
            if cached := self.cache.get(*values) or self.missing_pages.get(*values):
                return _send_cached_response(cached, environ, start_response)
        if ONLY_CACHED_KEY in environ:
            raise NotCached
        if pending is None:
            return self._application(environ, start_response)
        environ[COMMIT_VERSION_KEY] = pending.version.public
        return self._compute_response(pending, environ, start_response)

    def _make_pending_response(self, environ: WSGIEnvironment) -> _PendingResponse | None:
        """Return the response to compute, with its cache key and version, or None if it cannot be cached."""
        api_key = environ.get("HTTP_X_API_KEY", "")
        if (
            not self._depends_only_on_cache_key(environ)
            or environ.get("CONTENT_LENGTH", "0") not in ("", "0")
            or "HTTP_TRANSFER_ENCODING" in environ
        ):
            return None
        version = self.source.get_version(
            since=environ.get(commit_version.RECEIVED_KEY),
            # A request with a deleted key must be refused immediately.
            strict=bool(api_key),
        )
        if version is None:
            return None
        now = clock.now()
        # The Content-Security-Policy of a page over TLS differs from the policy without TLS.
        variant = f"{self._get_generation()} {environ['wsgi.url_scheme']}" if is_page_request(environ) else ""
        key = _make_cache_key(environ, api_key, variant)
        return _PendingResponse(key, version, version.time or now, now)

    def _depends_only_on_cache_key(self, environ: WSGIEnvironment) -> bool:
        """Return whether the response depends only on values in the cache key, and not on a login."""
        path = environ["PATH_INFO"]
        if is_site_path(path):
            return is_page_request(environ)
        if environ.get("HTTP_X_API_KEY") or path.startswith(self._public_paths):
            return True
        # An empty key counts as credentials, because it is refused; a cookie can contain a session.
        has_credentials = "HTTP_X_API_KEY" in environ or "HTTP_COOKIE" in environ
        return not has_credentials and path.startswith(self._guest_paths)

    def _compute_response(
        self, pending: _PendingResponse, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        def record_start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            pending.status, pending.headers = status, list(headers)
            pending.route = environ.get(request_environ.ROUTE_KEY, "")
            return start_response(status, headers, *exc_info)

        chunks = self._application(environ, record_start)
        expires, statuses = environ.get(CACHEABLE_UNTIL_KEY), _CACHEABLE_STATUSES
        if is_page_request(environ):
            statuses += _MISSING_STATUSES + _REDIRECT_STATUSES
        if expires is None or not pending.status.startswith(statuses):
            return chunks
        with self._lock:
            self.misses += 1
        lengths = [int(value) for name, value in pending.headers if name.lower() == "content-length"]
        collected = _collect_body(
            chunks,
            max_bytes=self.cache.max_response_bytes,
            length=lengths[0] if lengths else None,
            on_end=partial(self._store_response, pending, expires, environ.get(SHOWS_DRAFTS_KEY, True)),
        )
        # Closing a generator that has not started would not close the response.
        return ClosingIterator(collected, getattr(chunks, "close", None))

    def _store_response(
        self, pending: _PendingResponse, expires: datetime, shows_drafts: bool, body: bytes
    ) -> None:
        """Cache the response until `expires` or, if that is earlier, until the next scheduled publication."""
        # The response is already being sent, so a database error must not break it.
        with suppress(SQLAlchemyError):
            # API keys expire by the clock of this process, but cached responses by the clock of the database.
            expires += min(pending.started_at - pending.local_started_at, timedelta())
            response = CachedResponse(
                status=pending.status,
                headers=pending.headers,
                body=body,
                created_at=pending.started_at,
                valid_until=min(expires, self._get_next_publication(pending)),
                version=pending.version,
                shows_drafts=shows_drafts,
                route=pending.route,
            )
            is_missing = pending.status.startswith(_MISSING_STATUSES)
            (self.missing_pages if is_missing else self.cache).put(pending.cache_key, response)

    def _get_next_publication(self, pending: _PendingResponse) -> datetime:
        """Return the time of the first scheduled publication after the request started.

        The result can be in the past; then the response is never sent again, because an item that was
        published during the request may be missing from it.
        """
        public, since, due = self._next_due
        if public != pending.version.public or not since <= pending.started_at < due:
            with self._app.app_context():
                due = get_next_publication_time(pending.started_at) or NO_EXPIRY
            self._next_due = (pending.version.public, pending.started_at, due)
        return due


def _collect_body(
    chunks: Iterable[bytes], *, max_bytes: int, length: int | None, on_end: Callable[[bytes], None]
) -> Iterator[bytes]:
    """Yield the chunks of a response, and call `on_end` with the whole body, if it has at most `max_bytes`.

    If `length` is known, `on_end` is called before the last chunk is yielded, because a client may read that
    chunk slowly.
    """
    iterator, collected, size = iter(chunks), list[bytes](), 0
    for chunk in iterator:
        collected.append(chunk)
        size += len(chunk)
        if size > max_bytes or size == length:
            if size <= max_bytes:
                on_end(b"".join(collected))
            collected.clear()
            yield chunk
            yield from iterator
            return
        yield chunk
    on_end(b"".join(collected))


RESPONSE_CACHE = AppState[ResponseCacheMiddleware]("response-cache")


def init_app(app: Flask, get_generation: Callable[[], str]) -> None:
    """Wrap the application in the response cache; for `get_generation`, see ResponseCacheMiddleware."""
    source, max_bytes = commit_version.create_version_source(app), app.config["CACHE_MEGABYTES"] * 2**20
    middleware = ResponseCacheMiddleware(app, app.wsgi_app, source, max_bytes, get_generation)
    caches = middleware.cache, middleware.missing_pages
    RESPONSE_CACHE.set(app, middleware)
    app.wsgi_app = middleware  # type: ignore[method-assign]
    metrics.add_counter(
        app, "cache_hits", "Responses sent from the cache.", lambda: sum(lru.hits for lru in caches)
    )
    metrics.add_counter(app, "cache_misses", "Cacheable responses computed.", lambda: middleware.misses)
    metrics.add_gauge(
        app, "cache_bytes", "Memory used by cached responses.", lambda: sum(lru.used_bytes for lru in caches)
    )


def _send_cached_response(
    response: CachedResponse, environ: WSGIEnvironment, start_response: StartResponse
) -> list[bytes]:
    environ[request_environ.ROUTE_KEY] = response.route
    start_response(response.status, list(response.headers))
    # The server takes the length of a single chunk as Content-Length, so an empty body must have no chunk.
    return [response.body] if response.body else []


def _list_cacheable_paths(app: Flask, *, checks_credentials: bool) -> tuple[str, ...]:
    """Return the path prefixes of the cacheable views that need no credentials.

    With `checks_credentials`, return only the paths whose responses depend on the credentials in a request;
    otherwise return only the other paths.
    """
    views = ((rule.rule, app.view_functions[rule.endpoint]) for rule in app.url_map.iter_rules())
    paths = {
        path.partition("<")[0].rstrip("/")
        for path, view in views
        if get_operation(view).cacheable
        and (access := get_access(view, public_reads=app.config["PUBLIC_READS"]))
        and not access.rule.requires_credentials
        and access.rule.checks_credentials is checks_credentials
    }
    return tuple(sorted(paths))


def is_page_request(environ: WSGIEnvironment) -> bool:
    """Return whether the request is for a page of the site for readers, if the site is on.

    A page is the same for everyone, so a cookie does not matter. Responses to requests with a key, and to
    searches, are not stored.
    """
    path = environ["PATH_INFO"]
    is_search = path == SEARCH_PATH and "q=" in environ.get("QUERY_STRING", "")
    return "HTTP_X_API_KEY" not in environ and is_site_path(path) and not is_search


def allow_caching(environ: WSGIEnvironment) -> None:
    """Mark the response to this request as cacheable; the response must be the same for everyone."""
    environ[CACHEABLE_UNTIL_KEY], environ[SHOWS_DRAFTS_KEY] = NO_EXPIRY, False


def _make_cache_key(environ: WSGIEnvironment, api_key: str, variant: str) -> Hashable:
    # Programs that ask for JSON get another representation of the home page.
    is_json = environ["PATH_INFO"] == "/" and headers.asks_for_json(
        parse_accept_header(environ.get("HTTP_ACCEPT"), MIMEAccept)
    )
    # On other paths, only `Accept` headers with Markdown change the response; all others share a cache key.
    accept = environ.get("HTTP_ACCEPT", "")
    negotiated = accept if "markdown" in accept.lower() else ""
    # The cache key is a digest, because API keys are never stored in plain text and the values may be long.
    values = repr((api_key, variant, is_json, negotiated, *map(environ.get, _CACHE_KEY_VARIABLES)))
    return hashlib.sha256(values.encode("utf-8", "surrogatepass")).digest()
