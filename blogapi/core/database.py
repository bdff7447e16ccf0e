"""The database: its tables' common ground, its connections and the one way to write.

SQLite in the instance folder unless `DATABASE_URL` names another. Reads begin a deferred transaction;
every write goes through `transaction()`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import URL, DateTime, Dialect, Engine, MetaData, TypeDecorator, Uuid, event
from sqlalchemy.engine import Connection
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

from blogapi.core import clock, migrate
from blogapi.core.errors import CannotStart

# How long a connection waits for another process's write, in seconds.
BUSY_SECONDS = 5

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


@contextmanager
def transaction(*, patient: bool = True) -> Iterator[None]:
    """Hold the one write transaction; commit at its end, roll back on any exception.

    Waits up to `BUSY_SECONDS` for another process's write, unless not `patient`; then SQLAlchemy's
    OperationalError says that the database is busy.

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
    session.info["writing"] = True
    try:
        session.connection(execution_options={"writes": "patient" if patient else "at once"})
        yield
        session.commit()
    except BaseException:
        session.rollback()
        raise
    finally:
        session.info["writing"] = False


def init_app(app: Flask) -> None:
    """Connect the application to its database and make the schema ready.

    Raises CannotStart when the database cannot be opened, or is newer than this version.
    """
    app.config.setdefault("SQLALCHEMY_DATABASE_URI", _url(app))
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {"hide_parameters": True} | app.config.get(
        "SQLALCHEMY_ENGINE_OPTIONS", {}
    )
    engine = _engine(app)
    if engine.dialect.name == "sqlite":
        if not migrate.in_memory(engine):
            _keep_private(engine)
        elif app.config["DATABASE_URL"]:
            raise CannotStart("A blog is kept in a file, not in memory; name one in DATABASE_URL.")
        _listen(engine)
    migrate.make_ready(engine, backups=Path(app.instance_path) / "backups")


def _url(app: Flask) -> str | URL:
    # Built and not written: the name of a folder can hold signs that mean something in a URL.
    ours = URL.create("sqlite", database=str(Path(app.instance_path, "blog.db")))
    return app.config["DATABASE_URL"] or ours


def _engine(app: Flask) -> Engine:
    try:
        db.init_app(app)
    except (ArgumentError, ImportError) as error:
        # The URL itself is not shown: it can hold a password.
        reason = f"{error}".splitlines()[0] if isinstance(error, ImportError) else "no such kind of database"
        raise CannotStart(f"DATABASE_URL cannot be used ({reason}); write sqlite:///blog.db.") from error
    with app.app_context():
        return db.engine


def _keep_private(engine: Engine) -> None:
    """Make a new database file readable by its owner only; SQLite gives its side files the same mode."""
    path = str(engine.url.database)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise CannotStart(f"The database {path} cannot be opened: {error.strerror}.") from error


def _listen(engine: Engine) -> None:
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)


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
    writes = connection.get_execution_options().get("writes")
    if writes == "at once":
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
    finally:
        if writes == "at once":
            connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
