"""The session, the base class of all models, and `transaction()`, which every write uses.

The database is SQLite in the instance folder unless `DATABASE_URL` names another file or a PostgreSQL server.
Reads see one snapshot of the database until the end of the request.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import UUID, uuid4

from flask import Flask, current_app, has_request_context, request
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import (
    URL,
    DateTime,
    Dialect,
    Engine,
    Executable,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    Uuid,
    select,
)
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError, TimeoutError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from blogapi.config import AppState, CannotStart
from blogapi.storage import connections, database_clock, files, upgrades
from blogapi.storage.checkpoint import WriteAheadLog, WriteLock
from blogapi.storage.disk_errors import REFUSED_WRITE_CODES, get_primary_result_code, is_disk_full_error
from blogapi.storage.version_check import read_state_and_check_version

Value = TypeVar("Value")

# The exceptions that `transaction` raises if it cannot get the write lock in time.
BUSY_ERRORS = (OperationalError, TimeoutError)

# The WSGI environ key that stores how long the request waited for a thread, in seconds.
QUEUE_SECONDS_KEY = "blogapi.queue_seconds"

# The key of `Session.info` whose value is the outermost `transaction()` of the session.
WRITE_TRANSACTION_KEY = "blogapi-write"
# The lock that each write in this process holds.
WRITE_LOCK = AppState[WriteLock]("write-lock")
_WRITE_AHEAD_LOG = AppState[WriteAheadLog | None]("write-ahead-log")
_FOLDER_LOCK = AppState[files.FolderLock | None]("database-folder")


# Rows stay loaded after the commit, so that the response to a write needs no second read.
db = SQLAlchemy(session_options={"expire_on_commit": False})


def current_time() -> datetime:
    """Return the time (aware, UTC) that decides what is due; see `database_clock.get_transaction_time`."""
    return database_clock.get_transaction_time(db.session())


class UtcDateTime(TypeDecorator[datetime]):
    """A time that is aware UTC in Python and naive UTC in the database, because SQLite stores no offset."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time as naive UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the stored time as aware UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


@lru_cache(maxsize=1024)
def _parse_uuid(value: str | None) -> UUID | None:
    return None if value is None else UUID(value)


class CachedUuid(Uuid[UUID]):
    """A UUID column; SQLite stores UUIDs as texts, and the most recent texts are not parsed again.

    The uuid of a user, a category or a tag is in many rows, and parsing takes longer than reading a row.
    """

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the function that makes a UUID from a stored text; None if the driver returns UUIDs."""
        processor = super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]
        return processor and _parse_uuid


# The type of texts that both engines order byte by byte; PostgreSQL's default order depends on its locale.
SORT_KEY_TYPE = String().with_variant(String(collation="C"), "postgresql")


class JsonText(TypeDecorator[Any]):
    """A JSON value that is stored as compact text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Return the value as JSON."""
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Return the value of the stored JSON; a damaged text is returned unchanged."""
        try:
            return None if value is None else json.loads(value)
        except ValueError:
            # `doctor` renders the item again, notices that the stored text differs, and replaces the text.
            return value


class bytewise(FunctionElement[str]):  # noqa: N801, as SQLAlchemy writes its functions
    """A text that every database engine sorts by code point."""

    inherit_cache = True
    type = String()


