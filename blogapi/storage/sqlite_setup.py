"""The SQL function that the schema of a SQLite database uses, and the page size of a new one."""

from __future__ import annotations

import sqlite3
import zlib

# Rows of about 2 kB fill pages of 4 kB badly.
PAGE_SIZE = 8192


def add_function(connection: sqlite3.Connection) -> None:
    """Define `sqlar_uncompress(data, size)`, which returns the data with this size."""
    # SQLite's own shell has this function too.
    connection.create_function("sqlar_uncompress", 2, _uncompress, deterministic=True)
    # Some builds of SQLite do not let triggers and views use the functions of an application by default.
    connection.execute("PRAGMA trusted_schema=ON")


def _uncompress(data: bytes, size: int) -> bytes | None:
    """Return the data, uncompressed if it does not have this size; None if it is damaged."""
    try:
        return data if len(data) == size else zlib.decompress(data)
    except zlib.error:
        return None
