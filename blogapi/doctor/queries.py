"""What can be seen of the database without starting the application."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from blogapi.core import migrate, soundness
from blogapi.doctor.records import Finding, hint, ok, wrong

_RESTORE = "stop the service and bring back the newest backup: restore FILE (the damaged file is kept aside)"


def checks(path: Path) -> Iterator[Finding]:
    """Yield what is found of SQLite and of the file, which is never made."""
    yield _version()
    if not path.is_file():
        yield wrong("database", f"{path} is not there.", "start the service to make one, or restore a backup")
        return
    try:
        with soundness.opened(path) as connection:
            yield from _file(connection, path)
    except sqlite3.Error as error:
        yield wrong("database", f"{path} cannot be read: {error}.", _RESTORE)


def _version() -> Finding:
    says = f"SQLite {sqlite3.sqlite_version}."
    if soundness.loses_commits(sqlite3.sqlite_version_info):
        return hint(
            "sqlite",
            f"{says} Versions up to 3.51.2 can, very rarely, damage a file that two processes write.",
            "keep backups, and install a Python with a newer SQLite when there is one",
        )
    return ok("sqlite", says)


def _file(connection: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    found = soundness.faults(connection)
    for fault in found:
        yield wrong("database", f"{path} is damaged: {fault}.", _RESTORE)
    if found:
        return
    broken = soundness.broken_references(connection)
    for table, count in broken.items():
        yield wrong("references", f"{count} rows of {table} refer to rows that are gone.", _RESTORE)
    if not broken:
        yield ok("database", f"{path} is whole, and every reference leads somewhere.")
    yield _step(soundness.step(connection))


def _step(step: str | None) -> Finding:
    if step is None:
        return wrong("schema", "The file holds no blog.", "name the right file in DATABASE_URL")
    if step not in migrate.steps():
        return wrong("schema", f"Step {step} is of a newer version.", "install that version of blogapi")
    if step != migrate.steps()[-1]:
        return hint("schema", f"Step {step} of {migrate.steps()[-1]}.", "the next start upgrades it")
    return ok("schema", f"Step {step}, the newest.")
