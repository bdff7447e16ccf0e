"""Requests to the API from within a request of another protocol, such as MCP, with the caller's API key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from flask import Flask, request
from werkzeug.test import Client, TestResponse

from blogapi.config import AppState
from blogapi.storage.database import db
from blogapi.web.request_environ import REQUEST_ID_KEY

_CLIENT = AppState[Client]("inner-requests")
# Inner requests get the client's address, its API key and the request id, but not its cookies and `Origin`.
_COPIED_KEYS = ("REMOTE_ADDR", "HTTP_X_API_KEY", REQUEST_ID_KEY)


def init_app(app: Flask) -> None:
    """Create the client for inner requests; it uses the response cache, but no rate limits."""
    _CLIENT.set(app, Client(app.wsgi_app, use_cookies=False))


def send_request(
    method: str,
    path: str,
    query: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> TestResponse:
    """Send a request to the API in this process and return its response; the body is sent as JSON.

    A GET follows the redirect from a former slug.
    """
    # The outer request must not hold a database connection while the inner request waits for one.
    db.session.remove()
    response = _CLIENT.get().open(
        method=method,
        path=path,
        query_string=urlencode(query),
        headers=dict(headers or {}),
        json=body,
        environ_overrides={name: request.environ[name] for name in _COPIED_KEYS if name in request.environ},
        buffered=True,
    )
    if response.status_code == 308 and method == "GET":
        return send_request(method, response.location.partition("?")[0], query, headers)
    return response
