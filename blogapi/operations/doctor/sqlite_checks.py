"""Checks of SQLite and of the database file, which need no running application."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from blogapi import clock
from blogapi.operations.doctor.findings import (
    Finding,
    Level,
    make_hint_finding,
    make_ok_finding,
    make_problem_finding,
    make_repairable_finding,
)
from blogapi.storage import disk_errors, files, integrity, migration_names
from blogapi.storage.disk_errors import is_disk_full_error

_RESTORE_REMEDY = (
    "stop the service and run `restore FILE` with the newest backup; the command keeps the damaged file"
)
_PERMISSION_REMEDY = "give the file and its folder to the user that runs the service, on a writable disk"
_REMEDIES = {sqlite3.SQLITE_READONLY: _PERMISSION_REMEDY, sqlite3.SQLITE_CANTOPEN: _PERMISSION_REMEDY}


def run_checks(path: Path, *, repair: bool, full: bool, backups: Path) -> Iterator[Finding]:
    """Yield findings about SQLite and the file, and with `full` about its indexes; never create the file.

    If `repair` is True and the log is damaged, copy the file and its log into `backups`, and then drop the
    unreadable writes.
    """
    yield _check_sqlite_version()
    if not path.is_file():
        remedy = (
            "restore a backup; to begin an empty blog, move the folders `media` and `backups` away and start "
            "the service"
        )
        yield make_problem_finding("database", f"{path} does not exist.", remedy)
        return
    if count := integrity.count_lost_writes(path):
        says = f"{integrity.describe_lost_writes(path, count)}."
        if not repair:
            yield make_problem_finding(
                "database", says, "restore a backup, or run doctor --repair to drop these writes"
            )
            return
        try:
            copy = _copy_damaged_database(path, backups)
        except (OSError, subprocess.SubprocessError):
            says += f" They cannot be copied into {backups}, so nothing was repaired."
            yield make_problem_finding("database", says, "free some space, or restore a backup")
            return
        yield Finding("log", Level.REPAIRED, f"{says} A copy of the file and its log is in {copy}.")
    try:
        with integrity.open_database(path) as connection:
            # This statement fails if the file cannot be read at all, which is not reported as damage.
            connection.execute("PRAGMA schema_version").fetchone()
            yield from _check_database_file(connection, path, repair=repair, quick=not full)
    except sqlite3.Error as error:
        remedy = _REMEDIES.get(disk_errors.get_primary_result_code(error), _RESTORE_REMEDY)
        remedy = "free some space on the disk" if is_disk_full_error(error) else remedy
        yield make_problem_finding("database", f"{path} cannot be read: {error}.", remedy)


def _copy_damaged_database(path: Path, backups: Path) -> Path:
    """Copy the file and its log before the next connection truncates the log; return the copy's path.

    If one of them cannot be copied, no copy remains, because each run of `doctor --repair` would add one.
    """
    target = backups / f"before-repair-{clock.now():%Y%m%dT%H%M%S%f}.db"
    backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    target_log = files.get_side_files(target).log
    try:
        integrity.copy_database_bytes(path, target)
        integrity.copy_database_bytes(files.get_side_files(path).log, target_log)
    except BaseException:
        for copy in (target, target_log):
            copy.unlink(missing_ok=True)
        raise
    return target


def _check_sqlite_version() -> Finding:
    says = f"SQLite {sqlite3.sqlite_version}."
    if integrity.has_wal_reset_bug(sqlite3.sqlite_version_info):
        return make_hint_finding(
            "sqlite",
            f"{says} In rare cases, versions up to 3.51.2 damage a file when two processes write to it.",
            "make backups, and install a Python with a newer SQLite when one is available",
        )
    return make_ok_finding("sqlite", says)


def _check_database_file(
    connection: sqlite3.Connection, path: Path, *, repair: bool, quick: bool
) -> Iterator[Finding]:
    faults = integrity.check_integrity(connection, quick=quick)
    for fault in faults:
        yield make_problem_finding("database", f"{path} is damaged: {fault}.", _RESTORE_REMEDY)
    if faults:
        return
    names = integrity.read_last_migrations(connection)
    broken = remaining = integrity.count_broken_references(connection)
    # The tables of another program are not changed.
    if broken and repair and {*names} & {*migration_names.list_migrations()}:
        integrity.delete_broken_references(connection)
        remaining = integrity.count_broken_references(connection)
    for table, count in broken.items():
        says = f"{count} rows of {table} refer to missing rows."
        if table in remaining and repair:
            yield make_problem_finding("references", says, _RESTORE_REMEDY)
        else:
            yield make_repairable_finding("references", says, repair)
    if not broken:
        says = f"{path} is intact, and all references are valid"
        yield make_ok_finding(
            "database", f"{says}; --full compares its indexes too." if quick else f"{says}."
        )
    yield _check_migration(names)


def _check_migration(names: Sequence[str]) -> Finding:
    migrations = migration_names.list_migrations()
    if not names:
        return make_problem_finding("schema", "The file contains no blog.", "correct DATABASE_URL")
    if len(names) > 1:
        says, remedy = migration_names.describe_several_migrations(names)
        return make_problem_finding("schema", f"{says}.", remedy)
    migration = names[0]
    if migration not in migrations:
        says = f"Migration {migration} belongs to a newer version of blogapi."
        return make_problem_finding("schema", says, "install that version")
    if migration != migrations[-1]:
        says = f"The database has migration {migration}; the latest is {migrations[-1]}."
        return make_hint_finding("schema", says, "restart the service, which then upgrades the database")
    return make_ok_finding("schema", f"The database has the latest migration, {migration}.")
