"""What tells a request in the logs: its id, which each answer carries, and the rule that it matched."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

REQUEST_ID_HEADER = "X-Request-ID"

# Where the environment of a request tells its id, and the rule of its view.
REQUEST_ID_KEY = "blogapi.request_id"
ROUTE_KEY = "blogapi.route"

# A key that somebody puts there by mistake is none: an id is logged.
_WELL_FORMED = re.compile(r"(?!blogapi_)[A-Za-z0-9._-]{1,64}", re.ASCII)


def choose_request_id(given: str | None) -> str:
    """Return the id that the caller gave, where it can stand in a log; else a new one."""
    return given if given and _WELL_FORMED.fullmatch(given) else secrets.token_hex(8)


class RequestIdMiddleware:
    """A WSGI application whose answers carry the id of their request.

    It stands outside of whatever keeps answers: an id belongs to one request.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Name the request and have it answered."""
        name = environ[REQUEST_ID_KEY] = choose_request_id(environ.get("HTTP_X_REQUEST_ID"))

        def named(status: str, headers: list[tuple[str, str]], *failed: Any) -> Any:
            return start_response(status, [*headers, (REQUEST_ID_HEADER, name)], *failed)

        return self._application(environ, named)


def init_app(app: Flask) -> None:
    """Name every request."""
    app.wsgi_app = RequestIdMiddleware(app.wsgi_app)  # type: ignore[method-assign]
