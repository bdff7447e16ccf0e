"""Limits on all requests, by address and by key: in front of the application and of its cacheable answers.

Only there where a setting asks for it: without a limit no request does more for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

from blogapi.rate_limits import limiter
from blogapi.rate_limits.memory import Attempt
from blogapi.web import errors, key_format
from blogapi.web import headers as web_headers
from blogapi.web import headers as wire
from blogapi.web.errors import TooManyRequests
from blogapi.web.tokens import digest_token

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# A supervisor that is refused would end a service that only works hard.
_FREE = ("/health", "/health/")


class RateLimitMiddleware:
    """A WSGI application that lets through to another what the limits allow."""

    def __init__(self, app: Flask, application: WSGIApplication) -> None:
        self._app, self._application = app, application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request, by a 429 where its address or its key has asked too often."""
        wait = (
            0.0
            if environ["PATH_INFO"] in _FREE
            else limiter.get_counters(self._app).count(*self._tries(environ))
        )
        if not wait:
            return self._application(environ, start_response)
        return self._refuse(limiter.too_many_requests(wait), environ, start_response)

    def _tries(self, environ: WSGIEnvironment) -> Iterable[Attempt]:
        config = self._app.config
        address = limiter.address_key(environ.get("REMOTE_ADDR", ""))
        yield "REQUEST_ADDRESS_LIMIT", config["REQUEST_ADDRESS_LIMIT"], address
        key = environ.get("HTTP_X_API_KEY", "")
        if config["REQUEST_KEY_LIMIT"] and key_format.is_well_formed(key):
            yield "REQUEST_KEY_LIMIT", config["REQUEST_KEY_LIMIT"], digest_token(key)

    def _refuse(
        self, error: TooManyRequests, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        body = errors.problem_body(error.status, error.code, error.detail)
        headers = dict(wire.error_headers()) | error.headers | {"Content-Length": str(len(body))}
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            headers["Cache-Control"] = wire.NO_CACHE
        origin = environ.get("HTTP_ORIGIN")
        if origin and origin in self._app.config["CORS_ORIGINS"]:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = ", ".join(web_headers.CORS_EXPOSED_HEADERS)
        start_response("429 Too Many Requests", list(headers.items()))
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]


def init_app(app: Flask) -> None:
    """Put the limits in front of the application, where there are any."""
    if app.config["REQUEST_ADDRESS_LIMIT"] or app.config["REQUEST_KEY_LIMIT"]:
        app.wsgi_app = RateLimitMiddleware(app, app.wsgi_app)  # type: ignore[method-assign]
