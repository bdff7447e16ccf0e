"""Error responses."""

from __future__ import annotations

import errno
import json
import sqlite3

import pytest
from flask import Flask, abort
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import (
    DatabaseError,
    DBAPIError,
    IntegrityError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, default_exceptions

from blogapi.storage.version_check import NewerSchema
from blogapi.web import error_handlers, errors


def get_error_response(error: Exception, app: Flask | None = None):
    app = app or Flask("errors")
    error_handlers.init_app(app)

    @app.get("/")
    def view():
        raise error

    return app.test_client().get("/")


def sqlite_error(code: int, message: str, kind=OperationalError):
    original = sqlite3.OperationalError(message)
    original.sqlite_errorcode = code
    return kind("SELECT secret", {}, original)


def postgresql_error(sqlstate: str | None, kind=OperationalError):
    original = RuntimeError("a message in any language")
    original.sqlstate = sqlstate
    return kind("SELECT secret", {}, original)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (sqlite_error(sqlite3.SQLITE_BUSY, "database is locked"), 503, "unavailable"),
        (sqlite_error(sqlite3.SQLITE_IOERR_WRITE, "disk I/O error"), 503, "unavailable"),
        (sqlite_error(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"), 503, "unavailable"),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN, "unable to open database file"), 503, "unavailable"),
        (sqlite_error(sqlite3.SQLITE_FULL, "database or disk is full"), 507, "storage_full"),
        (sqlite_error(0, "could not extend file: No space left on device"), 507, "storage_full"),
        (sqlite_error(sqlite3.SQLITE_ERROR, "no such column: full_name"), 500, "internal_error"),
        (sqlite_error(sqlite3.SQLITE_CORRUPT, "malformed", DatabaseError), 503, "damaged"),
        (sqlite_error(sqlite3.SQLITE_NOTADB, "file is not a database", DatabaseError), 503, "damaged"),
        (sqlite_error(sqlite3.SQLITE_CONSTRAINT, "NOT NULL: full", IntegrityError), 500, "internal_error"),
        *(
            (postgresql_error(state), 503, "unavailable")
            for state in ("55P03", "40001", "40P01", "57P01", "53300")
        ),
        (postgresql_error("25006", InternalError), 503, "unavailable"),
        (postgresql_error("53100"), 507, "storage_full"),
        (postgresql_error("42703", ProgrammingError), 500, "internal_error"),
        (postgresql_error("23505", IntegrityError), 500, "internal_error"),
        (PoolTimeout("QueuePool limit"), 503, "unavailable"),
        (NewerSchema(), 503, "newer_schema"),
        (sqlite_error(sqlite3.SQLITE_IOERR_SHMSIZE, "disk I/O error"), 507, "storage_full"),
        *((OSError(number, "secret"), 507, "storage_full") for number in (errno.ENOSPC, errno.EFBIG)),
        (OSError(errno.EIO, "secret"), 500, "internal_error"),
        (ZeroDivisionError("secret"), 500, "internal_error"),
    ],
)
def test_an_internal_error_is_reported_without_internal_details(error, status, code):
    response = get_error_response(error)
    assert (response.status_code, response.json["code"]) == (status, code)
    assert "secret" not in response.text and "SELECT" not in response.text
    # A checkpoint can have freed space for the database.
    is_retried = status == 503 or (status == 507 and isinstance(error, DBAPIError))
    assert ("Retry-After" in response.headers) is is_retried


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (sqlite_error(sqlite3.SQLITE_BUSY, "database is locked"), "is busy"),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN, "unable to open database file"), "cannot be reached"),
        (sqlite_error(sqlite3.SQLITE_READONLY, "readonly"), "accepts no writes at the moment"),
        (sqlite_error(sqlite3.SQLITE_IOERR, "disk I/O error"), "is not available"),
        (postgresql_error("55P03"), "is busy"),
        (postgresql_error("57P01"), "cannot be reached"),
        (postgresql_error("08006"), "cannot be reached"),
        (postgresql_error(None), "cannot be reached"),
        (postgresql_error("25006", InternalError), "accepts no writes at the moment"),
        (PoolTimeout("QueuePool limit"), "is busy"),
    ],
)
def test_the_detail_of_a_503_explains_why_the_database_is_unavailable(error, says):
    detail = get_error_response(error).json["detail"]
    assert detail == f"The database {says}; send the same request again in a second."


