"""Integrity checks of a SQLite file; they use only the driver, in case the application cannot start."""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from blogapi.storage import files

# The limit on reported faults, because a badly damaged file has thousands of them.
_MAX_FAULTS = 5

# The first and the last version of SQLite with this rare bug (https://sqlite.org/wal.html#walresetbug).
_WAL_RESET_BUG = ((3, 7, 0), (3, 51, 2))

# The write-ahead log (https://sqlite.org/walformat.html) has a header and frames; each frame has a header and
# a page. The last frame of a transaction contains the size of the database. The salts change whenever the log
# is reset.
_LOG_HEADER_SIZE = 32
_FRAME_HEADER = struct.Struct(">II8s8x")
_INDEX_HEADER = struct.Struct("=14xHI12x8s")


@contextmanager
def open_database(path: Path, *, seconds: float = 5) -> Iterator[sqlite3.Connection]:
    """Open an existing file in autocommit mode; never create a file.

    Statements wait up to `seconds` for other writes.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=seconds)) as connection:
        yield connection


def check_integrity(connection: sqlite3.Connection, *, quick: bool = False) -> list[str]:
    """Return the first faults that SQLite finds in the file, as sentences; `quick` skips the indexes."""
    check = "quick_check" if quick else "integrity_check"
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({_MAX_FAULTS})")]
    except sqlite3.DatabaseError as error:
        return [f"{error}"]
    # A row can contain several lines.
    return [] if found == ["ok"] else [line for row in found for line in row.splitlines()][:_MAX_FAULTS]


def run_quick_check(path: Path, *, seconds: float) -> str:
    """Return the first fault of a quick check; an empty string if there is none or the time runs out."""
    deadline = time.monotonic() + seconds
    with open_database(path) as connection:
        # SQLite calls the handler every 10,000 virtual machine instructions, at no measurable cost.
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        found = check_integrity(connection, quick=True)
    return "" if not found or time.monotonic() > deadline else found[0]


def count_lost_writes(path: Path) -> int:
    """Return the minimum number of committed writes that SQLite would drop from the log; change nothing.

    SQLite treats the first invalid frame as the end of the log, because a power failure leaves such a frame.
    Each write is on the disk before the next one begins, so after a power failure at most one write follows
    the invalid frame. If more writes follow, the log is damaged.
    """
    log, index, _ = files.side_files(path)
    try:
        if log.stat().st_size <= _LOG_HEADER_SIZE:
            return 0
        # With a read-only connection, SQLite recovers the index of the log but never empties the log.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            header = _read_start(index, _INDEX_HEADER.size)
            dropped = _count_dropped_writes(log, _page_size(path), *_INDEX_HEADER.unpack(header))
            # If the header changed, a writer is active and has already recovered the log.
            unchanged = _read_start(index, _INDEX_HEADER.size) == header
    except (OSError, sqlite3.Error, struct.error):
        # This error is ignored here: when the database is opened later, the error message gives the reason.
        return 0
    return max(0, dropped - 1) if unchanged else 0


def describe_lost_writes(path: Path, count: int) -> str:
    """Return a sentence without a full stop about the writes that `count_lost_writes` found."""
    log = files.side_files(path).log
    return f"The log {log} is damaged: at least {count} committed writes in it cannot be read"


def _count_dropped_writes(log: Path, page_size: int, index_page_size: int, frames: int, salts: bytes) -> int:
    """Return the number of transactions in the log after its first `frames` frames, which are valid."""
    found: Counter[bytes] = Counter()
    frame_size = _FRAME_HEADER.size + page_size
    with log.open("rb", buffering=0) as file:
        start, size = _LOG_HEADER_SIZE + frames * frame_size, os.fstat(file.fileno()).st_size
        for offset in range(start, size - frame_size + 1, frame_size):
            file.seek(offset)
            _, database_size, frame_salts = _FRAME_HEADER.unpack(file.read(_FRAME_HEADER.size))
            found[frame_salts] += bool(database_size)
    # Frames with other salts belong to an earlier log. If the header of the log is damaged, the index is
    # empty and the salts are unknown.
    return found[salts] if index_page_size else max(found.values(), default=0)


def _page_size(path: Path) -> int:
    size = int.from_bytes(_read_start(path, 18)[16:], "big")
    return 65536 if size == 1 else max(size, 512)


def _read_start(path: Path, size: int) -> bytes:
    # A buffered read would include the bytes after the index header, which SQLite locks. Windows refuses to
    # read locked bytes.
    with path.open("rb", buffering=0) as file:
        return file.read(size)


def count_broken_references(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows that refer to a missing row, by table."""
    return dict(Counter(str(row[0]) for row in connection.execute("PRAGMA foreign_key_check")))


def read_migration(connection: sqlite3.Connection) -> str | None:
    """Return the name of the last migration (`"0001"`, …), or None if the file contains no blog."""
    try:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return None
    return None if found is None else str(found[0])


def count_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    select = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    names = [str(name) for (name,) in connection.execute(f"{select} ORDER BY name")]
    return {
        # The names come from the file and can contain any character.
        name: connection.execute(f'SELECT count(*) FROM "{name.replace(chr(34), chr(34) * 2)}"').fetchone()[0]  # noqa: S608
        for name in names
    }


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Return whether this version of SQLite has the WAL-reset bug."""
    return _WAL_RESET_BUG[0] <= version <= _WAL_RESET_BUG[1]
