"""The database: its tables' common ground, its connections and the one way to write.

SQLite in the instance folder unless `DATABASE_URL` names another, or PostgreSQL. A read sees one state of
the database until its request ends; every write goes through `transaction()`.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from flask import Flask, current_app
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    URL,
    DateTime,
    Dialect,
    Engine,
    MetaData,
    String,
    TypeDecorator,
    Uuid,
    create_engine,
    event,
    make_url,
    update,
)
from sqlalchemy.engine import Connection
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.exc import ArgumentError, OperationalError, TimeoutError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, registry
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from blogapi.core import clock, files, migrate
from blogapi.core.errors import CannotStart
from blogapi.core.gate import Gate
from blogapi.core.wal import Log

# How long a write waits for another one, of this process or of another, in seconds.
BUSY_SECONDS = 5

# What `transaction` raises where others write.
BUSY = (OperationalError, TimeoutError)

# How many threads may wait for a write that does not end, and how many of a server's threads never do: while
# somebody else keeps the database to himself, the service goes on reading.
WRITERS, READERS = 5, 3
_GATE, _LOG = "blogapi-gate", "blogapi-log"

_UNUSABLE = "DATABASE_URL cannot be used ({}); write sqlite:///blog.db."

# How long PostgreSQL may work on one statement, and wait for one of ours to go on with its transaction, in
# seconds: a process that hangs must not keep the others from writing.
STATEMENT_SECONDS, IDLE_SECONDS = 60, 60

# Rows live on after the commit of the write that made them: the reply shows them without a second read.
db = SQLAlchemy(session_options={"expire_on_commit": False})


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: aware UTC in Python, naive UTC in the database, where SQLite keeps no offset."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment as naive UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the stored moment as aware UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


class bytewise(FunctionElement[str]):  # noqa: N801, as SQLAlchemy writes its functions
    """A text in the order of its signs' numbers, lowered in ASCII only: on every engine as SQLite has it."""

    inherit_cache = True
    type = String()


@compiles(bytewise)
def _as_it_is(element: bytewise, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(bytewise, "postgresql")
def _collated(element: bytewise, compiler: SQLCompiler, **options: Any) -> str:
    # Otherwise the order is that of the language which the database was made with.
    return f'({compiler.process(element.clauses, **options)} COLLATE "C")'


class Base(DeclarativeBase):
    """What every table stands on: the types of its columns and the names of its constraints."""

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
        # On the registry, since Flask-SQLAlchemy 3.1.1 breaks on a map of the base itself.
        type_annotation_map={datetime: UtcDateTime(), UUID: Uuid()},
    )


class Identified:
    """A row with a random UUID."""

    uuid: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4, sort_order=-1)


def _as_created(context: DefaultExecutionContext) -> datetime:
    created: datetime = context.get_current_parameters()["created"]  # type: ignore[no-untyped-call]
    return created


class Timestamped:
    """A row that knows when it was made and last changed."""

    created: Mapped[datetime] = mapped_column(default=lambda: clock.now())
    last_updated: Mapped[datetime] = mapped_column(default=_as_created, onupdate=lambda: clock.now())


class Revision(Base):
    """The one row that tells of every commit on PostgreSQL; SQLite tells of them itself."""

    __tablename__ = "revision"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    commits: Mapped[int]


@contextmanager
def transaction(*, patient: bool = True) -> Iterator[None]:
    """Hold the one write transaction; commit at its end, roll back on any exception.

    Waits up to `BUSY_SECONDS` for other writes, unless not `patient`; then raises one of `BUSY`. Many wait
    only as long as the writes go on.

    What was read before is forgotten, so that a decision never rests on a state from before the lock.
    Inside another `transaction()` it is a part of that one, which alone commits; a part that fails takes
    back its own rows only.
    """
    session = db.session()
    if session.info.get("writing"):
        with session.begin_nested():
            yield
        return
    session.rollback()
    session.expire_all()
    gate: Gate = current_app.extensions[_GATE]
    with gate.passed(patient=patient) as waited:
        session.info["writing"] = True
        try:
            _open(session, seconds=math.ceil(BUSY_SECONDS - waited) if patient else 0)
            yield
            if session.get_bind().dialect.name != "sqlite":
                session.execute(update(Revision).values(commits=Revision.commits + 1))
            session.commit()
        except BaseException:
            session.rollback()
            raise
        finally:
            session.info["writing"] = False
        log: Log | None = current_app.extensions[_LOG]
        if log is not None:
            log.shorten()


