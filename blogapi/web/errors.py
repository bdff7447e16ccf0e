"""Errors as the caller sees them: one problem+json body (RFC 9457) for all.

Raise a `Problem` where the error is known; the handlers here write the body. Exceptions of other
libraries reach the handlers only when nobody could say more.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from flask import Flask, Response, current_app, request
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.http import HTTP_STATUS_CODES

from blogapi.web import request_id

# The order in which methods are listed wherever they are listed.
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

# Where the application keeps, until its next start, what was found of a damaged database: `/health` tells it.
DAMAGE_KEY = "blogapi.damage"

PROBLEM_JSON = "application/problem+json"

Errors = dict[str, list[str]]


class Problem(Exception):
    """An error with its status, its stable word and a sentence on what to do next."""

    status = 500
    code = "internal_error"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        errors: Errors | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = errors
        self.headers = dict(headers or {})

    def at(self, path: str) -> Problem:
        """Return the error as one of a part of the request, with the part's path in `errors`."""
        found = self.errors or {"": [self.detail]}
        self.errors = {
            ".".join(step for step in (path, field) if step): told for field, told in found.items()
        }
        return self


class Malformed(Problem):
    """The request cannot be read."""

    status, code = 400, "malformed"


class InvalidQuery(Problem):
    """A query parameter is unknown or has an impossible value."""

    status, code = 400, "invalid_query"


class Unauthorized(Problem):
    """Nobody we know is asking."""

    status, code = 401, "key_missing"

    def __init__(self, detail: str, *, code: str | None = None) -> None:
        super().__init__(detail, code=code, headers={"WWW-Authenticate": "ApiKey"})


class Forbidden(Problem):
    """We know who asks, and they may not."""

    status, code = 403, "forbidden"


class NotFound(Problem):
    """There is no such thing, or none that the caller may know of."""

    status, code = 404, "not_found"


class Conflict(Problem):
    """The request contradicts what is stored."""

    status, code = 409, "conflict"


class PreconditionFailed(Problem):
    """What the caller saw is not what is there now."""

    status, code = 412, "stale"

    def __init__(self, detail: str, *, etag: str | None) -> None:
        super().__init__(detail, headers={"ETag": etag} if etag else None)


class PreconditionRequired(Problem):
    """The blog demands that a change says what it is a change of."""

    status, code = 428, "if_match_required"


class UnsupportedMediaType(Problem):
    """The body is of a type that we do not read."""

    status, code = 415, "unsupported_media_type"


class Invalid(Problem):
    """The body can be read, but fields in it are wrong; `errors` names them all."""

    status, code = 422, "invalid_fields"


class TooManyRequests(Problem):
    """The caller exceeded a limit and may try again after `seconds`."""

    status, code = 429, "too_many_requests"

    def __init__(self, detail: str, *, seconds: int) -> None:
        super().__init__(detail, headers={"Retry-After": str(seconds)})


