"""What keeps the service from working, in one word."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from pathlib import Path

from flask import Flask, current_app
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from blogapi.config import CannotStart
from blogapi.storage import connections, integrity, sqlite_errors
from blogapi.storage.database import db
from blogapi.web.errors import DAMAGE_KEY

# Less than a write and its log can take.
_LEAST_FREE = 4 * 1024 * 1024

# How long the look at the whole file may take, which is made once when the service starts.
_LOOK_SECONDS = 10.0

_WORDS = {
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_CANTOPEN: "missing",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_FULL: "storage_full",
}

SENTENCES = {
    "database": "The database does not answer.",
    "damaged": "The database is damaged; run doctor.",
    "missing": "The database file is not there, or not the one that was opened.",
    "read_only": "The database cannot be written to.",
    "storage_full": "The disk is full.",
}


def trouble() -> str | None:
    """Return the word for what is wrong, None where all is well; costs one statement."""
    path = _file(current_app)
    if path is not None and not path.exists():
        return "missing"
    try:
        db.session.execute(text("SELECT 1 FROM article LIMIT 1"))
    except DBAPIError as error:
        return _WORDS.get(sqlite_errors.primary_result_code(error), "database")
    if DAMAGE_KEY in current_app.extensions:
        return "damaged"
    return None if path is None else _unwritable(path)


def look(app: Flask) -> threading.Thread | None:
    """Look through the whole file in a thread of its own, for a bounded time; what is damaged is logged."""
    path = _file(app)
    if path is None:
        return None
    thread = threading.Thread(target=_look, args=(app, path), name="look at the database", daemon=True)
    thread.start()
    return thread


def _look(app: Flask, path: Path) -> None:
    try:
        found = integrity.find_damage(path, seconds=_LOOK_SECONDS)
    except sqlite3.Error as error:
        app.logger.warning("the database could not be looked through: %s", error)
        return
    if found:
        app.extensions[DAMAGE_KEY] = found
        app.logger.error("the database is damaged (%s); run doctor", found)


def _file(app: Flask) -> Path | None:
    try:
        return connections.sqlite_path(app.config["DATABASE_URL"], Path(app.instance_path))
    except CannotStart:
        return None


def _unwritable(path: Path) -> str | None:
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return "read_only"
    return "storage_full" if shutil.disk_usage(path.parent).free < _LEAST_FREE else None
