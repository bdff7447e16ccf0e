"""Requests to the API from within a request of another protocol, such as MCP, with the key of its caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Flask, request
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from blogapi.config import AppState
from blogapi.storage.database import db
from blogapi.web.json import to_json_bytes
from blogapi.web.request_id import REQUEST_ID_KEY

_APPLICATION = AppState[Any]("inner-requests")
# The client's address, its API key and the request id. The cookies, `Host` and `Origin` are not copied.
_COPIED_KEYS = ("REMOTE_ADDR", "HTTP_X_API_KEY", REQUEST_ID_KEY)


@dataclass(frozen=True, slots=True)
class InnerResponse:
    """The response to an inner request."""

    status: int
    headers: Headers
    body: bytes


def init_app(app: Flask) -> None:
    """Store the application as it is now: with the response cache, but without the limits on requests."""
    _APPLICATION.set(app, app.wsgi_app)


def send_request(
    method: str,
    path: str,
    query: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> InnerResponse:
    """Return the response to a request; the body, if there is one, is sent as JSON.

    The redirect from a former slug is followed, once.
    """
    # The outer request must not hold a connection while the inner request waits for a connection.
    db.session.remove()
    response = _send_once(method, path, query, headers, body)
    if response.status == 308 and method == "GET":
        path = response.headers["Location"].partition("?")[0]
        response = _send_once(method, path, query, headers, body)
    return response


def _send_once(
    method: str, path: str, query: Sequence[tuple[str, str]], headers: Mapping[str, str] | None, body: Any
) -> InnerResponse:
    builder = EnvironBuilder(
        method=method,
        path=path,
        query_string=urlencode(query),
        headers=Headers(headers),
        data=None if body is None else to_json_bytes(body),
        content_type=None if body is None else "application/json",
    )
    environ = builder.get_environ()
    environ |= {name: request.environ[name] for name in _COPIED_KEYS if name in request.environ}
    application = _APPLICATION.get()
    chunks, status, sent = run_wsgi_app(application, environ, buffered=True)
    return InnerResponse(int(status.split()[0]), sent, b"".join(chunks))
