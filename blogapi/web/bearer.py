"""WSGI middleware that accepts `Authorization: Bearer` at the path of the MCP server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MCP_PATH = "/mcp"


class BearerMiddleware:
    """Copies the token to the header X-API-KEY, which the limits, the logs and the access rules read."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Return the body of the response; at MCP_PATH, cookies are removed, so a login gives no access."""
        if environ["PATH_INFO"].rstrip("/") == MCP_PATH:
            environ.pop("HTTP_COOKIE", None)
            scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
            if scheme.lower() == "bearer":
                environ.setdefault("HTTP_X_API_KEY", token.strip())
        return self._application(environ, start_response)


def init_app(app: Flask) -> None:
    """Wrap the application in the middleware, outside the limits on requests."""
    app.wsgi_app = BearerMiddleware(app.wsgi_app)  # type: ignore[method-assign]
