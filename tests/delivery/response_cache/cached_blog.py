"""A response cache in front of a test's blog, and plain WSGI calls to it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Flask
from werkzeug.test import create_environ, run_wsgi_app

from blogapi.accounts.api_keys import service as api_keys
from blogapi.delivery.response_cache import commit_version
from blogapi.delivery.response_cache.commit_version import CommitVersionSource
from blogapi.delivery.response_cache.lru_cache import LRUCache
from blogapi.delivery.response_cache.middleware import ResponseCacheMiddleware
from blogapi.web import request_environ

Response = tuple[str, list[tuple[str, str]], bytes]


class RecordingApplication:
    """The application behind the cache. It records the requested paths, and a test may replace `respond`."""

    def __init__(self, app: Flask) -> None:
        self.paths: list[str] = []
        self.delay = 0.0
        self.respond: Any = partial(Flask.wsgi_app, app)

    def __call__(self, environ: Any, start_response: Any) -> Any:
        self.paths.append(environ["PATH_INFO"])
        time.sleep(self.delay)
        return self.respond(environ, start_response)


@dataclass(frozen=True)
class CachedBlog:
    """A Flask application, the response cache in front of it, and the parts of the cache."""

    app: Flask
    application: RecordingApplication
    source: CommitVersionSource
    middleware: ResponseCacheMiddleware

    @property
    def cache(self) -> LRUCache:
        return self.middleware.cache

    def get(self, path: str, key: str | None = None, **options: Any) -> Response:
        return call(self.middleware, make_environ(path, key, **options))


def add_cache(app: Flask, monkeypatch: Any, source: CommitVersionSource | None = None) -> CachedBlog:
    """Put an empty cache in front of the application; record the requests that are not served from it."""
    application = RecordingApplication(app)
    source = source or commit_version.create_version_source(app)
    middleware = ResponseCacheMiddleware(app, application, source, app.config["CACHE_MEGABYTES"] * 2**20)
    monkeypatch.setattr(app, "wsgi_app", middleware)
    request_environ.init_app(app, {}, lambda path: None)
    return CachedBlog(app, application, source, middleware)


def make_environ(
    path: str, key: str | None = None, *, method: str = "GET", query: str = "", **headers: str
) -> dict[str, Any]:
    key_header = {"X-API-KEY": key} if key else {}
    return create_environ(path, method=method, query_string=query, headers=key_header | headers)


def call(application: Any, environ: dict[str, Any]) -> Response:
    chunks, status, headers = run_wsgi_app(application, dict(environ), buffered=True)
    return status, list(headers), b"".join(chunks)


def open_response(application: Any, environ: dict[str, Any]) -> Any:
    """Send the request; return the response body without reading it."""
    return application(dict(environ), lambda status, headers, *_: None)


def warm(client: Any, path: str, **options: Any) -> Any:
    """Send the request twice and return the second response; the first one stores the use of the key."""
    for _ in range(2):
        response = client.get(path, **options)
        assert response.data is not None
    return response


def create_deleted_key(app: Flask) -> str:
    """Return the value of a key that has been deleted."""
    with app.app_context():
        key = api_keys.issue_key(None)
        api_keys.delete_key_unchecked(key.uuid)
        value: str = key.value
        return value
