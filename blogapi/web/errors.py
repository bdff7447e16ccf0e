"""The exceptions for error responses, and their problem+json body (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar
from uuid import UUID

from werkzeug.http import HTTP_STATUS_CODES

# The order of methods in `Allow` headers and listings.
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

# The key of `app.extensions` that records damage of the database until the next start; `/health` reports it.
DAMAGE_KEY = "blogapi.damage"


PROBLEM_JSON = "application/problem+json"

Errors = dict[str, list[str]]
Item = TypeVar("Item")

# Every `code` of an error; the OpenAPI document lists them. The type checker refuses any other code.
ErrorCode = Literal[
    "admin_exists",
    "article_changed",
    "author_in_use",
    "backup_running",
    "category_in_use",
    "checks_running",
    "conflict",
    "cross_origin",
    "cursor_unknown",
    "damaged",
    "database",
    "deleted",
    "forbidden",
    "headers_too_large",
    "idempotency_mismatch",
    "if_match_required",
    "import_ended",
    "import_running",
    "impossible_transition",
    "internal_error",
    "invalid_fields",
    "invalid_query",
    "key_disabled",
    "key_expired",
    "key_invalid",
    "key_missing",
    "last_admin",
    "link_invalid",
    "login_failed",
    "login_over",
    "login_required",
    "malformed",
    "media_exists",
    "media_full",
    "media_in_use",
    "method_not_allowed",
    "missing",
    "name_taken",
    "newer_schema",
    "not_deleted",
    "not_found",
    "not_implemented",
    "profile_exists",
    "range_not_satisfiable",
    "read_only",
    "request_timeout",
    "scope_missing",
    "second_factor_failed",
    "second_factor_missing",
    "second_factor_required",
    "second_factor_used",
    "slug_reserved",
    "slug_taken",
    "stale",
    "storage_full",
    "too_large",
    "too_many_backups",
    "too_many_requests",
    "unavailable",
    "unsupported_media_type",
    "upgrading",
    "uri_too_long",
    "user_in_use",
]


class Problem(Exception):
    """An error response: its status, its stable `code`, and `detail`, which says what to do next.

    `errors` maps field paths to messages. `uuid` identifies the item with which the request conflicts.
    """

    status = 500
    code: ErrorCode = "internal_error"

    def __init__(
        self,
        detail: str,
        *,
        code: ErrorCode | None = None,
        errors: Errors | None = None,
        headers: Mapping[str, str] | None = None,
        uuid: UUID | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = errors
        self.headers = dict(headers or {})
        self.uuid = uuid

    def prefix_errors(self, path: str) -> Problem:
        """Add `path` in front of each field path in `errors`, and return the error itself."""
        errors = self.errors or {"": [self.detail]}
        self.errors = {_join_path(path, field): messages for field, messages in errors.items()}
        return self


class Malformed(Problem):
    """The request cannot be read."""

    status, code = 400, "malformed"


class InvalidQuery(Problem):
    """A query parameter is unknown or has an invalid value."""

    status, code = 400, "invalid_query"


class Unauthorized(Problem):
    """The request has no valid credentials."""

    status, code = 401, "key_missing"

    def __init__(self, detail: str, *, code: ErrorCode | None = None) -> None:
        super().__init__(detail, code=code, headers={"WWW-Authenticate": "ApiKey"})


class Forbidden(Problem):
    """The caller does not have the permission."""

    status, code = 403, "forbidden"


class NotFound(Problem):
    """The item does not exist, or the caller may not see it."""

    status, code = 404, "not_found"


def require_item(item: Item | None, detail: str) -> Item:
    """Return the item; raises NotFound if it is None."""
    if item is None:
        raise NotFound(detail)
    return item


class Conflict(Problem):
    """The request conflicts with stored data."""

    status, code = 409, "conflict"


class PreconditionFailed(Problem):
    """The item does not meet `If-Match` or `If-None-Match`, usually because it was changed meanwhile."""

    status, code = 412, "stale"

    def __init__(self, detail: str, *, etag: str | None) -> None:
        super().__init__(detail, headers={"ETag": etag} if etag else None)


class PreconditionRequired(Problem):
    """The request needs the header If-Match, for example because the setting REQUIRE_IF_MATCH is on."""

    status, code = 428, "if_match_required"


class TooLarge(Problem):
    """The body is larger than the server accepts."""

    status, code = 413, "too_large"


class UnsupportedMediaType(Problem):
    """The operation does not accept the Content-Type of the body."""

    status, code = 415, "unsupported_media_type"


class RangeNotSatisfiable(Problem):
    """The requested range begins after the end of the file."""

    status, code = 416, "range_not_satisfiable"


class Invalid(Problem):
    """Fields of the body are invalid; `errors` names them all."""

    status, code = 422, "invalid_fields"


class TooManyRequests(Problem):
    """The caller exceeded a limit and may try again after `seconds`."""

    status, code = 429, "too_many_requests"

    def __init__(self, detail: str, *, seconds: int) -> None:
        super().__init__(detail, headers={"Retry-After": str(seconds)})


class Unavailable(Problem):
    """The server cannot handle the request at the moment; the client may send it again."""

    status = 503
    code: ErrorCode = "unavailable"

    def __init__(self, detail: str, *, code: ErrorCode | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": "1"})


class StorageFull(Problem):
    """The disk is full."""

    status, code = 507, "storage_full"


_CODE_BY_STATUS = {subclass.status: subclass.code for subclass in Problem.__subclasses__()}

# Code and detail of HTTP errors that Flask, Werkzeug or the server raise.
_DEFAULT_PROBLEMS: dict[int, tuple[ErrorCode, str]] = {
    400: ("malformed", "The request cannot be parsed; check its syntax."),
    404: ("not_found", "This path does not exist; GET /openapi.json lists the paths."),
    405: (
        "method_not_allowed",
        "This path does not support the method; the Allow header lists those that it supports.",
    ),
    408: ("request_timeout", "The request took too long to arrive; send it again on a faster connection."),
    413: ("too_large", "The body is larger than this server accepts; send a smaller body."),
    414: ("uri_too_long", "The URL is too long; send fewer or shorter query parameters."),
    415: ("unsupported_media_type", "Send JSON with Content-Type: application/json."),
    431: ("headers_too_large", "The request headers are too large for this server; send fewer headers."),
    500: ("internal_error", "Something went wrong on the server."),
    501: (
        "not_implemented",
        "The server does not support this transfer coding; send Content-Length instead.",
    ),
    503: ("unavailable", "The server is busy; send the same request again in a second."),
    507: (
        "storage_full",
        "The disk is full; nothing was stored. Free some space and send the request again.",
    ),
}


def get_reason_phrase(status: int) -> str:
    """Return the reason phrase of a status."""
    # Python 3.13 renamed some phrases of http.HTTPStatus; Werkzeug's phrases are the same on all versions.
    return HTTP_STATUS_CODES[status]


def get_default_problem(status: int) -> tuple[ErrorCode, str]:
    """Return the (code, detail) of an HTTP error that was not raised as a Problem."""
    code = _CODE_BY_STATUS.get(status, "malformed" if status < 500 else "internal_error")
    return _DEFAULT_PROBLEMS.get(status, (code, f"{get_reason_phrase(status)}."))


def make_problem_body(
    status: int, code: ErrorCode, detail: str, errors: Errors | None = None, uuid: UUID | None = None
) -> bytes:
    """Return the problem+json body, as UTF-8."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": get_reason_phrase(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    if errors is not None:
        body["errors"] = errors
    if uuid is not None:
        body["uuid"] = str(uuid)
    # A field name of the request can contain a lone surrogate, which UTF-8 cannot encode.
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def flatten_messages(messages: Any, path: str = "") -> Errors:
    """Return marshmallow's nested messages as a flat dictionary with field paths such as `tags.0.name`."""
    if not isinstance(messages, Mapping):
        return {path or "body": [str(message) for message in messages]}
    errors: Errors = {}
    for key, value in messages.items():
        errors |= flatten_messages(value, _join_path(path, "" if key == "_schema" else str(key)))
    return errors


def _join_path(*names: str) -> str:
    return ".".join(name for name in names if name)


def format_allow_header(methods: Iterable[str]) -> str:
    """Return the value of an `Allow` header with the methods, in the order of METHODS."""
    return ", ".join(method for method in METHODS if method in set(methods))
