"""The databases of the tests: SQLite files, or databases on a PostgreSQL server.

BLOGAPI_TEST_DATABASE_URL names the server and a user who may create databases. Each worker creates databases
whose names begin with `blogapi_test_`, and drops them when it ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import pytest
from flask import Flask
from sqlalchemy import Connection, Engine, create_engine, inspect, make_url, text, update

# The application imports the models of all tables, which `_CLEAR` empties.
from blogapi import (
    application,  # noqa: F401
    create_app,
)
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.site.models import Site
from blogapi.storage import connections, postgresql_dumps
from blogapi.storage.database import Base, CommitCounter, db, table_of
from blogapi.storage.files import get_side_files
from blogapi.storage.integrity import define_sqlar_uncompress
from tests.audit_hooks.sqlite_files import allow_opening

SERVER_URL = os.environ.get("BLOGAPI_TEST_DATABASE_URL", "")

# The marks of tests that make and restore dumps of a PostgreSQL database.
DUMP_MARKS = [
    pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server"),
    pytest.mark.skipif(
        postgresql_dumps.find_missing_program() is not None, reason="pg_dump is not installed"
    ),
    pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index"),
]


class Databases(Protocol):
    """The databases of one worker; the current test's database is one of them."""

    #: The application with default settings that has created the empty database
    app: Flask

    def environment(self) -> dict[str, str]:
        """Return the environment variables that select the test's database."""

    def clear(self) -> None:
        """Empty or delete the test's database before the test."""

    def prepare(self, instance: Path) -> None:
        """Create an empty database for the test unless the test already has a database."""

    def is_empty(self, app: Flask) -> bool:
        """Return whether the database can be replaced: it is not open and nothing was written."""

    def save_copy(self, app: Flask) -> Any:
        """Save a copy of the application's database; return what `restore_copy` restores."""

    def restore_copy(self, copy: Any, instance: Path) -> None:
        """Replace the test's database with a copy that `save_copy` saved. The database must not be open."""

    def create_empty(self, folder: Path) -> str:
        """Return the URL of a new database without tables; SQLite stores its file in the folder."""

    def create_current(self, folder: Path) -> str:
        """Return the URL of a new database, with the current tables if that takes less than creating them."""

    def release(self, app: Flask) -> None:
        """End the test's use of the shared application."""

    def close(self) -> None:
        """Delete all databases."""


class SqliteFiles:
    """SQLite files, one in the instance folder of each test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.app = create_test_app(f"sqlite:///{folder / 'blog.db'}")
        self.empty = self.save_copy(self.app)
        self.prepared: tuple[int, ...] = ()

    def environment(self) -> dict[str, str]:
        """Return nothing: the default is a file in the instance folder."""
        return {}

    def clear(self) -> None:
        """Do nothing: the instance folder is already deleted."""

    def prepare(self, instance: Path) -> None:
        """Copy an empty database into the folder unless the folder already contains a database."""
        instance.mkdir(exist_ok=True)
        if not (instance / "blog.db").exists():
            with allow_opening():
                shutil.copy(self.empty, instance / "blog.db")
            self.prepared = _get_state(instance / "blog.db")

    def is_empty(self, app: Flask) -> bool:
        """Return whether the file is as `prepare` left it, without the log of an open connection."""
        with app.app_context():
            path = Path(str(db.engine.url.database))
        has_log = any(leftover.exists() for leftover in get_side_files(path))
        return not has_log and _get_state(path) == self.prepared

    def save_copy(self, app: Flask) -> str:
        """Copy the file after a checkpoint."""
        with app.app_context():
            with db.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                path = str(db.engine.url.database)
            db.session.remove()
            db.engine.dispose()
        with allow_opening():
            return str(shutil.copy(path, self.folder / f"{uuid4().hex}.db"))

    def restore_copy(self, copy: str, instance: Path) -> None:
        """Copy the file into the folder."""
        instance.mkdir(exist_ok=True)
        for leftover in get_side_files(instance / "blog.db"):
            leftover.unlink(missing_ok=True)
        with allow_opening():
            shutil.copy(copy, instance / "blog.db")

    def create_empty(self, folder: Path) -> str:
        """Return the URL of a file that does not exist yet."""
        return f"sqlite:///{folder / uuid4().hex}.db"

    def create_current(self, folder: Path) -> str:
        """Copy an empty database into the folder."""
        return f"sqlite:///{shutil.copy(self.empty, folder / f'{uuid4().hex}.db')}"

    def release(self, app: Flask) -> None:
        """Close the connections, so that the file can be deleted."""
        close_connections(app)

    def close(self) -> None:
        """Do nothing: pytest deletes its folders."""


def _get_state(path: Path) -> tuple[int, ...]:
    """Return what each write to the file changes."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


