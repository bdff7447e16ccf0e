"""SQLite's result codes, read from errors of the driver and of SQLAlchemy."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy.exc import OperationalError

from blogapi.storage.disk_errors import get_primary_result_code, is_damage_error


def driver_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("words")
    error.sqlite_errorcode = code
    return error


def test_the_primary_code_is_found_in_an_extended_code():
    assert get_primary_result_code(driver_error(sqlite3.SQLITE_IOERR_READ)) == sqlite3.SQLITE_IOERR


def test_the_code_of_the_driver_is_found_in_an_error_of_sqlalchemy():
    error = OperationalError("SELECT 1", {}, driver_error(sqlite3.SQLITE_FULL))
    assert get_primary_result_code(error) == sqlite3.SQLITE_FULL


def test_an_error_of_another_kind_has_no_code():
    assert get_primary_result_code(OSError(5, "words")) == sqlite3.SQLITE_OK


@pytest.mark.parametrize(
    ("code", "damage"),
    [(sqlite3.SQLITE_CORRUPT, True), (sqlite3.SQLITE_NOTADB, True), (sqlite3.SQLITE_BUSY, False)],
)
def test_only_damage_codes_count_as_damage(code, damage):
    assert is_damage_error(driver_error(code)) is damage
