"""What can be seen of the database without starting the application."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from blogapi import clock
from blogapi.doctor.findings import Finding, Level, hint, ok, wrong
from blogapi.storage import files, integrity, upgrades

_MEND = "doctor --mend"
_RESTORE = "stop the service and bring back the newest backup: restore FILE (the damaged file is kept aside)"


def run_checks(path: Path, *, mend: bool, backups: Path) -> Iterator[Finding]:
    """Yield what is found of SQLite and of the file, which is never made; `mend` gives up what is lost."""
    yield _version()
    if not path.is_file():
        yield wrong("database", f"{path} is not there.", "start the service to make one, or restore a backup")
        return
    if count := integrity.count_lost_writes(path):
        says = f"{integrity.describe_lost_writes(path, count)}."
        if not mend:
            yield wrong("database", says, f"restore a backup, or go on without them: {_MEND}")
            return
        yield Finding("log", Level.MENDED, f"{says} File and log are kept as {_kept(path, backups)}.")
    try:
        with integrity.open_database(path) as connection:
            yield from _file(connection, path)
    except sqlite3.Error as error:
        yield wrong("database", f"{path} cannot be read: {error}.", _RESTORE)


def _kept(path: Path, backups: Path) -> Path:
    """Copy the file and its log as they are, since whoever opens them next cuts the log short."""
    aside = backups / f"before-mend-{clock.now():%Y%m%dT%H%M%S%f}.db"
    backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    logs = files.side_files(path).log, files.side_files(aside).log
    for original, copy in ((path, aside), logs):
        files.create_private(copy)
        shutil.copyfile(original, copy)
    return aside


def _version() -> Finding:
    says = f"SQLite {sqlite3.sqlite_version}."
    if integrity.has_wal_reset_bug(sqlite3.sqlite_version_info):
        return hint(
            "sqlite",
            f"{says} Versions up to 3.51.2 can, very rarely, damage a file that two processes write.",
            "keep backups, and install a Python with a newer SQLite when there is one",
        )
    return ok("sqlite", says)


def _file(connection: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    found = integrity.find_faults(connection)
    for fault in found:
        yield wrong("database", f"{path} is damaged: {fault}.", _RESTORE)
    if found:
        return
    broken = integrity.count_broken_references(connection)
    for table, count in broken.items():
        yield wrong("references", f"{count} rows of {table} refer to rows that are gone.", _RESTORE)
    if not broken:
        yield ok("database", f"{path} is whole, and every reference leads somewhere.")
    yield _migration(integrity.read_migration(connection))


def _migration(migration: str | None) -> Finding:
    if migration is None:
        return wrong("schema", "The file holds no blog.", "name the right file in DATABASE_URL")
    newest = upgrades.list_migrations()[-1]
    if migration not in upgrades.list_migrations():
        says = f"Migration {migration} is of a newer version."
        return wrong("schema", says, "install that version of blogapi")
    if migration != newest:
        says = f"Migration {migration}; the newest is {newest}."
        return hint("schema", says, "the next start upgrades it")
    return ok("schema", f"Migration {migration}, the newest.")
