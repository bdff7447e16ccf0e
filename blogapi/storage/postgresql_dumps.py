"""Dumps of a PostgreSQL database, made and restored by the programs of PostgreSQL."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, inspect, text
from sqlalchemy.exc import DBAPIError

from blogapi.storage import connections

POSTGRESQL_PROGRAMS = ("pg_dump", "pg_restore", "psql")
_RESTORE_COMMAND = ("pg_restore", "--no-owner", "--no-privileges", "--single-transaction")


class DumpError(Exception):
    """A dump cannot be made or restored; the message is a sentence without a full stop."""


def find_missing_program() -> str | None:
    """Return the name of the first program that is not installed, or None."""
    return next((name for name in POSTGRESQL_PROGRAMS if shutil.which(name) is None), None)


def dump_database(url: URL, path: Path, *options: str) -> None:
    """Write a dump of the database to a file, with further options of `pg_dump`; raises DumpError."""
    _run_program(
        url, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={path}", *options
    )


def check_dump(path: Path) -> None:
    """Check a dump by reading all of it, without a database; raises DumpError if it is damaged."""
    _run_program(None, "pg_restore", f"--file={os.devnull}", str(path))


@contextmanager
def restore_tables(url: URL, path: Path) -> Iterator[None]:
    """Create all tables of a dump, or none; delete the tables if the `with` block fails; raises DumpError."""
    _run_program(url, *_RESTORE_COMMAND, str(path))
    try:
        yield
    except BaseException:
        _execute_statement(url, _make_drop_statement(url))
        raise


def replace_tables(url: URL, path: Path) -> None:
    """Replace all tables of the database with the dump's tables, in one transaction; raises DumpError."""
    with tempfile.TemporaryDirectory(prefix="blogapi-") as folder:
        dropped, restored = Path(folder, "drop.sql"), Path(folder, "restore.sql")
        dropped.write_text(_make_drop_statement(url), encoding="utf-8")
        _run_program(None, "pg_restore", "--no-owner", "--no-privileges", f"--file={restored}", str(path))
        options = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction")
        _run_program(url, "psql", *options, f"--file={dropped}", f"--file={restored}")


def _make_drop_statement(url: URL) -> str:
    with connections.open_plain_engine(url) as engine:
        quote = engine.dialect.identifier_preparer.quote
        tables = ", ".join(quote(name) for name in inspect(engine).get_table_names())
    return f"DROP TABLE {tables} CASCADE;\n" if tables else ""


@contextmanager
def restore_temporary_database(url: URL, path: Path) -> Iterator[URL]:
    """Yield the URL of a new database with the content of a dump; the database is deleted at the end.

    Raises DumpError if the user may not create a database, or if the dump cannot be restored.
    """
    name = f"blogapi_copy_{secrets.token_hex(8)}"
    _execute_statement(url, f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    try:
        copy = url.set(database=name)
        _run_program(copy, *_RESTORE_COMMAND, str(path))
        yield copy
    finally:
        _execute_statement(url, f"DROP DATABASE {name} WITH (FORCE)")


def _execute_statement(url: URL, statement: str) -> None:
    try:
        with (
            connections.open_plain_engine(url, isolation_level="AUTOCOMMIT") as engine,
            engine.connect() as connection,
        ):
            connection.execute(text(statement))
    except DBAPIError as error:
        raise DumpError(" ".join(str(error.orig).split())) from error


def _run_program(url: URL | None, program: str, *arguments: str) -> None:
    path = shutil.which(program)
    if path is None:
        raise DumpError(f"{program} is not installed")
    # Messages are in English, because a full disk is recognized by the words of the message.
    environment, options = {**os.environ, "LC_ALL": "C"}, []
    # Only this user can open the folder.
    with tempfile.TemporaryDirectory(prefix="blogapi-") as folder:
        if url is not None:
            # Other users see the arguments of a process, but not its environment.
            if password := url.password or url.query.get("password"):
                environment["PGPASSWORD"] = str(password)
            # PostgreSQL reads this password from no environment variable.
            if password := url.query.get("sslpassword"):
                file = Path(folder, "pg_service.conf")
                file.write_text(f"[blogapi]\nsslpassword={password}\n", encoding="utf-8")
                environment |= {"PGSERVICEFILE": str(file), "PGSERVICE": "blogapi"}
            # The programs do not know the options of the driver.
            hidden = ("password", "sslpassword", *connections.get_typed_options(url))
            # `set` would keep the password, and write it as `***`.
            address = url.difference_update_query(hidden).set(drivername="postgresql")._replace(password=None)
            options.append(f"--dbname={address.render_as_string()}")
        result = subprocess.run(  # noqa: S603, the programs of PostgreSQL
            [path, *options, *arguments], env=environment, capture_output=True, check=False
        )
    if result.returncode:
        # The message and the names in it can have different encodings, especially on Windows.
        # `pg_restore` repeats the statement, which can be long.
        message = result.stderr.decode(errors="replace").partition("Command was:")[0]
        raise DumpError(f"{program} failed: {' '.join(message.split())[-300:]}")