def test_damage_is_logged_and_remembered_for_the_health_check(caplog):
    app = Flask("errors")
    error = sqlite_error(sqlite3.SQLITE_CORRUPT, "page 7", DatabaseError)
    response = get_error_response(error, app)
    assert (response.status_code, response.json["code"]) == (503, "damaged")
    assert "page 7" not in response.text
    assert app.extensions[errors.DAMAGE_KEY] == "page 7"
    assert "the database is damaged (page 7); run doctor" in caplog.text


def test_the_incident_id_of_an_internal_error_is_in_the_log(caplog):
    detail = get_error_response(ZeroDivisionError("why")).json["detail"]
    incident = detail.split()[-1].rstrip(".")
    (record,) = caplog.records
    assert incident in record.getMessage() and "why" in caplog.text


@pytest.mark.parametrize("status", sorted(default_exceptions))
def test_every_http_error_has_a_problem_body(status):
    response = get_error_response(default_exceptions[status]())
    assert response.status_code == response.json["status"] == status
    assert response.content_type == "application/problem+json"
    assert response.json["detail"] and response.json["code"]


@pytest.mark.parametrize(
    ("status", "title", "code"),
    [
        # Python 3.13 renamed these phrases in http.HTTPStatus.
        (413, "Request Entity Too Large", "too_large"),
        (416, "Requested Range Not Satisfiable", "range_not_satisfiable"),
        (422, "Unprocessable Entity", "invalid_fields"),
        # The codes of these errors come from subclasses of Problem.
        (401, "Unauthorized", "key_missing"),
        (412, "Precondition Failed", "stale"),
    ],
)
def test_title_and_code_are_the_same_on_every_python_version(status, title, code):
    response = get_error_response(default_exceptions[status]())
    assert (response.json["title"], response.json["code"]) == (title, code)
    assert response.status.casefold() == f"{status} {title}".casefold()


def test_an_aborted_request_has_a_problem_body():
    with pytest.raises(HTTPException) as raised:
        abort(400)
    assert get_error_response(raised.value).json["code"] == "malformed"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())), st.text(alphabet=st.characters()))
def test_any_text_can_be_encoded_in_a_problem_body(name, message):
    body = json.loads(errors.make_problem_body(422, "code", message, {name: [message]}))
    assert list(body) == ["type", "title", "status", "detail", "code", "errors"]


def test_nested_messages_are_flattened_to_paths():
    nested = {"tags": {0: {"name": ["Missing."]}}, "_schema": ["Odd."], "seo": ["Wrong.", "Bad."]}
    assert errors.flatten_messages(nested) == {
        "tags.0.name": ["Missing."],
        "body": ["Odd."],
        "seo": ["Wrong.", "Bad."],
    }


def test_the_allow_header_lists_methods_in_a_fixed_order():
    assert (
        errors.format_allow_header({"OPTIONS", "HEAD", "DELETE", "GET", "BREW"})
        == "GET, DELETE, HEAD, OPTIONS"
    )


def test_error_responses_have_the_headers_of_the_problem():
    assert get_error_response(errors.Unavailable("Busy.")).headers["Retry-After"] == "1"
    assert get_error_response(errors.TooManyRequests("Slow.", seconds=7)).headers["Retry-After"] == "7"
    assert get_error_response(errors.Unauthorized("Send a key.")).headers["WWW-Authenticate"] == "ApiKey"
