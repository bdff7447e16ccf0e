"""Connections to the database: where it is, how they are made, and what holds for each of them."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from blogapi.config import CannotStart
from blogapi.storage import files, upgrades

# How long a write waits for another one, of this process or of another, in seconds.
BUSY_SECONDS = 5

# How long PostgreSQL may work on one statement, and wait for one of ours to go on with its transaction, in
# seconds: a process that hangs must not keep the others from writing.
STATEMENT_SECONDS, IDLE_SECONDS = 60, 60

_UNUSABLE = "DATABASE_URL cannot be used ({}); write sqlite:///blog.db."


def sqlite_path(database_url: str, folder: Path) -> Path | None:
    """Return the SQLite file that `DATABASE_URL` names, None where it names no file; touches nothing.

    Raises CannotStart where it cannot be read.
    """
    if not database_url:
        return folder / "blog.db"
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        raise CannotStart(_UNUSABLE.format("no such kind of database")) from error
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:") or "uri" in url.query:
        return None
    # As Flask-SQLAlchemy takes it: from the instance folder, unless it is absolute.
    return folder / str(url.database)


def engine_options(url: str | URL) -> dict[str, Any]:
    """Return what an engine for the database is made with."""
    given: dict[str, Any] = {"hide_parameters": True}
    if str(url).startswith("postgresql"):
        # A list and its total are of one state; and a server that was away is found again.
        given |= {"isolation_level": "REPEATABLE READ", "pool_pre_ping": True}
        given |= {"connect_args": {"connect_timeout": BUSY_SECONDS, "application_name": "blogapi"}}
    return given


def make_engine(url: str | URL) -> Engine:
    """Return an engine for the database, on which `prepare` is still to be called.

    Raises CannotStart where nothing can open such a one.
    """
    try:
        return create_engine(url, **engine_options(url))
    except (ArgumentError, ImportError) as error:
        raise cannot_use(error) from error


def cannot_use(error: ArgumentError | ImportError) -> CannotStart:
    """Return the error to be raised for a database that nothing can open."""
    # The URL itself is not shown: it can hold a password.
    reason = f"{error}".splitlines()[0] if isinstance(error, ImportError) else "no such kind of database"
    return CannotStart(_UNUSABLE.format(reason))


def configure_connections(engine: Engine) -> None:
    """Set up the connections that the engine makes, and a new file to be its owner's alone."""
    if engine.dialect.name != "sqlite":
        event.listen(engine, "connect", _limit)
        event.listen(engine, "begin", _enter)
        return
    if not upgrades.is_in_memory(engine):
        _keep_private(engine)
        _stay_on_file(engine)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)


def write_options(engine: Engine, seconds: int) -> dict[str, Any]:
    """Return the execution options of a transaction that writes, and waits so long for others."""
    isolation = {} if engine.dialect.name == "sqlite" else {"isolation_level": "READ COMMITTED"}
    return {"writes": seconds} | isolation


def _keep_private(engine: Engine) -> None:
    """Make a new database file readable by its owner only; SQLite gives its side files the same mode."""
    path = str(engine.url.database)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise CannotStart(f"The database {path} cannot be opened: {error.strerror}.") from error


def _stay_on_file(engine: Engine) -> None:
    """Let nobody begin anything once the file was taken away, or another lies in its place.

    The system keeps such a file for those who have it open: they would read what nobody else sees any more,
    and what they write would be gone with them. They stay open, since the last to close would take the log of
    the new file for the old one's, and delete it.
    """
    path = Path(str(engine.url.database)).absolute()
    opened = files.file_identity(path)

    def find(dialect: Any, record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
        # Never made here: a file that is gone must not come back empty.
        arguments[0], options["uri"] = f"{path.as_uri()}?mode=rw", True

    def forget(engine: Engine) -> None:
        nonlocal opened
        opened = None

    def check(connection: Connection) -> None:
        nonlocal opened
        there = files.file_identity(path)
        opened = opened or there
        if there is None or there != opened:
            error = sqlite3.OperationalError(f"{path} was taken away, or another file lies there")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise OperationalError("BEGIN", None, error)

    event.listen(engine, "do_connect", find)
    event.listen(engine, "engine_disposed", forget)
    event.listen(engine, "begin", check)


def _limit(connection: Any, record: Any) -> None:
    connection.execute(
        f"SET lock_timeout = '{BUSY_SECONDS}s'; SET statement_timeout = '{STATEMENT_SECONDS}s'; "
        f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
    )
    connection.commit()


def _enter(connection: Connection) -> None:
    # One writer at a time, as on SQLite: then each statement of a READ COMMITTED transaction sees the state
    # that the one before it left. Above that level the snapshot would be older than the wait for the lock.
    seconds = connection.get_execution_options().get("writes")
    if seconds is not None:
        # Zero would be without end.
        less = f"SET LOCAL lock_timeout = '{seconds * 1000 or 1}ms'; " if seconds < BUSY_SECONDS else ""
        connection.exec_driver_sql(f"{less}{upgrades.WRITE_LOCK_SQL}")


def _set_up(connection: sqlite3.Connection, record: Any) -> None:
    # The driver's own mode sends no BEGIN before a SELECT, which loses updates; we send each ourselves.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout={BUSY_SECONDS * 1000}",
        "journal_mode=WAL",
        # FULL, since NORMAL loses acknowledged writes when the power fails.
        "synchronous=FULL",
        "foreign_keys=ON",
        "journal_size_limit=67108864",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # A deferred transaction that turns into a write fails at once when another has written meanwhile.
    seconds = connection.get_execution_options().get("writes")
    if seconds is None:
        connection.exec_driver_sql("BEGIN")
        return
    if seconds < BUSY_SECONDS:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={seconds * 1000}")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        if seconds < BUSY_SECONDS:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
