"""Functions that read, change and create database files for the tests of backups."""

from __future__ import annotations

from sqlalchemy import create_engine

from tests.databases import open_sqlite
from tests.migrations.alembic_runner import migrate_to


def dump_rows(path) -> list[str]:
    """Return the rows and the schema as SQL, without the row whose tags change with each restore.

    The order is not that of the file, because VACUUM changes it.
    """
    with open_sqlite(path) as connection:
        rows = connection.iterdump()
        return sorted(sql for sql in rows if not sql.startswith('INSERT INTO "commit_counter"'))


def read_row(path, query: str) -> tuple:
    with open_sqlite(path) as connection:
        return connection.execute(query).fetchone()


def execute(path, statement: str, *values: int | str) -> None:
    with open_sqlite(path) as connection, connection:
        connection.execute(statement, values)


def create_older_blog(tmp_path):
    """Return the instance folder of an empty blog with the schema of the first migration."""
    home = tmp_path / "older"
    home.mkdir()
    engine = create_engine(f"sqlite:///{home / 'blog.db'}")
    migrate_to(engine, "0001")
    engine.dispose()
    return home
