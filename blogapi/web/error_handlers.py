"""Converts every exception to an error response, including the exceptions of libraries."""

from __future__ import annotations

import sqlite3
from typing import Any

from flask import Flask, Response, current_app, request
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from blogapi.storage.disk_errors import get_primary_result_code, is_damage_error, is_disk_full_error
from blogapi.storage.version_check import NewerSchema
from blogapi.web import request_environ
from blogapi.web.errors import (
    DAMAGE_KEY,
    PROBLEM_JSON,
    Problem,
    StorageFull,
    Unavailable,
    format_allow_header,
    get_default_problem,
    make_problem_body,
)

# The SQLSTATE that PostgreSQL reports for writes during a failover.
_READ_ONLY_SQLSTATE = "25006"

_SQLITE_STATES = {
    sqlite3.SQLITE_BUSY: "is busy",
    sqlite3.SQLITE_LOCKED: "is busy",
    sqlite3.SQLITE_CANTOPEN: "cannot be reached",
    sqlite3.SQLITE_READONLY: "accepts no writes at the moment",
}


def init_app(app: Flask) -> None:
    """Register the handlers, which convert every exception of a view to an error response."""
    app.register_error_handler(Problem, _handle_problem)
    app.register_error_handler(HTTPException, _handle_http_error)
    app.register_error_handler(DBAPIError, _handle_database_error)
    app.register_error_handler(OSError, _handle_os_error)
    app.register_error_handler(PoolTimeout, _handle_unavailable_database)
    app.register_error_handler(NewerSchema, _handle_newer_schema)
    app.register_error_handler(Exception, _handle_unexpected_error)


def _build_problem_response(status: int, *parts: Any) -> Response:
    return Response(make_problem_body(status, *parts), status, content_type=PROBLEM_JSON)


def _handle_problem(error: Problem) -> Response:
    response = _build_problem_response(error.status, error.code, error.detail, error.errors, error.uuid)
    response.headers.update(error.headers)
    return response


def _handle_http_error(error: HTTPException) -> Response:
    status = error.code or 500
    response = _build_problem_response(status, *get_default_problem(status))
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = format_allow_header(error.valid_methods or ())
    return response


def _handle_database_error(error: DBAPIError) -> Response:
    if is_disk_full_error(error):
        # A retry can succeed, because a checkpoint may have freed space; see `storage.checkpoint`.
        return _handle_problem(StorageFull(get_default_problem(507)[1], headers={"Retry-After": "1"}))
    if is_damage_error(error):
        return _handle_damage(str(error.orig))
    is_temporary = _is_temporary_error(error) or error.connection_invalidated
    return _handle_unavailable_database(error) if is_temporary else _handle_unexpected_error(error)


def _handle_os_error(error: OSError) -> Response:
    if is_disk_full_error(error):
        return _handle_problem(StorageFull(get_default_problem(507)[1]))
    return _handle_unexpected_error(error)


def _handle_damage(cause: str) -> Response:
    current_app.extensions[DAMAGE_KEY] = cause
    current_app.logger.error("the database is damaged (%s); run doctor", cause)
    detail = "The database is damaged; ask the owner of the blog to run `blogapi doctor`."
    return _handle_problem(Unavailable(detail, code="damaged"))


def _is_temporary_error(error: DBAPIError) -> bool:
    """Return whether a retry may succeed: the database is locked, timed out, unreachable or read-only."""
    # SQLITE_ERROR means an invalid statement, which fails again at every retry.
    if isinstance(error, OperationalError):
        return get_primary_result_code(error) != sqlite3.SQLITE_ERROR
    return _get_sqlstate(error) == _READ_ONLY_SQLSTATE


def _handle_unavailable_database(error: DBAPIError | PoolTimeout) -> Response:
    current_app.logger.warning("database unavailable: %s", getattr(error, "orig", error))
    state = "is busy" if isinstance(error, PoolTimeout) else _describe_database_state(error)
    return _handle_problem(Unavailable(f"The database {state}; send the same request again in a second."))


def _describe_database_state(error: DBAPIError) -> str:
    """Return why the database is unavailable, as the predicate of a sentence."""
    if isinstance(error.orig, sqlite3.Error):
        return _SQLITE_STATES.get(get_primary_result_code(error), "is not available")
    state = _get_sqlstate(error)
    # psycopg reports no SQLSTATE if the server has not answered.
    if error.connection_invalidated or state is None or state.startswith(("08", "57P")):
        return "cannot be reached"
    return "accepts no writes at the moment" if state == _READ_ONLY_SQLSTATE else "is busy"


def _get_sqlstate(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlstate", None)


def _handle_newer_schema(error: NewerSchema) -> Response:
    current_app.logger.error("write refused: %s", error)
    return _handle_problem(Unavailable(str(error), code="newer_schema"))


def _handle_unexpected_error(error: Exception) -> Response:
    incident = request.environ.get(request_environ.REQUEST_ID_KEY) or request_environ.choose_request_id(None)
    current_app.logger.error("incident %s", incident, exc_info=error)
    code, detail = get_default_problem(500)
    return _build_problem_response(500, code, f"{detail} The log has the details under incident {incident}.")
