"""Checks the health of the service; the health endpoint reports the first problem."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import marshmallow as ma
from flask import Flask, current_app
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from blogapi.config import CannotStart
from blogapi.content.media.folder import get_folder
from blogapi.delivery.webhooks.queries import list_overdue_webhook_ids
from blogapi.operations.backups.status import read_status
from blogapi.storage import connections, disk_errors, files, integrity
from blogapi.storage.database import BUSY_ERRORS, WRITE_LOCK, db, transaction
from blogapi.storage.disk_errors import has_free_inodes
from blogapi.storage.version_check import NewerSchema
from blogapi.web import metrics
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import DAMAGE_KEY, ErrorCode, StorageFull, Unavailable
from blogapi.web.fields import Fields, OmitNullMixin, OutputSchema

# The free space that a write and the write-ahead log can need.
_MIN_FREE_BYTES = 4 * 1024 * 1024

# The time limit of the integrity check of the whole database file, which runs once at the start.
_MAX_CHECK_SECONDS = 10.0

# While the disk refuses writes, the health check waits at least this long before it tries another write.
_RETRY_SECONDS, _NEXT_TRY_KEY = 30.0, "blogapi-next-try"

_PROBLEM_CODES: dict[int, ErrorCode] = {
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_CANTOPEN: "missing",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_FULL: "storage_full",
}

PROBLEM_DETAILS: dict[ErrorCode, str] = {
    "database": "The database does not respond; see the log of the service.",
    "damaged": "The database is damaged; run doctor.",
    "missing": "The database file is missing or was replaced; put it back.",
    "read_only": "The database is read-only; check its disk, and the permissions of its file and folder.",
    "storage_full": "The disk is full; free some space.",
}


def find_service_problem() -> ErrorCode | None:
    """Return the first problem as a key of PROBLEM_DETAILS, or None; usually runs one statement."""
    path = _find_sqlite_file(current_app.config["DATABASE_URL"], current_app.instance_path)
    if path is not None and not path.exists():
        return "missing"
    try:
        db.session.execute(text("SELECT 1 FROM article LIMIT 1"))
    except DBAPIError as error:
        return _PROBLEM_CODES.get(disk_errors.get_primary_result_code(error), "database")
    if DAMAGE_KEY in current_app.extensions:
        return "damaged"
    return None if path is None else _find_disk_problem(path) or _retry_refused_write()


def _retry_refused_write() -> ErrorCode | None:
    """After a refused write, try a small write every 30 seconds; return the problem until one succeeds."""
    lock, now = WRITE_LOCK.get(), time.monotonic()
    if lock.failure and now >= current_app.extensions.get(_NEXT_TRY_KEY, 0.0):
        current_app.extensions[_NEXT_TRY_KEY] = now + _RETRY_SECONDS
        with suppress(*BUSY_ERRORS, DBAPIError, NewerSchema):
            with transaction(wait=False, visible=False):
                # An UPDATE that changes no value would not write to the disk, but this PRAGMA always writes.
                db.session.execute(text("PRAGMA user_version = 0"))
            lock.failure = 0
    return _PROBLEM_CODES.get(lock.failure, "read_only") if lock.failure else None


def check_free_space() -> None:
    """Raise StorageFull if the disk is nearly full."""
    path = _find_sqlite_file(current_app.config["DATABASE_URL"], current_app.instance_path)
    if path is not None and _find_disk_problem(path) == "storage_full":
        raise StorageFull(PROBLEM_DETAILS["storage_full"])


@metrics.gauge("disk_free_bytes", "Free space on the disk of a folder.", "folder")
def _read_free_space() -> metrics.MetricValues:
    instance, media = Path(current_app.instance_path), get_folder().root
    # The first upload creates the media folder.
    folders = {"instance": instance, "media": media if media.exists() else media.parent}
    return {(name,): shutil.disk_usage(folder).free for name, folder in folders.items()}


def start_integrity_check(app: Flask) -> threading.Thread | None:
    """Start a thread that checks the integrity of the database file for a limited time; return the thread.

    The thread logs any damage, and the health check then reports it. Return None on PostgreSQL.
    """
    path = _find_sqlite_file(app.config["DATABASE_URL"], app.instance_path)
    if path is None:
        return None
    thread = threading.Thread(target=_check_integrity, args=(app, path), name="database check", daemon=True)
    thread.start()
    return thread


def _check_integrity(app: Flask, path: Path) -> None:
    try:
        damage = integrity.run_quick_check(path, seconds=_MAX_CHECK_SECONDS)
    except sqlite3.Error as error:
        app.logger.warning("the integrity of the database could not be checked: %s", error)
        return
    if damage:
        app.extensions[DAMAGE_KEY] = damage
        app.logger.error("the database is damaged (%s); run doctor", damage)


@cache
def _find_sqlite_file(database_url: str, folder: str) -> Path | None:
    """Return the path of the SQLite file of a blog; None on PostgreSQL."""
    try:
        return connections.get_sqlite_path(database_url, Path(folder))
    except CannotStart:
        return None


def _find_disk_problem(path: Path) -> ErrorCode | None:
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return "read_only"
    free = shutil.disk_usage(path.parent).free
    with suppress(FileNotFoundError):
        # A checkpoint frees the space of the log.
        free += files.get_side_files(path).log.stat().st_size
    return None if free >= _MIN_FREE_BYTES and has_free_inodes(path.parent) else "storage_full"


WEBHOOKS_WAIT, BACKUP_LATE = "webhooks_wait", "backup_late"

bp = Blueprint("health", __name__, url_prefix="/health", description="The state of the service")


class HealthSchema(OmitNullMixin, OutputSchema):
    """The status of a healthy service."""

    omitted_if_null = frozenset({"warnings"})

    status = ma.fields.String(metadata={"enum": ["ok"]})
    warnings = ma.fields.List(
        ma.fields.String(metadata={"enum": [WEBHOOKS_WAIT, BACKUP_LATE]}),
        metadata={
            "description": "Problems that an admin should solve, although requests are answered. "
            f"`{WEBHOOKS_WAIT}`: calls of webhooks that are due have waited for five minutes. "
            f"`{BACKUP_LATE}`: there has been no good backup for 36 hours. Absent if there are none."
        },
    )


@bp.get("/")
@allow(anyone)
@bp.response(200, HealthSchema())
def check() -> Fields:
    """Return `ok`, or 503 with the problem or `upgrading` as the `code` of the error."""
    problem = find_service_problem()
    if problem is not None:
        raise Unavailable(PROBLEM_DETAILS[problem], code=problem)
    warnings = [WEBHOOKS_WAIT] if list_overdue_webhook_ids() else []
    if read_status(Path(current_app.instance_path)).is_overdue(current_app.config["DAILY_BACKUPS"]):
        warnings.append(BACKUP_LATE)
    return {"status": "ok", "warnings": warnings or None}
