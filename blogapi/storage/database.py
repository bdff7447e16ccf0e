"""The database: its tables' common ground and the one way to write.

SQLite in the instance folder unless `DATABASE_URL` names another, or PostgreSQL. A read sees one state of
the database until its request ends; every write goes through `transaction()`.
"""

from __future__ import annotations

import math
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
    update,
)
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.exc import ArgumentError, OperationalError, TimeoutError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from blogapi import clock
from blogapi.config import CannotStart
from blogapi.storage import connections, upgrades
from blogapi.storage.checkpoint import WriteAheadLog
from blogapi.storage.write_lock import WriteLock

# What `transaction` raises where others write.
BUSY_ERRORS = (OperationalError, TimeoutError)

# How many threads may wait for a write that does not end, and how many of a server's threads never do: while
# somebody else keeps the database to himself, the service goes on reading.
MAX_WAITING_WRITERS, RESERVED_READER_THREADS = 5, 3
_GATE, _LOG = "blogapi-gate", "blogapi-log"

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


class CommitCounter(Base):
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
    gate: WriteLock = current_app.extensions[_GATE]
    with gate.passed(patient=patient) as waited:
        session.info["writing"] = True
        try:
            left = math.ceil(connections.BUSY_SECONDS - waited) if patient else 0
            session.connection(execution_options=connections.write_options(db.engine, left))
            yield
            if session.get_bind().dialect.name != "sqlite":
                session.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))
            session.commit()
        except BaseException:
            session.rollback()
            raise
        finally:
            session.info["writing"] = False
        log: WriteAheadLog | None = current_app.extensions[_LOG]
        if log is not None:
            log.shorten()


def reserve_reader_threads(app: Flask, threads: int) -> None:
    """Leave `READERS` of a server's threads to those who read, where it has more."""
    app.extensions[_GATE] = WriteLock(max(1, threads - RESERVED_READER_THREADS), connections.BUSY_SECONDS)


def init_app(app: Flask) -> None:
    """Connect the application to its database and make the schema ready.

    Raises CannotStart when the database cannot be opened, or is newer than this version.
    """
    app.config.setdefault("SQLALCHEMY_DATABASE_URI", _url(app))
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = connections.engine_options(
        app.config["SQLALCHEMY_DATABASE_URI"]
    ) | app.config.get("SQLALCHEMY_ENGINE_OPTIONS", {})
    app.extensions[_GATE] = WriteLock(MAX_WAITING_WRITERS, connections.BUSY_SECONDS)
    engine = _engine(app)
    in_file = engine.dialect.name == "sqlite" and not upgrades.is_in_memory(engine)
    app.extensions[_LOG] = WriteAheadLog(Path(str(engine.url.database))) if in_file else None
    if upgrades.is_in_memory(engine) and app.config["DATABASE_URL"]:
        raise CannotStart("A blog is kept in a file, not in memory; name one in DATABASE_URL.")
    connections.configure_connections(engine)
    upgrades.upgrade(engine, Base.metadata, backups=Path(app.instance_path) / "backups")


def _url(app: Flask) -> str | URL:
    # Built and not written: the name of a folder can hold signs that mean something in a URL.
    ours = URL.create("sqlite", database=str(Path(app.instance_path, "blog.db")))
    return app.config["DATABASE_URL"] or ours


def _engine(app: Flask) -> Engine:
    try:
        db.init_app(app)
    except (ArgumentError, ImportError) as error:
        raise connections.cannot_use(error) from error
    with app.app_context():
        return db.engine
