"""The lock that a server holds while it runs a job; the system frees it if the server is killed."""

from __future__ import annotations

from contextlib import ExitStack
from uuid import UUID

from sqlalchemy import text

from blogapi.importing.jobs import folders
from blogapi.storage import files
from blogapi.storage.database import db

_LOCK_FILE = "running.lock"
# The key has two numbers, so that it differs from the key of the write lock.
_LOCK = text("SELECT pg_advisory_lock(625184621, hashtext(:job))")
_FIND_LOCK = text(
    "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE "
    "datname = current_database() AND locktype = 'advisory' AND classid = 625184621 AND "
    "objid = hashtext(:job)::oid)"
)


def take_lock(uuid: UUID) -> ExitStack:
    """Lock a job that is not running, and return the stack that frees the lock."""
    with ExitStack() as stack:
        if db.engine.dialect.name == "sqlite":
            # Wait, because a runner that has just stored the end of the job will free the lock soon.
            stack.enter_context(files.locked(folders.get_folder(uuid) / _LOCK_FILE, wait=True))
        else:
            # The connection is not returned to the pool; closing it frees the lock.
            engine = db.engine.execution_options(isolation_level="AUTOCOMMIT")
            connection = stack.enter_context(engine.connect())
            connection.detach()
            connection.execute(_LOCK, {"job": str(uuid)})
        return stack.pop_all()


def is_running(uuid: UUID) -> bool:
    if db.engine.dialect.name == "sqlite":
        return files.is_locked(folders.get_folder(uuid) / _LOCK_FILE)
    return bool(db.session.scalar(_FIND_LOCK, {"job": str(uuid)}))
