"""The id of a request, which its response and its log lines contain, and the WSGI key of its route."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

REQUEST_ID_HEADER = "X-Request-ID"
# An API key that a client sends by mistake is not accepted as an id, because ids are logged.
REQUEST_ID_PATTERN = "(?!blogapi_)[A-Za-z0-9._-]{1,64}"

# Keys of the WSGI environment: the id of the request, and the URL rule of its view.
REQUEST_ID_KEY = "blogapi.request_id"
ROUTE_KEY = "blogapi.route"


def choose_request_id(sent: str | None) -> str:
    """Return the id that the client sent if it is well-formed, otherwise a new one."""
    return sent if sent and re.fullmatch(REQUEST_ID_PATTERN, sent, re.ASCII) else secrets.token_hex(8)


def init_app(app: Flask) -> None:
    """Wrap the application in a middleware that gives each request an id and adds it to the response.

    The middleware wraps the response cache, so that a cached response has the id of the current request.
    """
    application = app.wsgi_app

    def add_id(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request_id = environ[REQUEST_ID_KEY] = choose_request_id(environ.get("HTTP_X_REQUEST_ID"))

        def start_with_id(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            return start_response(status, [*headers, (REQUEST_ID_HEADER, request_id)], *exc_info)

        return application(environ, start_with_id)

    app.wsgi_app = add_id  # type: ignore[method-assign]
