"""Databases on the PostgreSQL server that the option `--postgresql` names."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, create_engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from tests.benchmarks.servers import MeasurementError

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"

# blogapi reads the URL of its database from this file in the instance folder.
CONFIG_FILE = "config.toml"


def create_database(server: str, folder: Path) -> None:
    """Create a database for the blog in the folder, with the default settings of the server."""
    drop_database(server, folder)
    name = f"blogapi_benchmark_{uuid4().hex[:12]}"
    with connect(server) as connection:
        connection.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE template0')
    url = make_url(server).set(database=name).render_as_string(hide_password=False)
    folder.mkdir(parents=True, exist_ok=True)
    # A URL has the same form as a JSON string and as a TOML string.
    file = folder / CONFIG_FILE
    file.touch(mode=0o600)
    file.write_text(f"DATABASE_URL = {json.dumps(url)}\n", encoding="utf-8")


def vacuum(folder: Path) -> None:
    """Vacuum the database, so that autovacuum does not run during a measurement."""
    with connect(read_url(folder)) as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")


def get_size(folder: Path) -> int:
    """Return the size of the database in bytes."""
    with connect(read_url(folder)) as connection:
        return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())


def drop_database(server: str, folder: Path) -> None:
    """Drop the database of the blog in the folder, if it has one."""
    if (folder / CONFIG_FILE).exists():
        name = make_url(read_url(folder)).database
        with connect(server) as connection:
            connection.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        (folder / CONFIG_FILE).unlink()


def get_version(server: str) -> str:
    """Return the version of the server."""
    with connect(server) as connection:
        return str(connection.exec_driver_sql("SHOW server_version").scalar_one())


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """Yield a connection that commits each statement. Raises MeasurementError for any database error."""
    try:
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()
    except (ArgumentError, ImportError, SQLAlchemyError) as error:
        raise MeasurementError(f"PostgreSQL cannot be used: {str(error).splitlines()[0]}") from error


def read_url(folder: Path) -> str:
    """Return the URL of the database of the blog in the folder."""
    text = (folder / CONFIG_FILE).read_text(encoding="utf-8")
    return str(tomllib.loads(text)["DATABASE_URL"])
