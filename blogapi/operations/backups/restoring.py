"""Replaces the current blog with a backup, and checks whether a backup can be restored."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flask import Flask
from sqlalchemy import URL

from blogapi import clock, config, settings
from blogapi.cli import ProgressReporter, hide_progress
from blogapi.config import CannotStart
from blogapi.content import dependencies
from blogapi.content.articles.writing import rerendering
from blogapi.delivery.webhooks.models import PAUSE_COPIED_WEBHOOKS
from blogapi.operations.backups import archive, dumps, media_restoring, naming, service
from blogapi.operations.backups.manifest import (
    DATABASE_FILE,
    SETTINGS_FILE,
    DatabaseKind,
    Manifest,
    MissingFile,
)
from blogapi.operations.backups.media_restoring import BackupMedia
from blogapi.operations.backups.service import Backup
from blogapi.site.theme_files import THEME_FOLDER, list_theme_files
from blogapi.storage import checkpoint, connections, database, disk_errors, files, integrity, upgrades
from blogapi.storage.database import Base, db, transaction
from blogapi.web.errors import Conflict

# The maximum number of attempts to copy the database if writes interrupt the copy, and the seconds for which
# each attempt waits for the lock of the database.
_MAX_COPY_ATTEMPTS, _LOCK_SECONDS = 3, 10.0
# This statement returns a number that changes with each commit of another connection.
_DATA_VERSION_SQL = "PRAGMA data_version"

# The prefix of the name of the staging folder, beside the database, in which a restore unpacks a backup.
_STAGING_PREFIX = ".restore-"


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """The result of a restore.

    `former_copy` is the path of a copy of the former database, or None if there was none. If `unreadable` is
    True, SQLite could not read the former database, and its file was moved to `former_copy`. `settings` and
    `theme` are sentences that say whether the settings and the theme were restored; both may be empty.
    `missing` are the media files that neither the backup nor the media folder has.
    """

    manifest: Manifest
    former_copy: Path | None
    unreadable: bool
    settings: str
    theme: str
    missing: tuple[MissingFile, ...] = ()


class _DatabaseBusy(Exception):
    """Raised if other connections have changed the database or keep it locked for too long."""


def init_app(app: Flask) -> None:
    """Delete the staging folders that killed restores of this blog have left."""
    instance = Path(app.instance_path)
    path = connections.get_sqlite_path(app.config["DATABASE_URL"], instance)
    files.delete_temporary_folders(path.parent if path else instance, _STAGING_PREFIX)


def restore_backup(
    path: Path,
    instance: Path,
    *,
    allow_missing_media: bool = False,
    progress: ProgressReporter = hide_progress,
) -> RestoreResult:
    """Replace the content of the blog with a backup; save the former content in `backups/`.

    A restore is safe while the blog is served: each write is either in the copy of the former content, or is
    made after the restore. The media files are restored first, and no media file is deleted, so that the blog
    has all its files before and after the restore. Raises Conflict and changes nothing in the blog if the
    file cannot be restored, if another restore is running, if other writes interrupt each attempt, or if a
    PostgreSQL database has tables.
    """
    url, media_folder = connections.get_database_url(instance), service.get_media_folder(instance)
    is_sqlite = service.get_database_kind(url) is DatabaseKind.SQLITE
    live = Path(str(url.database)) if is_sqlite else instance
    with service.convert_errors(path), service.report_full_disk(live):
        is_plain = naming.is_database_copy(path.name)
        # Refuse a file without a manifest before any folder is created.
        kind = DatabaseKind.SQLITE if is_plain else archive.read_manifest(path).database
        service.refuse_other_database_kind(kind, url)
        if not is_sqlite:
            dumps.refuse_nonempty_database(url)
        instance.mkdir(mode=0o700, parents=True, exist_ok=True)
        live.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (
            _open_staging_folder(live.parent if is_sqlite else instance) as folder,
            _open_backup(path, folder, progress) as (manifest, media),
        ):
            with service.report_full_disk(media_folder.root):
                missing = media.restore_files(
                    media_folder, allow_missing=allow_missing_media, progress=progress
                )
            former_copy, unreadable = None, False
            if is_sqlite:
                copy_path = instance / "backups" / f"before-restore-{clock.now():%Y%m%dT%H%M%S%f}.db"
                former_copy, unreadable = replace_database(folder / DATABASE_FILE, live, copy_path)
            else:
                with service.report_full_disk("the database"):
                    dumps.restore_dump(url, folder, manifest, media, _upgrade_database)
            with service.report_full_disk(media_folder.root):
                media.restore_deleted_files(media_folder)
            sentences = _restore_settings(folder, instance), _restore_theme(folder, instance)
            return RestoreResult(manifest, former_copy, unreadable, *sentences, missing)


def describe_replacement(path: Path, instance: Path) -> str:
    """Return a text about the blog that a restore would replace; empty if there is nothing to replace."""
    live = connections.get_sqlite_path(config.read_settings(instance)["DATABASE_URL"], instance)
    if live is None or not live.is_file():
        return ""
    number = "unknown"
    # If the log of the database is damaged, opening the file would let SQLite drop writes from the log.
    if not integrity.count_lost_writes(live):
        with suppress(sqlite3.Error), integrity.open_database(live) as connection:
            number = connection.execute("SELECT count(*) FROM article").fetchone()[0]
    with service.convert_errors(live):
        if not number and not integrity.is_database_in_use(live):
            return ""
    with service.convert_errors(path):
        # The name of a database copy contains the time of the copy, so the question need not name the time.
        is_plain = naming.is_database_copy(path.name)
        backup = path.name if is_plain else f"A backup of {archive.read_manifest(path).created}"
    sentence = f"{backup} replaces the blog in {instance.parent} (articles and pages: {number})."
    return f"{sentence} Its current state is saved in {instance / 'backups'}."


def verify_backup(path: Path, instance: Path, *, progress: ProgressReporter = hide_progress) -> Backup:
    """Check a backup by restoring it into a temporary folder or database, and check its media files.

    A dump is restored on the server of the blog in this instance folder, or only read if the database user
    may not create a database. Raises Conflict if the file cannot be restored.
    """
    with (
        service.convert_errors(path),
        service.report_full_disk(Path(tempfile.gettempdir())),
        tempfile.TemporaryDirectory(prefix="blogapi-", ignore_cleanup_errors=True) as name,
        _open_backup(path, folder := Path(name), progress) as (manifest, media),
    ):
        media.verify_files(progress)
        if manifest.database is DatabaseKind.SQLITE:
            return Backup(path, manifest, media.known_missing)
        url = connections.get_database_url(instance)
        service.refuse_other_database_kind(manifest.database, url)
        with service.report_full_disk("the database"):
            is_restored = dumps.verify_dump(url, folder, manifest, media, _upgrade_database)
        return Backup(path, manifest, media.known_missing, is_only_read=not is_restored)


def _open_staging_folder(parent: Path) -> AbstractContextManager[Path]:
    """Return a new staging folder in `parent`, which is deleted at the end of the `with` block.

    Raises Conflict if another restore has a staging folder in `parent`.
    """
    files.delete_temporary_folders(parent, _STAGING_PREFIX)
    if held := next(parent.glob(f"{_STAGING_PREFIX}*"), None):
        raise Conflict(
            f"Another restore is running; it uses {held}. Wait, or delete this folder if no restore runs."
        )
    return files.create_temporary_folder(parent, _STAGING_PREFIX)


@contextmanager
def _open_backup(
    path: Path, folder: Path, progress: ProgressReporter
) -> Iterator[tuple[Manifest, BackupMedia]]:
    """Unpack a backup into the folder, check and upgrade a SQLite file, and yield the manifest and media."""
    manifest = service.unpack_backup(path, folder, progress=progress)
    files = None
    if manifest.database is DatabaseKind.SQLITE:
        _upgrade_database(URL.create("sqlite", database=str(folder / DATABASE_FILE)), folder)
        with integrity.open_database(folder / DATABASE_FILE) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
        files = service.read_media_files(folder / DATABASE_FILE)
    with media_restoring.open_backup_media(path, manifest, folder, files) as media:
        yield manifest, media


def _upgrade_database(url: URL, folder: Path) -> None:
    """Upgrade a restored database; raises CannotStart if its schema then differs from the models."""
    app = Flask("blogapi", instance_path=str(folder))
    app.config.update({setting.name: setting.default for setting in settings.SETTINGS})
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    try:
        dependencies.init_app(app)
        database.init_app(app, write_events=dependencies.write_events)
        with app.app_context(), upgrades.convert_database_errors(db.engine):
            upgrades.check_schema(db.session.connection(), Base.metadata)
        rerendering.init_app(app)
        # A visible commit changes the tags in `commit_counter`, so that caches drop the former responses.
        with app.app_context(), transaction():
            db.session.execute(PAUSE_COPIED_WEBHOOKS, {"now": clock.now()})
    finally:
        if "sqlalchemy" in app.extensions:
            with app.app_context():
                db.session.remove()
                db.engine.dispose()


def replace_database(staged: Path, live: Path, copy_path: Path) -> tuple[Path | None, bool]:
    """Replace the content of the live database with the content of the staged database.

    Return the path at which the former content was saved (None: there was no former database), and whether
    the former file was moved because SQLite could not read it.
    """
    copy_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if live.is_file() and live.stat().st_size and not integrity.count_lost_writes(live):
        try:
            _overwrite_database(staged, live, copy_path)
            return copy_path, False
        except Exception as error:
            copy_path.unlink(missing_ok=True)
            # Move the file only if SQLite cannot read it, not after errors such as a full disk.
            if not disk_errors.is_damage_error(error):
                raise
    moved = _move_database(live, copy_path)
    files.replace_file(staged, live)
    return (copy_path, True) if moved else (None, False)


def _overwrite_database(staged: Path, live: Path, copy_path: Path) -> None:
    """Copy the live database to `copy_path`, and then overwrite the live database in one transaction.

    If another write came after the copy, the transaction is rolled back and both steps are repeated. Raises
    Conflict if each attempt fails.
    """
    _match_page_size(staged, live)
    with (
        closing(sqlite3.connect(staged)) as source,
        integrity.open_database(live, seconds=_LOCK_SECONDS) as target,
        integrity.open_database(live, seconds=_LOCK_SECONDS) as reader,
        integrity.open_database(live, seconds=_LOCK_SECONDS) as blocker,
    ):
        # Without a write-ahead log, the write transaction would block `reader`, which checks for writes.
        target.execute("PRAGMA journal_mode=WAL")
        # With a weaker `synchronous` setting, a power failure could leave an incomplete file.
        target.execute("PRAGMA synchronous=FULL")
        for _ in range(_MAX_COPY_ATTEMPTS):
            # Other writers wait for the copy; otherwise, in a busy blog, each copy would be too old.
            # If another program holds the lock, this error is ignored, because `backup` then fails too.
            with suppress(sqlite3.OperationalError):
                blocker.execute("BEGIN IMMEDIATE")
            version = reader.execute(_DATA_VERSION_SQL).fetchall()
            with service.report_full_disk(copy_path), files.create_partial_file(copy_path) as copy:
                reader.execute("VACUUM INTO ?", [str(copy)])
                files.replace_file(copy, copy_path)
                blocker.rollback()
            with suppress(_DatabaseBusy):
                # Once the first page is written, no other connection can write. SQLite calls
                # `_check_database_unchanged` for the first time after this page.
                source.backup(target, pages=1, progress=partial(_check_database_unchanged, reader, version))
                break
        else:
            raise Conflict("The database is busy; nothing was restored. Try again.")
    checkpoint.truncate_log(live)


def _check_database_unchanged(
    reader: sqlite3.Connection, old: list[int], status: int, remaining: int, _: int
) -> None:
    """Raise _DatabaseBusy if the database is locked or was written since `old` was read.

    SQLite calls this function after each page.
    """
    # In the last call, `remaining` is 0. This call follows the commit, so a rollback is not possible.
    if status == sqlite3.SQLITE_BUSY or (remaining and reader.execute(_DATA_VERSION_SQL).fetchall() != old):
        raise _DatabaseBusy


def _match_page_size(staged: Path, live: Path) -> None:
    """Give the staged file the page size of the live file, because a live file must keep its page size."""
    size = integrity.read_page_size(live)
    if integrity.read_page_size(staged) != size:
        with integrity.open_database(staged) as connection:
            connection.execute(f"PRAGMA page_size={size}")
            connection.execute("VACUUM")


def _move_database(live: Path, copy_path: Path) -> bool:
    """Move a database file that SQLite cannot read, with its log; return whether there was any file.

    If the log stayed, SQLite would apply it to the new file and damage that file.
    """
    moved = False
    pairs = zip(
        (*files.get_side_files(live), live), (*files.get_side_files(copy_path), copy_path), strict=True
    )
    for source, target in pairs:
        if source.exists():
            # The files are not synced, because this process must not open them; see `raw_files`.
            files.replace_file(source, target, is_synced=True)
            moved = True
    return moved


def _restore_settings(folder: Path, instance: Path) -> str:
    """Restore the settings of the backup if the blog has none; return a sentence about the result."""
    restored, current = folder / SETTINGS_FILE, instance / SETTINGS_FILE
    if not restored.is_file():
        return ""
    if current.exists():
        is_same = current.read_bytes() == restored.read_bytes()
        return "" if is_same else "The settings were not changed; the backup has other settings."
    try:
        restored_settings, current_settings = config.read_settings(folder), config.read_settings(instance)
    except CannotStart as error:
        return f"The settings of the backup were not restored: {error.message}"
    for name in ("DATABASE_URL", "MEDIA_PATH"):
        if restored_settings[name] != current_settings[name]:
            return f"The settings of the backup were not restored, because their {name} differs."
    files.replace_file(restored, current)
    return "The settings of the backup were restored."


def _restore_theme(folder: Path, instance: Path) -> str:
    """Restore the theme of the backup if the blog has none; return a sentence about the result."""
    if not (folder / THEME_FOLDER).is_dir():
        return ""
    if (instance / THEME_FOLDER).exists():
        restored, current = (
            {name: path.read_bytes() for name, path in list_theme_files(parent)}
            for parent in (folder, instance)
        )
        return "" if restored == current else "The theme was not changed; the backup has another theme."
    for _, path in list_theme_files(folder):
        files.sync_file(path)
    shutil.move(folder / THEME_FOLDER, instance / THEME_FOLDER)
    return "The theme of the backup was restored."