class Unavailable(Problem):
    """The database cannot serve this request now, but will."""

    status, code = 503, "unavailable"

    def __init__(self, detail: str, *, code: str | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": "1"})


class Damaged(Unavailable):
    """What is stored cannot be read as it was written."""

    code = "damaged"

    def __init__(self, found: str) -> None:
        """`found` is for the log."""
        super().__init__("The database is damaged; its owner can run doctor.")
        self.found = found


class StorageFull(Problem):
    """The disk is full: nothing can be written until there is room."""

    status, code = 507, "storage_full"


_CODES = {kind.status: kind.code for kind in Problem.__subclasses__()}

# What an HTTP error that no code of ours raised tells the caller.
_PLAIN = {
    400: ("malformed", "The request cannot be read; check how it is written."),
    404: ("not_found", "There is nothing at this path; GET /openapi.json lists the paths."),
    405: (
        "method_not_allowed",
        "This path does not take that method; the Allow header lists those it takes.",
    ),
    408: ("request_timeout", "The request took too long to arrive; send it again, and faster."),
    413: ("too_large", "The body is larger than this server accepts; send less at once."),
    414: ("uri_too_long", "The address is too long; send fewer or shorter query parameters."),
    415: ("unsupported_media_type", "Send JSON with Content-Type: application/json."),
    431: ("headers_too_large", "The request headers are larger than this server accepts; send fewer."),
    500: ("internal_error", "Something went wrong on the server."),
    501: ("not_implemented", "The server does not know this transfer coding; send Content-Length."),
    503: ("unavailable", "The server is busy; send the same request again in a second."),
}


def phrase(status: int) -> str:
    """Return the name of a status, which is also the last part of the status line."""
    # http.HTTPStatus has other names from Python 3.13 on.
    return HTTP_STATUS_CODES[status]


def default_problem(status: int) -> tuple[str, str]:
    """Return the (code, detail) of an HTTP error that says nothing more of itself."""
    name = phrase(status)
    code = _CODES.get(status) or re.sub(r"\W+", "_", name.lower())
    return _PLAIN.get(status, (code, f"{name}."))


def problem_body(status: int, code: str, detail: str, errors: Errors | None = None) -> bytes:
    """Return the one error body, as UTF-8 JSON."""
    shown: dict[str, Any] = {
        "type": "about:blank",
        "title": phrase(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    if errors is not None:
        shown["errors"] = errors
    # A wrong field is named as it was sent, and JSON can name one by half a character.
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def flatten_messages(messages: Any, path: str = "") -> Errors:
    """Return marshmallow's nested messages as field path → sentences (`"tags.0.name": [...]`)."""
    if not isinstance(messages, Mapping):
        return {path or "body": [str(sentence) for sentence in messages]}
    found: Errors = {}
    for key, value in messages.items():
        step = "" if key == "_schema" else str(key)
        found |= flatten_messages(value, ".".join(part for part in (path, step) if part))
    return found


def format_allow(methods: Iterable[str]) -> str:
    """Return the methods as an `Allow` value, in the order that all our answers use."""
    return ", ".join(method for method in METHODS if method in set(methods))


def init_app(app: Flask) -> None:
    """Answer every exception with the one body."""
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(Damaged, _damaged)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(DBAPIError, _database)
    app.register_error_handler(NoConnection, _busy)
    app.register_error_handler(Exception, _unexpected)


def _answer(status: int, code: str, detail: str, errors: Errors | None = None) -> Response:
    return Response(problem_body(status, code, detail, errors), status, content_type=PROBLEM_JSON)


def _problem(error: Problem) -> Response:
    answer = _answer(error.status, error.code, error.detail, error.errors)
    answer.headers.update(error.headers)
    return answer


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    answer = _answer(status, *default_problem(status))
    if isinstance(error, MethodNotAllowed):
        answer.headers["Allow"] = format_allow(error.valid_methods or ())
    return answer


def _database(error: DBAPIError) -> Response:
    if _is_full(error):
        return _problem(
            StorageFull("The disk is full; nothing was stored. Free some space and send it again.")
        )
    if _sqlite_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(Damaged(str(error.orig)))
    return _busy(error) if _passes(error) or error.connection_invalidated else _unexpected(error)


def _damaged(error: Damaged) -> Response:
    current_app.extensions[DAMAGE_KEY] = error.found
    current_app.logger.error("the database is damaged (%s); run doctor", error.found)
    return _problem(error)


def _is_full(error: DBAPIError) -> bool:
    return (
        _sqlite_code(error) == sqlite3.SQLITE_FULL
        or getattr(error.orig, "sqlstate", None) == "53100"
        or "no space left" in str(error.orig).lower()
    )


def _passes(error: DBAPIError) -> bool:
    """Tell whether waiting may mend it: a lock, a time limit, a server that is away or only reads."""
    # SQLITE_ERROR is a wrong statement, which no waiting mends.
    if isinstance(error, OperationalError):
        return _sqlite_code(error) != sqlite3.SQLITE_ERROR
    # PostgreSQL while another of its servers takes over: the transaction may only read.
    return getattr(error.orig, "sqlstate", None) == "25006"


def _sqlite_code(error: DBAPIError) -> int:
    """Return SQLite's primary result code; other databases have none."""
    code: int = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & 0xFF


def _busy(error: DBAPIError | NoConnection) -> Response:
    current_app.logger.warning("database unavailable: %s", getattr(error, "orig", error))
    return _problem(Unavailable("The database is busy; send the same request again in a second."))


def _unexpected(error: Exception) -> Response:
    incident = request.environ.get(request_id.REQUEST_ID_KEY) or request_id.choose_request_id(None)
    current_app.logger.error("incident %s", incident, exc_info=error)
    code, detail = default_problem(500)
    return _answer(500, code, f"{detail} The log explains it under incident {incident}.")
