"""Where the blogs of the tests are kept: in files of SQLite, or in databases of a PostgreSQL server.

BLOGAPI_TEST_DATABASE_URL names the server and a user who may create databases: each worker makes some whose
names begin with `blogapi_test_`, and drops them at its end.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from flask import Flask
from sqlalchemy import Connection, Engine, create_engine, make_url, text, update

from blogapi import create_app
from blogapi.storage.database import Base, CommitCounter, db
from blogapi.storage.upgrades import WRITE_LOCK_SQL

SERVER = os.environ.get("BLOGAPI_TEST_DATABASE_URL", "")


class Blogs(Protocol):
    """The place of the test's own blog."""

    def settings(self) -> dict[str, str]:
        """Return the environment under which the test's blog is found."""

    def clear(self) -> None:
        """Make the test's blog one with nothing in it, before the test; or leave none."""

    def furnish(self, instance: Path) -> None:
        """Give the test a blog with nothing in it, where it has none yet."""

    def keep(self, app: Flask) -> str:
        """Set the blog of the application aside; return a name to lay it out under."""

    def lay(self, kept: str, instance: Path) -> None:
        """Put the blog that was kept in the place of the test's own, which nobody has open."""

    def nothing(self, folder: Path) -> str:
        """Return the address of a database with nothing in it, not even tables; the folder is the test's."""

    def close(self) -> None:
        """Leave nothing behind."""


class Files:
    """Files of SQLite, one in the instance folder of each test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.empty = self.keep(made(f"sqlite:///{folder / 'blog.db'}"))

    def settings(self) -> dict[str, str]:
        """Return nothing: the file lies where it lies without a setting."""
        return {}

    def clear(self) -> None:
        """Do nothing: the folder of the last test is gone."""

    def furnish(self, instance: Path) -> None:
        """Copy an empty blog into the folder, where there is none yet."""
        instance.mkdir(exist_ok=True)
        if not (instance / "blog.db").exists():
            shutil.copy(self.empty, instance / "blog.db")

    def keep(self, app: Flask) -> str:
        """Copy the file, whole."""
        with app.app_context():
            with db.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                path = str(db.engine.url.database)
            db.session.remove()
            db.engine.dispose()
        return str(shutil.copy(path, self.folder / f"{uuid4().hex}.db"))

    def lay(self, kept: str, instance: Path) -> None:
        """Copy the file into the folder."""
        instance.mkdir(exist_ok=True)
        for leftover in instance.glob("blog.db-*"):
            leftover.unlink()
        shutil.copy(kept, instance / "blog.db")

    def nothing(self, folder: Path) -> str:
        """Return the address of a file that is not there yet."""
        return f"sqlite:///{folder / uuid4().hex}.db"

    def close(self) -> None:
        """Do nothing: pytest clears its folders."""


class Server:
    """Databases of PostgreSQL: one for the tests of this worker, emptied before each."""

    def __init__(self) -> None:
        self.prefix = f"blogapi_test_{uuid4().hex[:12]}"
        self.server = create_engine(SERVER, isolation_level="AUTOCOMMIT")
        self.names: list[str] = []
        self.own = self.make("own")
        app = made(self.url(self.own))
        with app.app_context():
            db.engine.dispose()
        self.cleaner: Engine | None = None

    def url(self, name: str) -> str:
        """Return the address of a database on the server."""
        return make_url(SERVER).set(database=name).render_as_string(hide_password=False)

    def make(self, name: str, template: str = "template0", *, language: str = "") -> str:
        """Make a database."""
        name = f"{self.prefix}_{name}"
        of_language = f"LOCALE_PROVIDER icu ICU_LOCALE '{language}'" if language else ""
        with self.server.connect() as connection:
            connection.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {of_language}')
            # What the machine loses in a crash, no test wants back.
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET synchronous_commit TO off')
        self.names.append(name)
        return name

    def settings(self) -> dict[str, str]:
        """Return the address of this worker's database."""
        return {"BLOGAPI_DATABASE_URL": self.url(self.own)}

    def clear(self) -> None:
        """Empty all tables, and set the one-row tables back."""
        if self.cleaner is None:
            self.cleaner = create_engine(self.url(self.own), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
        with self.cleaner.connect() as connection:
            connection.exec_driver_sql(_CLEAR)

    def furnish(self, instance: Path) -> None:
        """Make the folder, and nothing else: the database is there and empty."""
        instance.mkdir(exist_ok=True)

    def keep(self, app: Flask) -> str:
        """Copy the database."""
        with app.app_context():
            name = str(db.engine.url.database)
            db.session.remove()
            db.engine.dispose()
        self._let_go(name)
        return self.make(uuid4().hex[:8], template=name)

    def lay(self, kept: str, instance: Path) -> None:
        """Copy the database in the place of the worker's own."""
        instance.mkdir(exist_ok=True)
        self._drop(self.own)
        self.make("own", template=kept)

    def nothing(self, folder: Path, *, language: str = "") -> str:
        """Return the address of a new database, which may sort as a language does."""
        return self.url(self.make(uuid4().hex[:8], language=language))

    def close(self) -> None:
        """Drop all databases of this worker."""
        for name in dict.fromkeys(self.names):
            self._drop(name)
        self.server.dispose()

    def _drop(self, name: str) -> None:
        self._let_go(name)
        with self.server.connect() as connection:
            connection.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _let_go(self, name: str) -> None:
        if self.cleaner is not None and name == self.own:
            self.cleaner.dispose()
            self.cleaner = None
        with self.server.connect() as connection:
            connection.execute(
                text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"),
                {"name": name},
            )


_ONE_ROW = {
    "change_counter": "position = 0, public_position = 0",
    "article_tally": "published = 0",
    # Never set back: whoever remembers answers knows states by it.
    "revision": "commits = commits + 1",
}
_EMPTY, _SET_BACK = "DELETE FROM {}; ", "UPDATE {} SET {}; "
_CLEAR = "".join(
    _SET_BACK.format(table.name, _ONE_ROW[table.name])
    if table.name in _ONE_ROW
    else _EMPTY.format(table.name)
    for table in reversed(Base.metadata.sorted_tables)
)


def made(url: str, **settings: Any) -> Flask:
    """Return an application on the database."""
    return create_app({"SQLALCHEMY_DATABASE_URI": url, "SECRET_KEY": "x" * 32} | settings)


_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": f"BEGIN; {WRITE_LOCK_SQL}"}


@contextmanager
def elsewhere(app: Flask, *, writing: bool = False) -> Iterator[Connection]:
    """Yield a connection to the blog as another process has it; `writing`: in the midst of a write."""
    with app.app_context():
        url = db.engine.url
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            if writing:
                connection.exec_driver_sql(_LOCK[engine.dialect.name])
            yield connection
            if writing:
                connection.exec_driver_sql("ROLLBACK")
    finally:
        engine.dispose()


def write_elsewhere(app: Flask, statement: str, **values: Any) -> None:
    """Write as another process would: on PostgreSQL each write counts the commits up, last of all."""
    with elsewhere(app) as connection:
        connection.execute(text(statement), values)
        connection.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))


@contextmanager
def blogs(folder: Path) -> Iterator[Blogs]:
    """Yield the place of the tests' blogs."""
    place: Blogs = Server() if SERVER else Files(folder)
    try:
        yield place
    finally:
        place.close()
