"""Makes backups, and unpacks and checks the files of a backup."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from blogapi import blog_folder, clock, config
from blogapi.cli import ProgressReporter, hide_progress
from blogapi.config import CannotStart
from blogapi.content.media import stored_files
from blogapi.content.media.folder import MediaFolder, locate_folder
from blogapi.content.media.stored_files import StoredFile
from blogapi.operations.backups import archive, dumps, naming
from blogapi.operations.backups.manifest import (
    DATABASE_FILE,
    DATABASE_FILE_NAMES,
    SETTINGS_FILE,
    DatabaseContents,
    DatabaseKind,
    InvalidBackup,
    Manifest,
    MediaList,
    MediaPlace,
    MediaSummary,
    MissingFile,
)
from blogapi.operations.backups.media_store import MediaStore
from blogapi.site.theme_files import list_theme_files
from blogapi.storage import files, integrity, migration_names
from blogapi.storage.connections import get_database_url, open_plain_engine
from blogapi.storage.disk_errors import is_disk_full_error
from blogapi.storage.postgresql_dumps import DumpError
from blogapi.version import __version__
from blogapi.web.errors import Conflict, NotFound, StorageFull

# The maximum number of snapshots of the database. A backup takes another snapshot if a media file was deleted
# after the previous one.
_MAX_SNAPSHOTS = 5

# The free space that must remain on the disk when the media files are saved.
_SPARE_BYTES = 100 * 1024 * 1024

NOT_RESTORED_REASON = "was read, but not restored, because the database user may not create a database"


@dataclass(frozen=True, slots=True)
class Backup:
    """A new or verified backup; `is_only_read` is whether its dump was read but not restored."""

    path: Path
    manifest: Manifest
    missing: tuple[MissingFile, ...] = ()
    is_only_read: bool = False


def get_database_kind(url: URL) -> DatabaseKind:
    """Return the kind of the database with this URL."""
    return DatabaseKind.SQLITE if url.get_backend_name() == "sqlite" else DatabaseKind.POSTGRESQL


def refuse_other_database_kind(kind: DatabaseKind, url: URL) -> None:
    """Raise InvalidBackup if a backup of this kind cannot be restored into the database with this URL."""
    if kind is not (current := get_database_kind(url)):
        raise InvalidBackup(
            f"it is a backup of a blog on {kind}, but this blog is on {current}; set DATABASE_URL to an "
            f"empty {kind} database, restore the backup, and then run `{blog_folder.get_command()} db copy`"
        )


def get_media_folder(instance: Path) -> MediaFolder:
    """Return the media folder of the blog in this instance folder."""
    return locate_folder(instance, config.read_settings(instance)["MEDIA_PATH"])


def create_backup(
    instance: Path,
    target: Path,
    *,
    store: MediaStore | None = None,
    progress: ProgressReporter = hide_progress,
) -> Backup:
    """Write a consistent backup of the blog in this instance folder.

    The media files are saved in the `store`; if it is None, they are saved in the backup itself. Writers are
    not blocked. Raises NotFound if the database is missing, and Conflict if `target` exists, if `pg_dump`
    fails, or if the database is damaged; a backup of a damaged database could replace the last good backup.
    """
    url = get_database_url(instance)
    take_snapshot = partial(dumps.write_dump, url)
    if get_database_kind(url) is DatabaseKind.SQLITE:
        source = Path(str(url.database))
        if not source.is_file():
            raise NotFound(f"The blog cannot be backed up: {source} does not exist.")
        if count := integrity.count_lost_writes(source):
            damage = integrity.describe_lost_writes(source, count)
            raise Conflict(f"{damage}; run `doctor` to see what to do.")
        take_snapshot = partial(_take_snapshot, source)
    _refuse_existing_file(target)
    with (
        convert_errors(target),
        files.create_partial_file(target) as database,
        files.create_partial_file(target) as packed,
    ):
        with archive.create_archive(packed) as zip_file:
            folder = get_media_folder(instance)
            contents, media = _save_snapshot_and_media(
                take_snapshot, database, folder, store, zip_file, progress
            )
            archive.add_file(zip_file, DATABASE_FILE_NAMES[contents.database], database, progress)
            if (settings := instance / SETTINGS_FILE).is_file():
                archive.add_file(zip_file, SETTINGS_FILE, settings, progress)
            theme = list(list_theme_files(instance))
            for name, path in theme:
                archive.add_file(zip_file, name, path, hide_progress)
            place = MediaPlace.FOLDER if store else MediaPlace.FILE
            manifest = replace(_make_manifest(contents, media, place), has_theme=bool(theme))
            archive.add_manifest_and_media_list(zip_file, manifest, media)
        # A backup that is too large to be read must not count as good.
        archive.read_manifest(packed)
        _refuse_existing_file(target)
        files.replace_file(packed, target)
    return Backup(target, manifest, media.missing)


def copy_database(source: Path, target: Path) -> None:
    """Copy a snapshot of the database into the empty file `target`, without a write-ahead log.

    All pages are copied in one step. With several steps, each concurrent write would restart the copy.
    """
    with integrity.open_database(source) as reader, closing(sqlite3.connect(target)) as writer:
        # The copy need not survive a power failure, because the backup would be incomplete anyway.
        writer.execute("PRAGMA synchronous=OFF")
        reader.backup(writer, pages=-1)
        writer.execute("PRAGMA journal_mode=DELETE")


def _make_manifest(contents: DatabaseContents, media: MediaList, place: MediaPlace) -> Manifest:
    created = clock.now().isoformat(timespec="seconds")
    summary = MediaSummary(place.value, len(media.saved), sum(media.saved.values()), len(media.missing))
    return Manifest(created, __version__, contents.migration, contents.rows, summary, contents.database)


def _take_snapshot(source: Path, database: Path) -> DatabaseContents:
    copy_database(source, database)
    with integrity.open_database(database) as connection:
        if faults := integrity.check_integrity(connection, quick=True):
            raise Conflict(f"The database is damaged ({faults[0]}); run `doctor` to see what to do.")
        migration, rows = integrity.read_last_migration(connection), integrity.count_rows(connection)
    if migration is None:
        raise Conflict("The database contains no blog.")
    return DatabaseContents(DatabaseKind.SQLITE, migration, rows, read_media_files(database))


def _save_snapshot_and_media(
    take_snapshot: Callable[[Path], DatabaseContents],
    database: Path,
    folder: MediaFolder,
    store: MediaStore | None,
    zip_file: ZipFile,
    progress: ProgressReporter,
) -> tuple[DatabaseContents, MediaList]:
    """Copy a snapshot of the blog's database into the file `database`, and save its media files.

    Return the contents of the snapshot and the list of its media files. A running service can delete a file
    after the snapshot was taken. Therefore, if files are missing, another snapshot is taken, until the same
    files are missing as before.
    """
    write_file = store.add_file if store else partial(archive.add_media_file, zip_file)
    saved: set[StoredFile] = set()
    faults: dict[StoredFile, str] = {}
    for _ in range(_MAX_SNAPSHOTS):
        contents = take_snapshot(database)
        if store and contents.media:
            store.refuse_foreign_folder(folder.root)
            saved |= {file for file in contents.media if store.contains_file(file)}
        to_save, old_faults, faults = sorted(contents.media - saved), faults, {}
        _check_free_space(database.parent, to_save)
        for file in progress(to_save, total=len(to_save), label="Media files"):
            if fault := _save_file(folder.get_path(file.hash, file.extension), file, write_file):
                faults[file] = fault
            else:
                saved.add(file)
        if faults.keys() <= old_faults.keys():
            break
    missing = [MissingFile(file.path, file.label, fault) for file, fault in faults.items()]
    sizes = {file.path: file.size for file in sorted(contents.media & saved)}
    return contents, MediaList(sizes, tuple(missing))


def _save_file(path: Path, file: StoredFile, write_file: Callable[[IO[bytes], StoredFile], bool]) -> str:
    """Save a media file; return an empty string, or why it cannot be saved."""
    # Check the file before anything is written. An error while writing ends the backup.
    if fault := stored_files.find_fault(path, file):
        return fault
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return "missing"
    with source:
        if not write_file(source, file):
            raise Conflict(f"{path} changed during the backup; start the backup again.")
    return ""


def _check_free_space(folder: Path, media: Iterable[StoredFile]) -> None:
    needed, free = sum(file.size for file in media), shutil.disk_usage(folder).free
    # The blog can be on the same disk, and a full disk would stop the blog.
    if needed and free < needed + _SPARE_BYTES:
        raise StorageFull(
            f"The media files need {needed / 1024**2:.0f} MB, but {folder} has {free / 1024**2:.0f} MB free."
        )


def read_media_files(database: Path) -> set[StoredFile]:
    """Return the media files that a database file refers to."""
    url = URL.create("sqlite", database=str(database))
    with open_plain_engine(url) as engine, engine.connect() as connection:
        return stored_files.read_stored_files(connection)


def unpack_backup(path: Path, folder: Path, *, progress: ProgressReporter = hide_progress) -> Manifest:
    """Unpack a backup into the folder and check its SQLite file; return its manifest.

    Also accepts a plain database file that an upgrade or a restore has copied. Raises InvalidBackup with the
    reason if the file cannot be restored.
    """
    if naming.is_database_copy(path.name):
        manifest = _copy_plain_database(path, folder / DATABASE_FILE)
    else:
        manifest = archive.unpack_backup(path, folder, progress=progress)
    if manifest.step not in migration_names.list_migrations():
        newer = f"it was made by a newer version of blogapi (migration {manifest.step})"
        raise InvalidBackup(f"{newer}; install that version first")
    if manifest.database is DatabaseKind.SQLITE:
        _check_database(folder / DATABASE_FILE, manifest)
    return manifest


def _copy_plain_database(path: Path, target: Path) -> Manifest:
    if files.get_side_files(path).log.exists():
        # This file is not a copy: a restore has moved it with its log, because SQLite could not read it.
        raise InvalidBackup("it was moved with its log, because SQLite could not read it")
    files.create_private_file(target)
    shutil.copyfile(path, target)
    with integrity.open_database(target) as connection:
        migration = integrity.read_last_migration(connection)
        if migration is None:
            raise InvalidBackup("it contains no blog")
        rows = integrity.count_rows(connection)
    created = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return Manifest(created, "", migration, rows)


def _check_database(path: Path, manifest: Manifest) -> None:
    with integrity.open_database(path) as connection:
        if faults := integrity.check_integrity(connection):
            raise InvalidBackup(f"its database is damaged ({faults[0]})")
        if integrity.count_broken_references(connection):
            raise InvalidBackup("rows in its database refer to missing rows")
        contents = integrity.read_last_migration(connection), integrity.count_rows(connection)
        if contents != (manifest.step, manifest.rows):
            raise InvalidBackup("its database does not match its manifest")


def _refuse_existing_file(target: Path) -> None:
    if target.exists():
        raise Conflict(f"{target} exists already; choose another file name.")


@contextmanager
def convert_errors(path: Path) -> Iterator[None]:
    """Convert InvalidBackup, CannotStart, and errors of files, databases and `pg_dump` into a Problem."""
    try:
        with report_full_disk(path):
            yield
    except InvalidBackup as error:
        raise Conflict(f"{path} cannot be restored: {error}.") from error
    except OSError as error:
        raise Conflict(f"{error.filename or path}: {error.strerror or error}.") from error
    except DumpError as error:
        raise Conflict(f"{path}: {error}.") from error
    except CannotStart as error:
        raise Conflict(f"{path}: {error.message}") from error
    except (sqlite3.Error, DBAPIError) as error:
        reason = " ".join(str(getattr(error, "orig", error)).split())
        raise Conflict(f"The database cannot be copied: {reason}.") from error


@contextmanager
def report_full_disk(target: Path | str) -> Iterator[None]:
    """Convert errors of a full disk into StorageFull, whose message names `target`."""
    try:
        yield
    except (OSError, sqlite3.Error, DumpError, DBAPIError) as error:
        if is_disk_full_error(error):
            raise StorageFull(f"The disk is full; {target} cannot be written.") from error
        raise
