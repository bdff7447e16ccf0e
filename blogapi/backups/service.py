"""Functions that make, check and rotate backups."""

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


def get_database_path(home: Path) -> Path:
    """Return the path of the SQLite file of the blog in this instance folder, even if the file is missing.

    Raises Conflict if the blog uses a database server.
    """
    path = connections.sqlite_path(config.read_settings(home)["DATABASE_URL"], home)
    if path is None:
        raise Conflict("The blog is on a database server; use a backup tool of this server, such as pg_dump.")
    return path


def create_backup(home: Path, target: Path, *, progress: ProgressReporter = no_progress) -> Manifest:
    """Write a consistent backup of the blog in this instance folder; return its manifest.

    Writers are not blocked. Raises NotFound if the database is missing. Raises Conflict if `target` exists,
    or if the database is damaged, because its backup could replace the last good backup.
    """
    source = get_database_path(home)
    if not source.is_file():
        raise NotFound(f"The blog cannot be backed up: {source} does not exist.")
    _refuse_existing(target)
    if count := integrity.count_lost_writes(source):
        damage = integrity.describe_lost_writes(source, count)
        raise Conflict(f"{damage}; run `doctor` to see what to do.")
    with convert_errors(target), files.partial_file(target) as database:
        copy(source, database)
        with files.partial_file(target) as partial:
            manifest = pack(database, partial, home, progress)
            _refuse_existing(target)
            files.replace(partial, target)
    return manifest


def copy(source: Path, target: Path) -> None:
    """Copy a snapshot of the database into the empty file `target`; the copy has no write-ahead log.

    All pages are copied in one step. With several steps, each concurrent write would restart the copy.
    """
    with integrity.open_database(source) as reader, closing(sqlite3.connect(target)) as writer:
        # An incomplete copy is useless, so it does not need to survive a power failure.
        writer.execute("PRAGMA synchronous=OFF")
        reader.backup(writer, pages=-1)
        writer.execute("PRAGMA journal_mode=DELETE")


def pack(
    database: Path, target: Path, settings_folder: Path, progress: ProgressReporter = no_progress
) -> Manifest:
    """Write a backup into the empty file `target`: the copy of a database and the settings in the folder.

    Returns the manifest. Raises Conflict if the copy is damaged.
    """
    with integrity.open_database(database) as connection:
        if faults := integrity.check_integrity(connection, quick=True):
            raise Conflict(f"The database is damaged ({faults[0]}); run `doctor` to see what to do.")
        migration, rows = integrity.read_migration(connection), integrity.count_rows(connection)
    if migration is None:
        raise Conflict("The database contains no blog.")
    sources = {DATABASE: database}
    if (settings := settings_folder / SETTINGS).is_file():
        sources[SETTINGS] = settings
    created = clock.now().isoformat(timespec="seconds")
    return archive.pack(
        target,
        sources,
        created=created,
        blogapi=__version__,
        migration=migration,
        rows=rows,
        progress=progress,
    )


def unpack(path: Path, folder: Path, *, progress: ProgressReporter = no_progress) -> Manifest:
    """Unpack a backup into the folder and check its database; return its manifest.

    Also accepts the copy that an upgrade makes, which is a plain database file. Raises Conflict with the
    reason if the file cannot be restored.
    """
    try:
        with convert_errors(path):
            if upgrades.is_pre_upgrade_copy(path):
                manifest = _copy_plain(path, folder / DATABASE)
            else:
                manifest = archive.unpack(path, folder, progress=progress)
            _check_database(folder / DATABASE, manifest)
    except InvalidBackup as error:
        raise Conflict(f"{path} cannot be restored: {error}.") from error
    return manifest


def rotate(folder: Path, kind: Kind, *, keep: int, created: Path) -> list[Path]:
    """Delete the oldest backups of a kind so that `keep` remain, including `created`.

    Returns the paths of the deleted backups.
    """
    names = [path.name for path in folder.iterdir()]
    deleted = [folder / name for name in naming.select_surplus(names, kind, keep=keep, created=created.name)]
    for path in deleted:
        with suppress(FileNotFoundError):
            path.unlink()
    files.delete_abandoned(folder)
    return deleted


def _copy_plain(path: Path, target: Path) -> Manifest:
    files.create_private(target)
    shutil.copyfile(path, target)
    with integrity.open_database(target) as connection:
        migration = integrity.read_migration(connection)
        if migration is None:
            raise InvalidBackup("it contains no blog")
        rows = integrity.count_rows(connection)
    created = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return Manifest(created=created, blogapi="", step=migration, rows=rows, files={})


def _check_database(path: Path, manifest: Manifest) -> None:
    if reason := naming.explain_unknown_migration(manifest.step, upgrades.list_migrations()):
        raise InvalidBackup(reason)
    with integrity.open_database(path) as connection:
        if faults := integrity.check_integrity(connection):
            raise InvalidBackup(f"its database is damaged ({faults[0]})")
        if integrity.count_broken_references(connection):
            raise InvalidBackup("rows in its database refer to missing rows")
        contents = integrity.read_migration(connection), integrity.count_rows(connection)
        if contents != (manifest.step, manifest.rows):
            raise InvalidBackup("its database does not match its manifest")


def _refuse_existing(target: Path) -> None:
    if target.exists():
        raise Conflict(f"{target} exists already; choose another file name.")


@contextmanager
def convert_errors(path: Path) -> Iterator[None]:
    """Convert errors of the file system and of SQLite into a Problem."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StorageFull(f"The disk is full; nothing was written to {path}.") from error
        raise Conflict(f"{error.filename or path}: {error.strerror or error}.") from error
    except sqlite3.Error as error:
        raise Conflict(f"The database cannot be copied: {error}.") from error
