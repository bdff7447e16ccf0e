"""Functions that read, change and create database files for the tests of backups."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlalchemy import create_engine

from tests.migrations.alembic_runner import migrate_to


def dump_rows(path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def execute(path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def create_older_blog(tmp_path):
    """Return the instance folder of an empty blog at the first migration."""
    home = tmp_path / "older"
    home.mkdir()
    engine = create_engine(f"sqlite:///{home / 'blog.db'}")
    migrate_to(engine, "0001")
    engine.dispose()
    return home
