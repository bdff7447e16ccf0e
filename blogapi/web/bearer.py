"""WSGI middleware that accepts `Authorization: Bearer` at the path of the MCP server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

MCP_PATH = "/mcp"


def init_app(app: Flask) -> None:
    """Wrap the application in the middleware, outside the limits on requests.

    At MCP_PATH, the middleware copies the token to the header X-API-KEY, which the limits, the logs and the
    access rules read. It also removes the cookies, so that a login gives no access.
    """
    application = app.wsgi_app

    def accept_token(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"].rstrip("/") == MCP_PATH:
            environ.pop("HTTP_COOKIE", None)
            scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
            if scheme.lower() == "bearer":
                environ.setdefault("HTTP_X_API_KEY", token.strip())
        return application(environ, start_response)

    app.wsgi_app = accept_token  # type: ignore[method-assign]