@compiles(bytewise)
def _compile_bytewise(element: bytewise, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(bytewise, "postgresql")
def _compile_bytewise_on_postgresql(element: bytewise, compiler: SQLCompiler, **options: Any) -> str:
    # The default order depends on the locale of the PostgreSQL database.
    return f'({compiler.process(element.clauses, **options)} COLLATE "C")'


class Base(DeclarativeBase):
    """The base class of all models; defines column types and constraint names."""

    registry = registry(
        metadata=MetaData(
            naming_convention={
                "ix": "ix_%(table_name)s_%(column_0_N_name)s",
                "uq": "uq_%(table_name)s_%(column_0_N_name)s",
                "ck": "ck_%(table_name)s_%(constraint_name)s",
                "fk": "fk_%(table_name)s_%(column_0_N_name)s",
                "pk": "pk_%(table_name)s",
            }
        ),
        # The type map is an argument of the registry, because Flask-SQLAlchemy 3.1.1 fails if the base class
        # defines it.
        type_annotation_map={datetime: UtcDateTime(), UUID: CachedUuid()},
    )


def split_values(values: Collection[Value], size: int = 500) -> Iterator[list[Value]]:
    """Yield the values in lists of `size` values; databases limit the number of parameters of a statement."""
    ordered = list(values)
    return (ordered[start : start + size] for start in range(0, len(ordered), size))


def check_for_damaged_texts(rows: Iterable[Iterable[Any]]) -> None:
    """Raise DatabaseError if a text in one of these rows contains NUL characters."""
    # SQLite does not verify the database pages of a long value: it returns the zeroes of a damaged page.
    if any(isinstance(value, str) and "\0" in value for row in rows for value in row):
        error = sqlite3.DatabaseError("a stored text contains NUL characters")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise DatabaseError("SELECT", None, error)


def execute_in_batches(
    statement: Executable, name: str, values: Collection[Any], **others: Any
) -> Iterator[Any]:
    """Yield the rows of a statement whose parameter `name` gets the values in batches; see `split_values`."""
    for batch in split_values(values):
        yield from db.session.connection().execute(statement, {name: batch, **others})


def table_of(model: type[Base]) -> Table:
    """Return the table of a model, for statements that bypass the session."""
    assert isinstance(model.__table__, Table)
    return model.__table__


# A table argument: SQLite stores the rows only in the index of the primary key, which saves space if
# rows are short.
WITHOUT_ROWID = {"sqlite_with_rowid": False}


class Identified:
    """Mixin for models with a random UUID as their primary key."""

    uuid: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4, sort_order=-1)


def _get_creation_time(context: DefaultExecutionContext) -> datetime:
    created: datetime = context.get_current_parameters()["created"]  # type: ignore[no-untyped-call]
    return created


class Timestamped:
    """Mixin for models that record when a row was created and last updated."""

    created: Mapped[datetime] = mapped_column(default=current_time)
    last_updated: Mapped[datetime] = mapped_column(default=_get_creation_time, onupdate=current_time)


class CommitCounter(Base):
    """A table with a single row, which identifies the state of the database; see `publication.events`.

    `tag` is a random text. On PostgreSQL, every commit changes the tag. SQLite counts commits itself, so on
    SQLite only commits that write events or change what readers can see change the tag. `visible` is the tag
    of the last commit that changed what readers without access to drafts can see. `position` and
    `public_position` are the last assigned positions of events, and `announced_until` is the latest
    publication time of an item that was announced as public. Old events may have been deleted: public events
    up to the position `deleted_position`, and events of unlisted items up to `deleted_unlisted`.
    """

    __tablename__ = "commit_counter"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tag: Mapped[str] = mapped_column(String(8))
    visible: Mapped[str] = mapped_column(String(8))
    position: Mapped[int]
    public_position: Mapped[int]
    announced_until: Mapped[datetime | None]
    deleted_position: Mapped[int] = mapped_column(server_default="0")
    deleted_unlisted: Mapped[int] = mapped_column(server_default="0")


class WriteEventsFunction(Protocol):
    """The type of a function that writes the events of a transaction and updates CommitCounter."""

    def __call__(self, session: Session, *, visible: bool) -> None: ...


_WRITE_EVENTS_FUNCTION = AppState[WriteEventsFunction]("write-events")


@dataclass(slots=True)
class WriteTransaction:
    """The outermost `transaction()` of a session.

    `counter` contains the values of CommitCounter before the transaction; see `read_state_and_check_version`.
    `noted_changes` are the changes that `publication.events` has noted, by the kind and uuid of the item.
    `after_commit` and `after_rollback` map each function that is called at the end to its argument, a list of
    items.
    """

    visible: bool | None
    counter: dict[str, Any] = field(default_factory=dict)
    noted_changes: dict[Any, Any] = field(default_factory=dict)
    has_failed: bool = False
    is_rolled_back: bool = False
    after_commit: dict[Callable[[list[Any]], None], list[Any]] = field(default_factory=dict)
    after_rollback: dict[Callable[[list[Any]], None], list[Any]] = field(default_factory=dict)


