"""Backups are made, proven and dropped."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from blogapi import clock, config
from blogapi.backups import archive, naming
from blogapi.backups.manifest import DATABASE, SETTINGS, InvalidBackup, Manifest
from blogapi.backups.naming import Kind
from blogapi.cli import ProgressReporter, no_progress
from blogapi.storage import connections, files, integrity, upgrades
from blogapi.version import __version__
from blogapi.web.errors import Conflict, NotFound, StorageFull


def database_of(home: Path) -> Path:
    """Return the file of the blog in this instance folder, which need not be there.

    Raises Conflict where the content is kept by a database server.
    """
    path = connections.sqlite_path(config.read(home)["DATABASE_URL"], home)
    if path is None:
        raise Conflict("The content is kept by a database server; use its own backups (such as pg_dump).")
    return path


def make(home: Path, target: Path, *, watch: ProgressReporter = no_progress) -> Manifest:
    """Write a backup of the blog in this instance folder, as it is at one moment; return what is in it.

    Whoever writes meanwhile goes on. Raises Conflict where `target` is there already, and where the database
    is damaged: a backup of it would push out the last good one.
    """
    source = database_of(home)
    if not source.is_file():
        raise NotFound(f"There is no blog to back up: {source} is not there.")
    _refuse_present(target)
    if count := integrity.count_lost_writes(source):
        told = integrity.describe_lost_writes(source, count)
        raise Conflict(f"{told}; `doctor` says what to do.")
    with troubles(target), files.partial_file(target) as copied:
        copy(source, copied)
        with files.partial_file(target) as made:
            manifest = packed(copied, made, home, watch)
            _refuse_present(target)
            files.replace(made, target)
    return manifest


def copy(source: Path, target: Path) -> None:
    """Fill the empty file `target` with the database as it is at one moment: one file, without a log.

    In one step: with several, each write of another begins it anew, for ever on a busy blog.
    """
    with integrity.open_database(source) as reading, closing(sqlite3.connect(target)) as writing:
        # It is nothing until it is whole, so it need not survive a power cut half way.
        writing.execute("PRAGMA synchronous=OFF")
        reading.backup(writing, pages=-1)
        writing.execute("PRAGMA journal_mode=DELETE")


def packed(copied: Path, made: Path, home: Path, watch: ProgressReporter = no_progress) -> Manifest:
    """Pack the copy of a database, and the settings beside it, into the empty file `made`.

    Raises Conflict for a copy that is damaged.
    """
    with integrity.open_database(copied) as connection:
        if found := integrity.find_faults(connection, quick=True):
            raise Conflict(f"The database is damaged ({found[0]}); `doctor` says what to do.")
        migration, rows = integrity.read_migration(connection), integrity.count_rows(connection)
    if migration is None:
        raise Conflict("The database holds no blog.")
    parts = {DATABASE: copied}
    if (settings := home / SETTINGS).is_file():
        parts[SETTINGS] = settings
    created = clock.now().isoformat(timespec="seconds")
    return archive.pack(
        made, parts, created=created, blogapi=__version__, step=migration, rows=rows, watch=watch
    )


def unpacked(path: Path, folder: Path, *, watch: ProgressReporter = no_progress) -> Manifest:
    """Lay a backup into the folder and prove it whole; return what is in it.

    A copy that was set aside before an upgrade is taken too, which is a database without a seal. Raises
    Conflict, with the reason, for a file that cannot be restored.
    """
    try:
        with troubles(path):
            if upgrades.is_set_aside(path):
                manifest = _copied(path, folder / DATABASE)
            else:
                manifest = archive.unpack(path, folder, watch=watch)
            _prove(folder / DATABASE, manifest)
    except InvalidBackup as error:
        raise Conflict(f"{path} cannot be restored: {error}.") from error
    return manifest


def rotate(folder: Path, kind: Kind, *, keep: int, made: Path) -> list[Path]:
    """Delete the oldest backups of a kind, so that `keep` stay with the one just made; return those gone."""
    names = [path.name for path in folder.iterdir()]
    gone = [folder / name for name in naming.select_superfluous(names, kind, keep=keep, made=made.name)]
    for path in gone:
        with suppress(FileNotFoundError):
            path.unlink()
    files.delete_abandoned(folder)
    return gone


def _copied(path: Path, target: Path) -> Manifest:
    files.create_private(target)
    shutil.copyfile(path, target)
    with integrity.open_database(target) as connection:
        migration = integrity.read_migration(connection)
        if migration is None:
            raise InvalidBackup("it holds no blog")
        rows = integrity.count_rows(connection)
    created = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return Manifest(created=created, blogapi="", step=migration, rows=rows, files={})


def _prove(path: Path, manifest: Manifest) -> None:
    if reason := naming.explain_unknown_migration(manifest.step, upgrades.list_migrations()):
        raise InvalidBackup(reason)
    with integrity.open_database(path) as connection:
        if found := integrity.find_faults(connection):
            raise InvalidBackup(f"its database is damaged ({found[0]})")
        if integrity.count_broken_references(connection):
            raise InvalidBackup("its database refers to rows that are gone")
        if (integrity.read_migration(connection), integrity.count_rows(connection)) != (
            manifest.step,
            manifest.rows,
        ):
            raise InvalidBackup("its database is not what its manifest says")


def _refuse_present(target: Path) -> None:
    if target.exists():
        raise Conflict(f"{target} is there already; name another file.")


@contextmanager
def troubles(path: Path) -> Iterator[None]:
    """Turn what the disk or SQLite complain of into one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StorageFull(f"The disk is full; nothing was written to {path}.") from error
        raise Conflict(f"{error.filename or path}: {error.strerror or error}.") from error
    except sqlite3.Error as error:
        raise Conflict(f"The database cannot be copied: {error}.") from error
