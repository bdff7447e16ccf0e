"""Functions for database URLs and engines, and the settings of each connection."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import has_request_context
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from blogapi import config
from blogapi.config import CannotStart
from blogapi.storage import files


def get_typed_options(url: URL) -> dict[str, Any]:
    """Return, as Python values, the options in the URL that psycopg does not accept as text.

    Raises CannotStart if a value is invalid.
    """
    value = url.query.get("prepare_threshold")
    if value is None or not url.drivername.startswith("postgresql"):
        return {}
    if str(value).lower() == "none":
        return {"prepare_threshold": None}
    if not (isinstance(value, str) and value.isdecimal()):
        raise CannotStart("In DATABASE_URL, prepare_threshold must be a number or none.")
    return {"prepare_threshold": int(value)}


# How long a write waits for other writes of any process, in seconds.
WRITE_WAIT_SECONDS = 5

# Time limits on PostgreSQL, in seconds: for a statement, for an idle transaction, and for an idle transaction
# of a request. They prevent a process that hangs from blocking the writes of other processes. The limit for
# requests is shorter, because the process of a web server can be paused at any time.
STATEMENT_SECONDS, IDLE_SECONDS, REQUEST_IDLE_SECONDS = 60, 60, 5

# On PostgreSQL every write transaction and every upgrade holds this lock until it ends; the number is
# arbitrary.
WRITE_LOCK_SQL = "SELECT pg_advisory_xact_lock(6251846213)"

_APPLICATION_NAME = "blogapi"

# With these options, the operating system detects after about ten seconds that the server no longer responds.
# With the system's default values, each request would wait for a quarter of an hour.
_DEAD_PEER_OPTIONS = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

# The options in the URL of a database that are passwords.
PASSWORD_OPTIONS = ("password", "sslpassword")

_UNUSABLE_URL = (
    "DATABASE_URL cannot be used ({}); it must begin with sqlite:/// or postgresql+psycopg://, for example "
    "sqlite:///blog.db or postgresql+psycopg://user@host/database."
)


def get_sqlite_path(database_url: str, folder: Path) -> Path | None:
    """Return the path of the SQLite file that `DATABASE_URL` names, or None for any other database.

    Does not open the file. Raises CannotStart for an invalid URL.
    """
    if not database_url:
        return folder / "blog.db"
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        raise CannotStart(_UNUSABLE_URL.format("no such kind of database")) from error
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:") or "uri" in url.query:
        return None
    # Flask-SQLAlchemy also resolves a relative path against the instance folder.
    return folder / str(url.database)


def get_engine_options(url: str | URL) -> dict[str, Any]:
    """Return the options with which `create_engine` opens the database of a blog."""
    options: dict[str, Any] = {"hide_parameters": True}
    if str(url).startswith("postgresql"):
        # REPEATABLE READ: a list and its total must come from one snapshot. `pool_pre_ping` replaces lost
        # connections before they are used.
        options |= {"isolation_level": "REPEATABLE READ", "pool_pre_ping": True}
        try:
            url = make_url(url)
        except ArgumentError as error:
            raise make_database_url_error(error) from error
        defaults = {
            "connect_timeout": WRITE_WAIT_SECONDS,
            "application_name": _APPLICATION_NAME,
        } | _DEAD_PEER_OPTIONS
        # An option in the URL replaces the default.
        arguments = {name: value for name, value in defaults.items() if name not in url.query}
        options |= {"connect_args": arguments | get_typed_options(url)}
    return options


def get_application_name(url: URL) -> str:
    """Return the name by which a PostgreSQL server knows the connections of this application."""
    return str(url.query.get("application_name", _APPLICATION_NAME))


def describe_url(url: URL) -> str:
    """Return the URL for a message, without passwords."""
    return url.difference_update_query(PASSWORD_OPTIONS).render_as_string()


def make_engine(url: str | URL) -> Engine:
    """Return an engine for the database; the caller must pass it to `configure_connections`.

    Raises CannotStart if the URL is invalid or its driver is missing.
    """
    try:
        return create_engine(url, **get_engine_options(url))
    except (ArgumentError, ImportError) as error:
        raise make_database_url_error(error) from error


def get_database_url(instance: Path) -> URL:
    """Return the database URL of the blog in this instance folder; raises CannotStart if it is invalid."""
    setting = config.read_settings(instance)["DATABASE_URL"]
    path = get_sqlite_path(setting, instance)
    return make_url(setting) if path is None else URL.create("sqlite", database=str(path))


@contextmanager
def open_plain_engine(url: URL, **options: Any) -> Iterator[Engine]:
    """Yield an engine without the application's settings; it can open a database of any schema version.

    Raises CannotStart if the driver is missing.
    """
    arguments = get_typed_options(url)
    try:
        engine = create_engine(url, hide_parameters=True, connect_args=arguments, **options)
    except (ArgumentError, ImportError) as error:
        raise make_database_url_error(error) from error
    try:
        yield engine
    finally:
        engine.dispose()


def make_database_url_error(error: ArgumentError | ImportError) -> CannotStart:
    """Return the error to raise for a `DATABASE_URL` that is invalid or needs a missing driver."""
    # The message does not contain the URL, because the URL can contain a password.
    reason = f"{error}".splitlines()[0] if isinstance(error, ImportError) else "no such kind of database"
    return CannotStart(_UNUSABLE_URL.format(reason))


def configure_connections(engine: Engine) -> None:
    """Configure the engine's connections and create a missing SQLite file with mode 0600."""
    if engine.dialect.name != "sqlite":
        event.listen(engine, "connect", _set_postgresql_timeouts)
        event.listen(engine, "begin", _take_postgresql_write_lock)
        return
    _create_private_file(engine)
    _refuse_replaced_file(engine)
    event.listen(engine, "connect", _configure_sqlite_connection)
    event.listen(engine, "begin", _begin_sqlite_transaction)