def get_write_transaction(session: Any) -> WriteTransaction:
    """Return the outermost `transaction()` of the session; one must be open."""
    write: WriteTransaction = session.info[WRITE_TRANSACTION_KEY]
    return write


@contextmanager
def transaction(*, wait: bool = True, visible: bool | None = True) -> Iterator[None]:
    """Take the write lock and run one transaction; commit at its end, roll back on any exception.

    Cached responses to readers without access to drafts are dropped, unless `visible` is False in this block
    and in all nested blocks. With None, the values of the nested blocks decide.

    Waits up to WRITE_WAIT_SECONDS for other writes, or not at all if `wait` is False; the time that the
    request has waited for a thread counts too. Raises one of BUSY_ERRORS if the lock is not free in time.
    Raises NewerSchema if another version of blogapi has upgraded the database.

    Rows that were read before the transaction are expired, so that they are read again after the lock was
    taken. A nested `transaction()` is a part of the outer transaction: when the nested block ends, its rows
    are flushed, and if the nested block raises an exception, the outer transaction cannot commit. Use
    `savepoint()` for a part of a transaction that may fail without the rest. At the end, after the write lock
    was released, the functions passed to `call_after_rollback` are called if any part was rolled back, and
    the functions passed to `call_after_commit` are called if the transaction was committed.
    """
    session = db.session()
    if outer := session.info.get(WRITE_TRANSACTION_KEY):
        if visible is not None:
            outer.visible = visible or bool(outer.visible)
        try:
            yield
            session.flush()
        except BaseException:
            outer.has_failed = True
            raise
        return
    session.rollback()
    session.expire_all()
    write, is_committed = WriteTransaction(visible), False
    try:
        with _run_write_transaction(session, write, wait=wait):
            yield
        is_committed = True
    finally:
        after_rollback = write.after_rollback if write.is_rolled_back else {}
        after_commit = write.after_commit if is_committed else {}
        # The functions can open transactions of their own.
        for function, items in (*after_rollback.items(), *after_commit.items()):
            function(items)


@contextmanager
def _run_write_transaction(session: Session, write: WriteTransaction, *, wait: bool) -> Iterator[None]:
    lock, log = WRITE_LOCK.get(), _WRITE_AHEAD_LOG.get()
    queued = request.environ.get(QUEUE_SECONDS_KEY, 0.0) if has_request_context() else 0.0
    limit = connections.WRITE_WAIT_SECONDS * lock.tries
    with lock.acquire(max(0.0, limit - queued) if wait else 0.0) as seconds_left:
        if log is not None:
            log.truncate_if_long()
        session.info[WRITE_TRANSACTION_KEY] = write
        locked_at = None
        try:
            options = connections.get_write_options(db.engine, math.ceil(seconds_left))
            for tries_left in reversed(range(lock.tries)):
                try:
                    session.connection(execution_options=options)
                    break
                except OperationalError:
                    if not (tries_left and wait):
                        raise
                    session.rollback()
            locked_at = time.monotonic()
            write.counter = read_state_and_check_version(session)
            # The number of rows that the connection has changed so far (SQLite).
            driver = session.connection().connection.driver_connection
            changes = getattr(driver, "total_changes", 0)
            yield
            if write.has_failed:
                raise RuntimeError("A part of the transaction failed; use savepoint().")
            session.flush()
            _WRITE_EVENTS_FUNCTION.get()(session, visible=write.visible is not False)
            has_changed = getattr(driver, "total_changes", 0) != changes
            session.commit()
            if has_changed:
                lock.failure = 0
        except BaseException as error:
            write.is_rolled_back = True
            if (code := get_primary_result_code(error)) in REFUSED_WRITE_CODES:
                lock.failure = code
            session.rollback()
            if log is not None and is_disk_full_error(error):
                log.truncate_if_long(is_disk_full=True)
            raise
        finally:
            del session.info[WRITE_TRANSACTION_KEY]
            if locked_at is not None:
                lock.held_seconds += time.monotonic() - locked_at
        if log is not None:
            log.truncate_if_long()


def is_only_process() -> bool:
    """Return whether no other process, such as a server, has opened the blog in this folder (SQLite).

    Returns False if this is unknown, as on PostgreSQL.
    """
    folder = _FOLDER_LOCK.get()
    return folder is not None and folder.is_alone()


