"""Whether a SQLite file is whole: asked through the driver alone, since no blog may start on it."""

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

# How many sentences of SQLite are shown: a file that is ruined has thousands.
_SHOWN = 5

# A rare fault of SQLite's own (https://sqlite.org/wal.html#walresetbug): first and last version that has it.
_WAL_RESET = ((3, 7, 0), (3, 51, 2))

# The write-ahead log and its index (https://sqlite.org/walformat.html): a head, then frames of a head and a
# page each. A frame that ends a transaction tells the size of the file; salts tell of which log it is.
_LOG_HEAD, _FRAME_HEAD, _INDEX_HEAD = 32, struct.Struct(">II8s8x"), struct.Struct("=14xHI12x8s")


@contextmanager
def open_database(path: Path, *, seconds: float = 5) -> Iterator[sqlite3.Connection]:
    """Open a file that is there already, without a transaction of the driver's own; never make one.

    `seconds`: how long to wait for another's write.
    """
    address = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=seconds)) as connection:
        yield connection


def find_faults(connection: sqlite3.Connection, *, quick: bool = False) -> list[str]:
    """Return what SQLite finds broken in the file, a few sentences; `quick` leaves out the indexes."""
    check = "quick_check" if quick else "integrity_check"
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({_SHOWN})")]
    except sqlite3.DatabaseError as error:
        return [f"{error}"]
    # A sentence can have lines of its own.
    return [] if found == ["ok"] else [line for row in found for line in row.splitlines()][:_SHOWN]


def find_damage(path: Path, *, seconds: float) -> str:
    """Return what a quick look finds broken in the file; nothing where the time is over before."""
    deadline = time.monotonic() + seconds
    with open_database(path) as connection:
        # Called every so many steps of SQLite's machine; it costs nothing that can be measured.
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        found = find_faults(connection, quick=True)
    return "" if not found or time.monotonic() > deadline else found[0]


def count_lost_writes(path: Path) -> int:
    """Return how many acknowledged writes, or more, the log holds that SQLite would drop; changes nothing.

    SQLite takes the first frame that is not as it was written for the end of the log, for that is how a power
    cut leaves one. But then a single write stands behind that place, as each is on the disk before the next
    one begins: where there are more, the log was damaged.
    """
    log, index, _ = files.side_files(path)
    try:
        if log.stat().st_size <= _LOG_HEAD:
            return 0
        # Who only reads has SQLite look through the log, and never empties it.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            known = _beginning(index, _INDEX_HEAD.size)
            behind = _behind(log, _page_size(path), *_INDEX_HEAD.unpack(known))
            # Otherwise somebody writes, who has looked through it before.
            unchanged = _beginning(index, _INDEX_HEAD.size) == known
    except (OSError, sqlite3.Error, struct.error):
        # What keeps it from being read is told by whoever opens it.
        return 0
    return max(0, behind - 1) if unchanged else 0


def describe_lost_writes(path: Path, count: int) -> str:
    """Return a sentence, without its full stop, about the writes that `count_lost_writes` found."""
    log = files.side_files(path).log
    return f"The log {log} is damaged: at least {count} committed writes in it cannot be read"


def _behind(log: Path, page_size: int, known_size: int, frames: int, salts: bytes) -> int:
    """Return how many transactions end behind the frames that SQLite took."""
    found: Counter[bytes] = Counter()
    step = _FRAME_HEAD.size + page_size
    with log.open("rb", buffering=0) as file:
        for place in range(_LOG_HEAD + frames * step, os.fstat(file.fileno()).st_size - step + 1, step):
            file.seek(place)
            _, ends, of = _FRAME_HEAD.unpack(file.read(_FRAME_HEAD.size))
            found[of] += bool(ends)
    # Without the head of the log nobody knows its salts; what is left of older ones has others.
    return found[salts] if known_size else max(found.values(), default=0)


def _page_size(path: Path) -> int:
    size = int.from_bytes(_beginning(path, 18)[16:], "big")
    return 65536 if size == 1 else max(size, 512)


def _beginning(path: Path, size: int) -> bytes:
    # No byte more: of the index, SQLite locks some a little further on, which Windows lets nobody read.
    with path.open("rb", buffering=0) as file:
        return file.read(size)


def count_broken_references(connection: sqlite3.Connection) -> dict[str, int]:
    """Return for each table how many of its rows refer to a row that is not there."""
    return dict(Counter(str(row[0]) for row in connection.execute("PRAGMA foreign_key_check")))


def read_migration(connection: sqlite3.Connection) -> str | None:
    """Return the step of the schema, None where the file is not a blog's."""
    try:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return None
    return None if found is None else str(found[0])


def count_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many rows each table has."""
    named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    names = [str(name) for (name,) in connection.execute(f"{named} ORDER BY name")]
    return {
        # The names come from the file itself, so they are quoted.
        name: connection.execute(f'SELECT count(*) FROM "{name.replace(chr(34), chr(34) * 2)}"').fetchone()[0]  # noqa: S608
        for name in names
    }


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Tell whether this version of SQLite has the fault of the write-ahead log."""
    return _WAL_RESET[0] <= version <= _WAL_RESET[1]
