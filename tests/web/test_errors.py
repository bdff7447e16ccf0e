"""Errors as the caller sees them."""

from __future__ import annotations

import json
import sqlite3

import pytest
from flask import Flask, abort
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import DatabaseError, IntegrityError, InternalError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as NoConnection
from werkzeug.exceptions import HTTPException, default_exceptions

from blogapi.web import errors


def answer(error: Exception):
    app = Flask("errors")
    errors.init_app(app)

    @app.get("/")
    def view():
        raise error

    return app.test_client().get("/")


def failed(code: int, words: str, kind=OperationalError):
    original = sqlite3.OperationalError(words)
    original.sqlite_errorcode = code
    return kind("SELECT secret", {}, original)


def refused(sqlstate: str, kind=OperationalError):
    """An error of PostgreSQL, which has a state of five signs."""
    original = RuntimeError("words in any language")
    original.sqlstate = sqlstate
    return kind("SELECT secret", {}, original)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (failed(sqlite3.SQLITE_BUSY, "database is locked"), 503, "unavailable"),
        (failed(sqlite3.SQLITE_IOERR_WRITE, "disk I/O error"), 503, "unavailable"),
        (failed(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"), 503, "unavailable"),
        (failed(sqlite3.SQLITE_CANTOPEN, "unable to open database file"), 503, "unavailable"),
        (failed(sqlite3.SQLITE_FULL, "database or disk is full"), 507, "storage_full"),
        (failed(0, "could not extend file: No space left on device"), 507, "storage_full"),
        (failed(sqlite3.SQLITE_ERROR, "no such column: full_name"), 500, "internal_error"),
        (failed(sqlite3.SQLITE_CORRUPT, "malformed", DatabaseError), 503, "damaged"),
        (failed(sqlite3.SQLITE_NOTADB, "file is not a database", DatabaseError), 503, "damaged"),
        (failed(sqlite3.SQLITE_CONSTRAINT, "NOT NULL: full", IntegrityError), 500, "internal_error"),
        *((refused(state), 503, "unavailable") for state in ("55P03", "40001", "40P01", "57P01", "53300")),
        (refused("25006", InternalError), 503, "unavailable"),
        (refused("53100"), 507, "storage_full"),
        (refused("42703", ProgrammingError), 500, "internal_error"),
        (refused("23505", IntegrityError), 500, "internal_error"),
        (NoConnection("QueuePool limit"), 503, "unavailable"),
        (ZeroDivisionError("secret"), 500, "internal_error"),
    ],
)
def test_what_goes_wrong_behind_the_service_is_told_without_internals(error, status, code):
    told = answer(error)
    assert (told.status_code, told.json["code"]) == (status, code)
    assert "secret" not in told.text and "SELECT" not in told.text
    assert ("Retry-After" in told.headers) is (status == 503)


def test_an_incident_is_found_in_the_log(caplog):
    detail = answer(ZeroDivisionError("why")).json["detail"]
    incident = detail.split()[-1].rstrip(".")
    (record,) = caplog.records
    assert incident in record.getMessage() and "why" in caplog.text


@pytest.mark.parametrize("status", sorted(default_exceptions))
def test_every_http_error_has_the_one_body(status):
    told = answer(default_exceptions[status]())
    assert told.status_code == told.json["status"] == status
    assert told.content_type == "application/problem+json"
    assert told.json["detail"] and told.json["code"]


@pytest.mark.parametrize(
    ("status", "title", "code"),
    [
        # From Python 3.13 on http.HTTPStatus has other names for these.
        (413, "Request Entity Too Large", "too_large"),
        (416, "Requested Range Not Satisfiable", "requested_range_not_satisfiable"),
        (422, "Unprocessable Entity", "invalid_fields"),
        # Its own class names the code.
        (401, "Unauthorized", "key_missing"),
        (412, "Precondition Failed", "stale"),
    ],
)
def test_title_and_code_are_the_same_on_every_python(status, title, code):
    told = answer(default_exceptions[status]())
    assert (told.json["title"], told.json["code"]) == (title, code)
    assert told.status.casefold() == f"{status} {title}".casefold()


def test_an_error_that_is_only_aborted_with_has_the_one_body():
    with pytest.raises(HTTPException) as raised:
        abort(400)
    assert answer(raised.value).json["code"] == "malformed"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())), st.text(alphabet=st.characters()))
def test_any_text_fits_into_a_body(name, sentence):
    shown = json.loads(errors.problem_body(422, "code", sentence, {name: [sentence]}))
    assert list(shown) == ["type", "title", "status", "detail", "code", "errors"]


def test_messages_of_fields_inside_fields_are_told_by_their_path():
    nested = {"tags": {0: {"name": ["Missing."]}}, "_schema": ["Odd."], "seo": ["Wrong.", "Bad."]}
    assert errors.flatten_messages(nested) == {
        "tags.0.name": ["Missing."],
        "body": ["Odd."],
        "seo": ["Wrong.", "Bad."],
    }


def test_methods_are_listed_in_one_order():
    assert errors.format_allow({"OPTIONS", "HEAD", "DELETE", "GET", "BREW"}) == "GET, DELETE, HEAD, OPTIONS"


def test_an_unavailable_service_says_when_to_come_back():
    assert answer(errors.Unavailable("Busy.")).headers["Retry-After"] == "1"
    assert answer(errors.TooManyRequests("Slow.", seconds=7)).headers["Retry-After"] == "7"
    assert answer(errors.Unauthorized("Who?")).headers["WWW-Authenticate"] == "ApiKey"