class PostgresqlServer:
    """Databases on a PostgreSQL server.

    The tests of a worker share one database, which is emptied before each test.
    """

    def __init__(self) -> None:
        self.prefix = f"blogapi_test_{uuid4().hex[:12]}"
        self.server = create_engine(SERVER_URL, isolation_level="AUTOCOMMIT")
        # On a busy machine, a request can pause for longer than the limit of the product.
        connections.REQUEST_IDLE_SECONDS = connections.IDLE_SECONDS
        self.names: list[str] = []
        self.own = self.create_database("own")
        self.app = create_test_app(self.url(self.own))
        close_connections(self.app)
        self.cleaner: Engine | None = None
        self.cleared_tag = ""
        self.released: Flask | None = None
        self.listeners = 0

    def url(self, name: str) -> str:
        """Return the URL of a database on the server."""
        return make_url(SERVER_URL).set(database=name).render_as_string(hide_password=False)

    def create_database(self, name: str, template: str = "template0", *, language: str = "") -> str:
        """Create a database; return its name."""
        name = f"{self.prefix}_{name}"
        locale = f"LOCALE_PROVIDER icu ICU_LOCALE '{language}'" if language else ""
        with self.server.connect() as connection:
            connection.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {locale}')
            # Tests do not need to keep data after a crash of the server.
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET synchronous_commit TO off')
        self.names.append(name)
        return name

    def environment(self) -> dict[str, str]:
        """Return the URL of this worker's database."""
        return {"BLOGAPI_DATABASE_URL": self.url(self.own)}

    def clear(self) -> None:
        """Empty all tables, and reset the one-row tables."""
        with self._connect_cleaner() as connection:
            connection.exec_driver_sql(_CLEAR)
            self.cleared_tag = connection.exec_driver_sql("SELECT tag FROM commit_counter").scalar_one()

    def prepare(self, instance: Path) -> None:
        """Create the folder. The database already exists and is empty."""
        instance.mkdir(exist_ok=True)

    def is_empty(self, app: Flask) -> bool:
        """Return whether no transaction was committed since `clear`, and there are no users and no keys."""
        with self._connect_cleaner() as connection:
            return bool(connection.scalar(_IS_CLEAR, {"tag": self.cleared_tag}))

    def save_copy(self, app: Flask) -> dict[str, bytes]:
        """Return all rows, by table; copying these is faster than copying the database."""
        rows = {}
        with app.app_context(), db.engine.connect() as connection:
            cursor = connection.connection.cursor()
            # The words of the search are in a table without a model, which refers to one of the others.
            ordered = [table.name for table in Base.metadata.sorted_tables]
            names = dict.fromkeys([*ordered, *inspect(connection).get_table_names()])
            for name in filter("alembic_version".__ne__, names):
                with cursor.copy(f"COPY {name} TO STDOUT (FORMAT binary)") as copy:
                    rows[name] = b"".join(map(bytes, copy))
            db.session.remove()
        return rows

    def restore_copy(self, copy: dict[str, bytes], instance: Path) -> None:
        """Replace the rows of the worker's database."""
        instance.mkdir(exist_ok=True)
        with self._connect_cleaner() as connection:
            cursor = connection.connection.cursor()
            connection.exec_driver_sql(_CLEAR + "".join(map(_EMPTY.format, _ONE_ROW)))
            for name, rows in copy.items():
                if len(rows) > _MAX_EMPTY_COPY:
                    with cursor.copy(f"COPY {name} FROM STDIN (FORMAT binary)") as target:
                        target.write(rows)
            connection.exec_driver_sql(_RESET.format("commit_counter", _NEW_TAGS))

    def copy_database(self, app: Flask) -> str:
        """Copy the application's database; return the name of the copy."""
        close_connections(app)
        with app.app_context():
            name = str(db.engine.url.database)
        self._disconnect(name)
        return self.create_database(uuid4().hex[:8], template=name)

    def replace_database(self, name: str, instance: Path) -> None:
        """Replace the worker's database with a copy of this one, which can be that of an old blog."""
        instance.mkdir(exist_ok=True)
        self._drop(self.own)
        self.create_database("own", template=name)

    def create_empty(self, folder: Path, *, language: str = "") -> str:
        """Return the URL of a new database, optionally with the collation of a language."""
        return self.url(self.create_database(uuid4().hex[:8], language=language))

    def create_current(self, folder: Path) -> str:
        """Return the URL of a database without tables."""
        return self.create_empty(folder)

    def release(self, app: Flask) -> None:
        """Keep the connections, because a new one takes longer than many tests.

        A test may have created objects with own connections, which close when the engine is disposed.
        """
        with app.app_context():
            db.session.remove()
            listeners = len(db.engine.dispatch.engine_disposed)
        if listeners != self.listeners:
            close_connections(app)
        self.released, self.listeners = app, listeners

    def close(self) -> None:
        """Drop all databases of this worker."""
        for name in dict.fromkeys(self.names):
            self._drop(name)
        self.server.dispose()

    def _connect_cleaner(self) -> Connection:
        if self.cleaner is None:
            self.cleaner = create_engine(self.url(self.own), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
        return self.cleaner.connect()

    def _drop(self, name: str) -> None:
        self._disconnect(name)
        with self.server.connect() as connection:
            connection.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _disconnect(self, name: str) -> None:
        if self.cleaner is not None and name == self.own:
            self.cleaner.dispose()
            self.cleaner = None
        if self.released is not None and name == self.own:
            close_connections(self.released)
            self.released = None
        with self.server.connect() as connection:
            connection.execute(
                text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"),
                {"name": name},
            )


_SITE_DEFAULTS = {
    column.name: column.default.arg
    for column in table_of(Site).columns
    if column.default is not None and column.default.is_scalar
}
# Response caches identify the state of the database by these tags.
_NEW_TAGS = "tag = left(md5(random()::text), 8), visible = left(md5(random()::text), 8)"
_ONE_ROW = {
    "site": ", ".join(f"{name} = '{value}'" for name, value in _SITE_DEFAULTS.items()),
    "article_stats": f"renderer = '{RENDERER_VERSION}'",
    "commit_counter": "position = 0, public_position = 0, announced_until = NULL, deleted_position = 0, "
    f"deleted_unlisted = 0, {_NEW_TAGS}",
}
_EMPTY, _RESET = "DELETE FROM {}; ", "UPDATE {} SET {}; "
_CLEAR = "".join(
    _RESET.format(table.name, _ONE_ROW[table.name]) if table.name in _ONE_ROW else _EMPTY.format(table.name)
    for table in reversed(Base.metadata.sorted_tables)
)
_IS_CLEAR = text(
    "SELECT tag = :tag AND NOT EXISTS (SELECT FROM account) AND NOT EXISTS (SELECT FROM api_key) "
    "FROM commit_counter"
)
# The length of a binary copy of a table without rows.
_MAX_EMPTY_COPY = 21


def create_test_app(url: str, **settings: Any) -> Flask:
    """Return an application on the database."""
    return create_app({"SQLALCHEMY_DATABASE_URI": url, "SECRET_KEY": "x" * 32} | settings)


def close_connections(app: Flask) -> None:
    """Close the application's connections, so that its database can be deleted."""
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


_BEGIN_WRITE = {"sqlite": "BEGIN IMMEDIATE", "postgresql": f"BEGIN; {connections.WRITE_LOCK_SQL}"}


@contextmanager
def other_connection(app: Flask, *, writing: bool = False) -> Iterator[Connection]:
    """Yield a connection like that of another process; with `writing`, start a write transaction."""
    with app.app_context():
        url = db.engine.url
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            if writing:
                connection.exec_driver_sql(_BEGIN_WRITE[engine.dialect.name])
            yield connection
            if writing:
                connection.exec_driver_sql("ROLLBACK")
    finally:
        engine.dispose()


@contextmanager
def open_sqlite(path: Path, **options: Any) -> Iterator[sqlite3.Connection]:
    """Yield a connection like that of another program, which can read the schema of an old blog too."""
    with closing(sqlite3.connect(path, **options)) as connection:
        define_sqlar_uncompress(connection)
        yield connection


def write_from_other_process(app: Flask, statement: str, **values: Any) -> None:
    """Execute the statement and count the commit, as a write of another process does."""
    tag = secrets.token_hex(4)
    with other_connection(app) as connection:
        connection.execute(text(statement), values)
        connection.execute(update(CommitCounter).values(tag=tag, visible=tag))


@contextmanager
def open_databases(folder: Path) -> Iterator[Databases]:
    """Yield the databases of this worker."""
    databases: Databases = PostgresqlServer() if SERVER_URL else SqliteFiles(folder)
    try:
        yield databases
    finally:
        databases.close()
