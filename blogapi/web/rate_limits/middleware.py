"""WSGI middleware that limits all requests by address and by API key.

The middleware runs before the response cache, and is installed only if the settings limit requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flask import Flask

from blogapi.web import errors, headers, key_format
from blogapi.web.errors import TooManyRequests
from blogapi.web.key_format import digest_token
from blogapi.web.rate_limits import limiter
from blogapi.web.rate_limits.memory import Attempt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# Health checks have no limit, because a supervisor that receives a 429 response could restart the service.
_UNLIMITED_PATHS = ("/health", "/health/")


class RateLimitMiddleware:
    """A WSGI application that returns 429 for requests over a limit and passes on all other requests."""

    def __init__(self, app: Flask, application: WSGIApplication) -> None:
        self._app, self._application = app, application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Return the body of the response; its status is 429 if the address or the key exceeds its limit."""
        if environ["PATH_INFO"] in _UNLIMITED_PATHS:
            return self._application(environ, start_response)
        wait = limiter.COUNTERS.get(self._app).count_attempts(*self._list_attempts(environ))
        if wait:
            return self._refuse_request(limiter.make_limit_error(wait), environ, start_response)
        return self._application(environ, start_response)

    def _list_attempts(self, environ: WSGIEnvironment) -> Iterator[Attempt]:
        config = self._app.config
        address = limiter.get_address_key(environ.get("REMOTE_ADDR", ""))
        yield "REQUEST_ADDRESS_LIMIT", config["REQUEST_ADDRESS_LIMIT"], address
        key = environ.get("HTTP_X_API_KEY", "")
        if config["REQUEST_KEY_LIMIT"] and key_format.is_well_formed_key(key):
            yield "REQUEST_KEY_LIMIT", config["REQUEST_KEY_LIMIT"], digest_token(key)

    def _refuse_request(
        self, error: TooManyRequests, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        body = errors.make_problem_body(error.status, error.code, error.detail)
        sent = dict(headers.make_error_headers()) | error.headers | {"Content-Length": str(len(body))}
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            sent["Cache-Control"] = headers.NO_CACHE
        sent |= headers.make_cors_headers(environ.get("HTTP_ORIGIN"), self._app.config["CORS_ORIGINS"])
        start_response("429 Too Many Requests", list(sent.items()))
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]


def has_request_limit(app: Flask) -> bool:
    """Return whether a limit on requests is set."""
    return bool(app.config["REQUEST_ADDRESS_LIMIT"] or app.config["REQUEST_KEY_LIMIT"])


def init_app(app: Flask) -> None:
    """Wrap the application in the middleware if a limit on requests is set."""
    if has_request_limit(app):
        app.wsgi_app = RateLimitMiddleware(app, app.wsgi_app)  # type: ignore[method-assign]