@contextmanager
def savepoint() -> Iterator[None]:
    """Run a part of a transaction; an exception rolls back only the changes of this part."""
    write = db.session().info.get(WRITE_TRANSACTION_KEY)
    if write is None:
        with transaction():
            yield
        return
    failed_before, noted_changes = write.has_failed, dict(write.noted_changes)
    try:
        with db.session.begin_nested():
            yield
    except BaseException:
        write.has_failed, write.is_rolled_back = failed_before, True
        write.noted_changes = noted_changes
        raise


def call_after_commit(function: Callable[[list[Any]], None], item: Any) -> None:
    """Call the function after the current transaction, if the transaction is committed.

    If several items are registered with the same function, the function is called once, with a list of these
    items. The function may open a transaction. It must handle errors, because the write cannot be undone.
    """
    get_write_transaction(db.session()).after_commit.setdefault(function, []).append(item)


def call_after_rollback(function: Callable[[list[Any]], None], item: Any) -> None:
    """Call the function after the current transaction, if any part of the transaction is rolled back.

    If several items are registered with the same function, the function is called once, with a list of these
    items. The function may open a transaction, and must handle its errors.
    """
    get_write_transaction(db.session()).after_rollback.setdefault(function, []).append(item)


def end_read() -> None:
    """End the read transaction before slow work, so that no snapshot stays open during this work.

    Does nothing in a `transaction()`.
    """
    session = db.session()
    if WRITE_TRANSACTION_KEY not in session.info:
        session.rollback()


def list_uuid_batches(model: Any, size: int) -> Iterator[list[UUID]]:
    """Return the sorted uuids of all rows of a model, in lists of `size` uuids.

    All uuids are read at once, so that a loop that writes sees each row once; 100,000 uuids need 10 MB.
    """
    uuids = db.session.scalars(select(model.uuid).order_by(model.uuid)).all()
    end_read()
    return split_values(uuids, size)


@contextmanager
def allow_long_write_waits() -> Iterator[None]:
    """Let writes in the `with` block wait up to a minute for other programs, because no HTTP client waits.

    The writes try again after WRITE_WAIT_SECONDS, because signals are handled only between two statements.
    """
    lock = WRITE_LOCK.get()
    lock.tries = 12
    try:
        yield
    finally:
        lock.tries = 1


def leave_checkpoints_to_server() -> None:
    """Turn off checkpoints in this process, because the server that started the process makes them."""
    _WRITE_AHEAD_LOG.set(current_app, None)


def init_app(app: Flask, *, write_events: WriteEventsFunction) -> None:
    """Connect the application to its database and upgrade the schema.

    Raises CannotStart if the database cannot be opened or a newer version has upgraded it.
    """
    # URL.create escapes characters in the folder name that have a special meaning in a URL.
    default = URL.create("sqlite", database=str(Path(app.instance_path, "blog.db")))
    app.config.setdefault("SQLALCHEMY_DATABASE_URI", app.config["DATABASE_URL"] or default)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = connections.get_engine_options(
        app.config["SQLALCHEMY_DATABASE_URI"]
    ) | app.config.get("SQLALCHEMY_ENGINE_OPTIONS", {})
    WRITE_LOCK.set(app, WriteLock())
    _WRITE_EVENTS_FUNCTION.set(app, write_events)
    engine = _create_engine(app)
    is_sqlite = engine.dialect.name == "sqlite"
    if is_sqlite and engine.url.database in (None, "", ":memory:"):
        raise CannotStart("A blog is stored in a file, not in memory; name a file in DATABASE_URL.")
    _WRITE_AHEAD_LOG.set(app, WriteAheadLog(Path(str(engine.url.database))) if is_sqlite else None)
    _FOLDER_LOCK.set(app, files.FolderLock(Path(str(engine.url.database)).parent) if is_sqlite else None)
    connections.configure_connections(engine)
    upgrades.upgrade_schema(engine, Base.metadata, backups=Path(app.instance_path, "backups"))


def _create_engine(app: Flask) -> Engine:
    try:
        db.init_app(app)
    except (ArgumentError, ImportError) as error:
        raise connections.make_database_url_error(error) from error
    with app.app_context():
        return db.engine