def keep_readers(app: Flask, threads: int) -> None:
    """Leave `READERS` of a server's threads to those who read, where it has more."""
    app.extensions[_GATE] = Gate(max(1, threads - READERS), BUSY_SECONDS)


def _open(session: Session, *, seconds: int) -> None:
    """Begin a transaction that writes, and wait so long for those of other processes."""
    options: dict[str, Any] = {"writes": seconds}
    if session.get_bind().dialect.name != "sqlite":
        options |= {"isolation_level": "READ COMMITTED"}
    session.connection(execution_options=options)


def init_app(app: Flask) -> None:
    """Connect the application to its database and make the schema ready.

    Raises CannotStart when the database cannot be opened, or is newer than this version.
    """
    app.config.setdefault("SQLALCHEMY_DATABASE_URI", _url(app))
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = options(app.config["SQLALCHEMY_DATABASE_URI"]) | app.config.get(
        "SQLALCHEMY_ENGINE_OPTIONS", {}
    )
    app.extensions[_GATE] = Gate(WRITERS, BUSY_SECONDS)
    engine = _engine(app)
    in_file = engine.dialect.name == "sqlite" and not migrate.in_memory(engine)
    app.extensions[_LOG] = Log(Path(str(engine.url.database))) if in_file else None
    if migrate.in_memory(engine) and app.config["DATABASE_URL"]:
        raise CannotStart("A blog is kept in a file, not in memory; name one in DATABASE_URL.")
    prepare(engine)
    migrate.make_ready(engine, backups=Path(app.instance_path) / "backups")


def file_of(database_url: str, folder: Path) -> Path | None:
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


def prepare(engine: Engine) -> None:
    """Set up the connections that the engine makes, and a new file to be its owner's alone."""
    if engine.dialect.name != "sqlite":
        event.listen(engine, "connect", _limit)
        event.listen(engine, "begin", _enter)
        return
    if not migrate.in_memory(engine):
        _keep_private(engine)
        _stay_on_file(engine)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)


def options(url: str | URL) -> dict[str, Any]:
    """Return what an engine for the database is made with."""
    given: dict[str, Any] = {"hide_parameters": True}
    if str(url).startswith("postgresql"):
        # A list and its total are of one state; and a server that was away is found again.
        given |= {"isolation_level": "REPEATABLE READ", "pool_pre_ping": True}
        given |= {"connect_args": {"connect_timeout": BUSY_SECONDS, "application_name": "blogapi"}}
    return given


def engine_of(url: str | URL) -> Engine:
    """Return an engine for the database, on which `prepare` is still to be called.

    Raises CannotStart where nothing can open such a one.
    """
    try:
        return create_engine(url, **options(url))
    except (ArgumentError, ImportError) as error:
        raise _unusable(error) from error


def _unusable(error: ArgumentError | ImportError) -> CannotStart:
    # The URL itself is not shown: it can hold a password.
    reason = f"{error}".splitlines()[0] if isinstance(error, ImportError) else "no such kind of database"
    return CannotStart(_UNUSABLE.format(reason))


def _url(app: Flask) -> str | URL:
    # Built and not written: the name of a folder can hold signs that mean something in a URL.
    ours = URL.create("sqlite", database=str(Path(app.instance_path, "blog.db")))
    return app.config["DATABASE_URL"] or ours


def _engine(app: Flask) -> Engine:
    try:
        db.init_app(app)
    except (ArgumentError, ImportError) as error:
        raise _unusable(error) from error
    with app.app_context():
        return db.engine


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
    opened = files.identity(path)

    def find(dialect: Any, record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
        # Never made here: a file that is gone must not come back empty.
        arguments[0], options["uri"] = f"{path.as_uri()}?mode=rw", True

    def forget(engine: Engine) -> None:
        nonlocal opened
        opened = None

    def check(connection: Connection) -> None:
        nonlocal opened
        there = files.identity(path)
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
        connection.exec_driver_sql(f"{less}{migrate.GATE}")


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
