"""Limits on all requests, by address and by key: in front of the application and of its replayed answers.

Only there where a setting asks for it: without a limit no request does more for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

from blogapi import hooks
from blogapi.api_keys import rules
from blogapi.core import errors, limits, wire
from blogapi.core.counters import Counted
from blogapi.core.errors import TooManyRequests

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# A supervisor that is refused would end a service that only works hard.
_FREE = ("/health", "/health/")


class Throttle:
    """A WSGI application that lets through to another what the limits allow."""

    def __init__(self, app: Flask, application: WSGIApplication) -> None:
        self._app, self._application = app, application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request, by a 429 where its address or its key has asked too often."""
        wait = 0.0 if environ["PATH_INFO"] in _FREE else limits.of(self._app).count(*self._tries(environ))
        if not wait:
            return self._application(environ, start_response)
        return self._refuse(limits.refusal(wait), environ, start_response)

    def _tries(self, environ: WSGIEnvironment) -> Iterable[Counted]:
        config = self._app.config
        address = limits.network_of(environ.get("REMOTE_ADDR", ""))
        yield "REQUEST_ADDRESS_LIMIT", config["REQUEST_ADDRESS_LIMIT"], address
        key = environ.get("HTTP_X_API_KEY", "")
        if config["REQUEST_KEY_LIMIT"] and rules.well_formed(key):
            yield "REQUEST_KEY_LIMIT", config["REQUEST_KEY_LIMIT"], rules.digest(key)

    def _refuse(
        self, error: TooManyRequests, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        body = errors.body(error.status, error.code, error.detail)
        headers = dict(wire.refusal_headers()) | error.headers | {"Content-Length": str(len(body))}
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            headers["Cache-Control"] = wire.REVALIDATED
        origin = environ.get("HTTP_ORIGIN")
        if origin and origin in self._app.config["CORS_ORIGINS"]:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = ", ".join(hooks.EXPOSED)
        start_response("429 Too Many Requests", list(headers.items()))
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]


def init_app(app: Flask) -> None:
    """Put the limits in front of the application, where there are any."""
    if app.config["REQUEST_ADDRESS_LIMIT"] or app.config["REQUEST_KEY_LIMIT"]:
        app.wsgi_app = Throttle(app, app.wsgi_app)  # type: ignore[method-assign]
