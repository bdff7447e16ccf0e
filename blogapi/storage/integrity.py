"""Checks whether a SQLite file is damaged, and repairs references.

The checks use only the driver, so they also work if the application cannot start.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from blogapi.storage import disk_errors, files, raw_files

# The maximum number of faults to report; a badly damaged file has thousands.
_MAX_FAULTS = 5
# The size of SQLite's cache. The checks follow references between tables: with the default of 2 MB, they
# would read most pages many times.
CACHE_KB = 16_000

# The first and the last version of SQLite with the rare bug at https://sqlite.org/wal.html#walresetbug.
_WAL_RESET_BUG_VERSIONS = ((3, 7, 0), (3, 51, 2))


def define_sqlar_uncompress(connection: sqlite3.Connection) -> None:
    """Define `sqlar_uncompress`, which schemas before migration 0034 use; SQLite's shell defines it too."""

    def uncompress(data: bytes, size: int) -> bytes | None:
        try:
            return data if len(data) == size else zlib.decompress(data)
        except zlib.error:
            return None

    connection.create_function("sqlar_uncompress", 2, uncompress, deterministic=True)
    # Some builds of SQLite do not let triggers and views use the functions of an application by default.
    connection.execute("PRAGMA trusted_schema=ON")


@contextmanager
def open_database(path: Path, *, seconds: float = 5) -> Iterator[sqlite3.Connection]:
    """Open an existing file in autocommit mode; never create a file.

    Statements wait up to `seconds` for other writes.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=seconds)) as connection:
        # The file may have been made by an earlier version of blogapi.
        define_sqlar_uncompress(connection)
        connection.execute("PRAGMA wal_autocheckpoint=0")
        yield connection


def check_integrity(connection: sqlite3.Connection, *, quick: bool = False) -> list[str]:
    """Return SQLite's messages about the first faults in the file; `quick` skips the indexes."""
    if not quick:
        connection.execute(f"PRAGMA cache_size=-{CACHE_KB}")
    check = "quick_check" if quick else "integrity_check"
    try:
        rows = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({_MAX_FAULTS})")]
    except sqlite3.DatabaseError as error:
        return [f"{error}"]
    # A row can contain several lines.
    return [] if rows == ["ok"] else [line for row in rows for line in row.splitlines()][:_MAX_FAULTS]


def run_quick_check(path: Path, *, seconds: float) -> str:
    """Return the first fault of a quick check; an empty string if there is none or the time runs out."""
    deadline = time.monotonic() + seconds
    with open_database(path) as connection:
        # Each page is read only once, so a large page cache would waste memory.
        connection.execute("PRAGMA cache_size=-100")
        # SQLite calls the handler every 10,000 virtual machine instructions, at no measurable cost.
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        faults = check_integrity(connection, quick=True)
    return "" if not faults or time.monotonic() > deadline else faults[0]


def count_lost_writes(path: Path) -> int:
    """Return the minimum number of committed writes in the log that SQLite would drop; change nothing.

    SQLite treats the first invalid frame as the end of the log, because a power failure leaves such a frame.
    Each write is on the disk before the next one begins, so after a power failure at most one write follows
    the invalid frame. If more writes follow, the log is damaged.
    """
    try:
        if files.get_side_files(path).log.stat().st_size <= raw_files.LOG_HEADER_SIZE:
            return 0
        # With a read-only connection, SQLite recovers the index of the log but never empties the log.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            return max(0, int(_run_raw_files_program("count", path)) - 1)
    except (OSError, sqlite3.Error, subprocess.SubprocessError, ValueError):
        # The error is ignored here, because opening the database later raises an error with the reason.
        return 0


def describe_lost_writes(path: Path, count: int) -> str:
    """Return a sentence without a full stop about the writes that `count_lost_writes` found."""
    log = files.get_side_files(path).log
    return f"The log {log} is damaged: at least {count} committed writes in it cannot be read"


def copy_database_bytes(path: Path, target: Path) -> None:
    """Copy the bytes of a database or log, even of a damaged file; raise FileExistsError if `target` exists.

    Raises SubprocessError if the file cannot be copied.
    """
    files.create_private_file(target)
    _run_raw_files_program("copy", path, target)


def _run_raw_files_program(command: str, *paths: Path) -> bytes:
    program = [sys.executable, "-I", "-S", raw_files.__file__, command]
    completed = subprocess.run(  # noqa: S603, the program is our own
        [*program, *(str(path.absolute()) for path in paths)], check=True, capture_output=True
    )
    return completed.stdout


def count_broken_references(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows that refer to a missing row, by table."""
    return dict(Counter(str(row[0]) for row in connection.execute("PRAGMA foreign_key_check")))


def delete_broken_references(connection: sqlite3.Connection) -> None:
    """Apply the ON DELETE actions of the schema to rows that refer to a missing row.

    Rows with broken references are left when a program deletes rows while SQLite's foreign keys are off.
    """
    connection.execute("PRAGMA foreign_keys=ON")
    references = connection.execute(
        'SELECT child.name, key."table", key."from", key."to", key.on_delete FROM sqlite_master AS child '
        "JOIN pragma_foreign_key_list(child.name) AS key WHERE child.type = 'table'"
    )
    for *names, action in references.fetchall():
        child, parent, column, key = map(_quote_name, names)
        missing = f"WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT {key} FROM {parent})"  # noqa: S608
        if action == "CASCADE":
            connection.execute(f"DELETE FROM {child} {missing}")  # noqa: S608
        elif action == "SET NULL":
            connection.execute(f"UPDATE {child} SET {column} = NULL {missing}")  # noqa: S608


def read_last_migrations(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the last migration (`["0001"]`, …), or [] if the file contains no blog.

    A database names one migration, unless another program has changed the database.
    """
    try:
        rows = connection.execute("SELECT version_num FROM alembic_version ORDER BY 1").fetchall()
    except sqlite3.OperationalError:
        return []
    return [str(name) for (name,) in rows]


def read_last_migration(connection: sqlite3.Connection) -> str | None:
    """Return the name of the last migration (`"0001"`, …), or None if the file contains no blog."""
    return next(iter(read_last_migrations(connection)), None)


def read_page_size(path: Path) -> int:
    """Return the size of the pages of a database."""
    with open_database(path) as connection:
        # SQLite knows the size only after it has read a page.
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        return int(connection.execute("PRAGMA page_size").fetchone()[0])


def count_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    select = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    names = [str(name) for (name,) in connection.execute(f"{select} ORDER BY name")]
    return {
        name: connection.execute(f"SELECT count(*) FROM {_quote_name(name)}").fetchone()[0]  # noqa: S608
        for name in names
    }


def _quote_name(name: str) -> str:
    """Quote a name for a statement; a name in a foreign file can contain any character."""
    return '"' + name.replace('"', '""') + '"'


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    return _WAL_RESET_BUG_VERSIONS[0] <= version <= _WAL_RESET_BUG_VERSIONS[1]


def is_database_in_use(database: Path) -> bool:
    """Return whether another connection has opened the file; raises sqlite3.Error if it cannot be read."""
    # SQLite leaves the journal mode WAL only if no other connection has opened the file.
    with open_database(database) as connection:
        try:
            mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        except sqlite3.OperationalError as error:
            if disk_errors.get_primary_result_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                return True
            raise
        if mode != "delete":
            return True
        connection.execute("PRAGMA journal_mode=WAL")
        return False