def get_write_options(engine: Engine, seconds: int) -> dict[str, Any]:
    """Return the execution options of a write transaction that waits up to `seconds` for other writes."""
    isolation = {} if engine.dialect.name == "sqlite" else {"isolation_level": "READ COMMITTED"}
    return {"writes": seconds} | isolation


def disable_timeouts(connection: Connection) -> None:
    """Remove the time limits of the current transaction on PostgreSQL; SQLite has no such limits."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")


def _create_private_file(engine: Engine) -> None:
    """Create the database file with mode 0600 if it is missing; SQLite gives its side files the same mode."""
    path = Path(str(engine.url.database))
    try:
        files.create_private_file(path.resolve())
    except FileExistsError:
        # An existing file is not opened here, because closing it would drop SQLite's locks; see `raw_files`.
        if path.is_dir() or not os.access(path, os.R_OK | os.W_OK):
            number = errno.EISDIR if path.is_dir() else errno.EACCES
            reason = OSError(number, os.strerror(number))
            raise CannotStart(f"The database {path} cannot be opened: {reason.strerror}.") from reason
    except OSError as error:
        raise CannotStart(f"The database {path} cannot be opened: {error.strerror}.") from error


def get_file_identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of the file, or None if it is missing; a new file has another identity."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _refuse_replaced_file(engine: Engine) -> None:
    """Refuse new transactions after the database file has been removed or replaced.

    Connections can use an open file even after it was removed: they would read stale content, and their
    writes would be lost. The connections are not closed: SQLite deletes the log when the last one is
    closed, and the log of the new file has the same name.
    """
    path = Path(str(engine.url.database)).absolute()
    opened = get_file_identity(path)

    def open_existing_file(dialect: Any, record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
        # With mode=rw, SQLite never creates the file, so a deleted database is not replaced by an empty one.
        arguments[0], options["uri"] = f"{path.as_uri()}?mode=rw", True

    def forget_file_identity(engine: Engine) -> None:
        nonlocal opened
        opened = None

    def check_file_identity(connection: Connection) -> None:
        nonlocal opened
        current = get_file_identity(path)
        opened = opened or current
        if current is None or current != opened:
            error = sqlite3.OperationalError(f"{path} was removed or replaced")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise OperationalError("BEGIN", None, error)

    event.listen(engine, "do_connect", open_existing_file)
    event.listen(engine, "engine_disposed", forget_file_identity)
    event.listen(engine, "begin", check_file_identity)


def _set_postgresql_timeouts(connection: Any, record: Any) -> None:
    # One statement sets all limits in one round trip. With `prepare_threshold=0`, psycopg cannot send several
    # statements together.
    connection.execute(
        f"SELECT set_config('lock_timeout', '{WRITE_WAIT_SECONDS}s', false), "
        f"set_config('statement_timeout', '{STATEMENT_SECONDS}s', false), "
        f"set_config('idle_in_transaction_session_timeout', '{IDLE_SECONDS}s', false)"
    )
    connection.commit()


def _take_postgresql_write_lock(connection: Connection) -> None:
    # The lock allows one writer at a time, as on SQLite, so no other transaction changes rows between two
    # statements of a READ COMMITTED transaction. At a higher isolation level, the transaction would read a
    # snapshot from before the wait for the lock.
    seconds = connection.get_execution_options().get("writes")
    if seconds is not None:
        # PostgreSQL reads a timeout of 0 as no timeout, so 1 ms stands for no wait.
        if seconds < WRITE_WAIT_SECONDS:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{seconds * 1000 or 1}ms'")
        # One statement takes the lock and sets the limit, so the process cannot be paused in between.
        idle = f", set_config('idle_in_transaction_session_timeout', '{REQUEST_IDLE_SECONDS}s', true)"
        connection.exec_driver_sql(WRITE_LOCK_SQL + (idle if has_request_context() else ""))


def _configure_sqlite_connection(connection: sqlite3.Connection, record: Any) -> None:
    # By default, the driver sends no BEGIN before a SELECT, so updates can be lost. Therefore
    # `_begin_sqlite_transaction` sends each BEGIN, and the driver sends none.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout={WRITE_WAIT_SECONDS * 1000}",
        "journal_mode=WAL",
        # Only `checkpoint.truncate_log` makes checkpoints.
        "wal_autocheckpoint=0",
        # With NORMAL, a power failure can lose acknowledged writes.
        "synchronous=FULL",
        "foreign_keys=ON",
        "journal_size_limit=67108864",
    ):
        connection.execute(f"PRAGMA {pragma}")
    # SQLite's own function changes only ASCII letters. No index and no constraint uses `lower`.
    connection.create_function("lower", 1, _lowercase_text, deterministic=True)


def _lowercase_text(text: str | None) -> str | None:
    return text if text is None else text.lower()


def _begin_sqlite_transaction(connection: Connection) -> None:
    # Writes use IMMEDIATE, because a deferred transaction fails at its first write if another transaction has
    # committed since its first read.
    seconds = connection.get_execution_options().get("writes")
    if seconds is None:
        connection.exec_driver_sql("BEGIN")
        return
    if seconds < WRITE_WAIT_SECONDS:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={seconds * 1000}")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        if seconds < WRITE_WAIT_SECONDS:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={WRITE_WAIT_SECONDS * 1000}")
