"""SQLite's result codes (https://sqlite.org/rescode.html)."""

from __future__ import annotations

import sqlite3

_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def primary_result_code(error: BaseException) -> int:
    """Return SQLite's primary result code of an error of SQLAlchemy or of the driver.

    Returns SQLITE_OK for an error without a result code, such as an error of another database engine.
    """
    code: int = getattr(getattr(error, "orig", error), "sqlite_errorcode", sqlite3.SQLITE_OK)
    # The higher bits of an extended result code contain details, such as which operation failed.
    return code & 0xFF


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite reports that the file is damaged or is not a database."""
    return primary_result_code(error) in _DAMAGE_CODES
