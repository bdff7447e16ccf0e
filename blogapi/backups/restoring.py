"""Functions that replace the current blog with a backup."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flask import Flask
from sqlalchemy import URL

from blogapi import clock, config, dependencies
from blogapi.articles.writing import json_writer
from blogapi.backups import archive, media_restoring, naming, service
from blogapi.backups.manifest import DATABASE, SETTINGS, Manifest, MissingFile
from blogapi.backups.media_restoring import BackupMedia
from blogapi.backups.service import Backup
from blogapi.cli import ProgressReporter, no_progress
from blogapi.config import CannotStart
from blogapi.publication import event_writer
from blogapi.storage import (
    checkpoint,
    connections,
    database,
    files,
    integrity,
    sqlite_errors,
    upgrades,
)
from blogapi.storage.database import Base, db, transaction
from blogapi.web.errors import Conflict
from blogapi.webhooks.models import PAUSE_COPIED

# How long a restore waits for other writers in total, and how long SQLite waits in each attempt.
_WAIT_SECONDS = 30.0
_ATTEMPT_SECONDS = 0.5

# The beginning of the name of the folder beside the database in which a restore prepares the content, and the
# age in seconds at which such a folder counts as left by a killed process.
_STAGING_PREFIX, _ABANDONED_SECONDS = ".restore-", 86_400


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore.

    `former_copy` is a copy of the former database, if there was any. If `unreadable` is True, SQLite could
    not read the former database, and `former_copy` is the moved database file itself. `settings` is a
    sentence that says whether the settings were restored; it may be empty. `missing` are the media files that
    neither the backup nor the media folder has.
    """

    manifest: Manifest
    former_copy: Path | None
    unreadable: bool
    settings: str
    missing: tuple[MissingFile, ...] = ()


class _Busy(Exception):
    """Other connections kept the database locked for too long."""


def init_app(app: Flask) -> None:
    """Delete the folders that killed restores of this blog have left."""
    path = connections.sqlite_path(app.config["DATABASE_URL"], Path(app.instance_path))
    if path is not None:
        _delete_abandoned(path.parent)


def restore(
    path: Path,
    home: Path,
    *,
    allow_missing_media: bool = False,
    progress: ProgressReporter = no_progress,
) -> Restored:
    """Replace the content of the blog with a backup; save the former content in `backups/`.

    This is safe while the blog is served: SQLite copies the former content and replaces it in the same
    transaction, so no write in between is lost. The media files are restored first, and none is deleted, so
    that the blog is complete before and after. Raises Conflict and changes nothing in the blog if the file
    cannot be restored.
    """
    live, media_folder = service.get_database_path(home), service.get_media_folder(home)
    with service.convert_errors(path):
        _check_manifest(path)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        live.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _staging(live.parent) as folder, _prepare(path, Path(folder), progress) as (manifest, media):
            missing = media.restore(media_folder, allow_missing=allow_missing_media, progress=progress)
            _renew_tags(Path(folder, DATABASE))
            aside = home / "backups" / f"before-restore-{clock.now():%Y%m%dT%H%M%S%f}.db"
            former_copy, unreadable = _replace_database(Path(folder, DATABASE), live, aside)
            media.restore_deleted(media_folder)
            settings = _restore_settings(Path(folder), home)
            return Restored(manifest, former_copy, unreadable, settings, missing)


def verify(path: Path, *, progress: ProgressReporter = no_progress) -> Backup:
    """Check a backup by restoring it into a temporary folder, and check its media files.

    Raises Conflict if the file cannot be restored.
    """
    with (
        service.convert_errors(path),
        tempfile.TemporaryDirectory(prefix="blogapi-", ignore_cleanup_errors=True) as folder,
        _prepare(path, Path(folder), progress) as (manifest, media),
    ):
        media.verify(progress)
        return Backup(path, manifest, media.known_missing)


def _staging(parent: Path) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder in `parent`, which is deleted at the end."""
    _delete_abandoned(parent)
    return tempfile.TemporaryDirectory(prefix=_STAGING_PREFIX, dir=parent, ignore_cleanup_errors=True)


def _delete_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{_STAGING_PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _prepare(path: Path, folder: Path, progress: ProgressReporter) -> Iterator[tuple[Manifest, BackupMedia]]:
    """Unpack, check and upgrade a backup in the folder; yield its manifest and its media files."""
    manifest = service.unpack(path, folder, progress=progress)
    try:
        _upgrade(folder)
    except CannotStart as error:
        raise Conflict(f"{path} cannot be restored: {error.message}") from error
    files = service.read_media(folder / DATABASE)
    with media_restoring.open_media(path, manifest, folder, files) as media:
        yield manifest, media


def _check_manifest(path: Path) -> None:
    """Raise InvalidBackup if the file has no manifest of a backup. This check creates no folder."""
    if not naming.is_plain_copy(path.name):
        archive.read_manifest(path)


def _upgrade(folder: Path) -> None:
    """Upgrade the staged database to the schema and the rendering of this version.

    Raises CannotStart if the schema then differs from the models.
    """
    app = Flask("blogapi", instance_path=str(folder))
    app.config.update({setting.name: setting.default for setting in config.SETTINGS})
    app.config["SQLALCHEMY_DATABASE_URI"] = URL.create("sqlite", database=str(folder / DATABASE))
    try:
        dependencies.init_app(app)
        database.init_app(app, write_events=event_writer.write_events)
        with app.app_context(), upgrades.convert_errors(db.engine):
            upgrades.check_schema(db.session.connection(), Base.metadata)
        json_writer.init_app(app)
        with app.app_context(), transaction(visible=False):
            db.session.execute(PAUSE_COPIED, {"now": clock.now()})
    finally:
        if "sqlalchemy" in app.extensions:
            with app.app_context():
                db.session.remove()
                db.engine.dispose()
    with integrity.open_database(folder / DATABASE) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _renew_tags(path: Path) -> None:
    """Give the commit counter of the staged database new tags, so that no cache confuses it with the live
    database.
    """
    with integrity.open_database(path) as connection:
        connection.execute("UPDATE commit_counter SET tag = ?1, visible = ?1", [secrets.token_hex(4)])


def _replace_database(staged: Path, live: Path, aside: Path) -> tuple[Path | None, bool]:
    """Replace the content of the live file with the staged content.

    Return the path at which the former content was saved, and whether the former file was moved because
    SQLite could not read it.
    """
    aside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if live.is_file() and live.stat().st_size and not integrity.count_lost_writes(live):
        try:
            _write_through(staged, live, aside)
            return aside, False
        except _Busy as error:
            aside.unlink(missing_ok=True)
            raise Conflict("The database is busy; nothing was restored. Try again.") from error
        except (sqlite3.Error, OSError) as error:
            aside.unlink(missing_ok=True)
            # Move the file only if SQLite cannot read it, not after errors such as a full disk.
            if not sqlite_errors.is_damage(error):
                raise
    moved = _move_database(live, aside)
    files.replace(staged, live)
    return (aside, True) if moved else (None, False)


def _write_through(staged: Path, live: Path, aside: Path) -> None:
    """Write the staged content into the live file in one transaction; copy the former content to `aside`."""
    deadline, copied = time.monotonic() + _WAIT_SECONDS, False

    def copy_former_content(status: int, remaining: int, total: int) -> None:
        nonlocal copied
        if status != sqlite3.SQLITE_OK:
            if time.monotonic() > deadline:
                raise _Busy
        elif not copied:
            # Once the first page is written, no other connection can write, so the copy contains the state
            # right before the restore.
            copied = True
            with files.partial_file(aside) as partial:
                service.copy(live, partial)
                files.replace(partial, aside)

    _adopt_page_size(staged, live)
    with (
        closing(sqlite3.connect(staged)) as source,
        integrity.open_database(live, seconds=_ATTEMPT_SECONDS) as target,
    ):
        # With a weaker `synchronous` setting, a power failure could leave an incomplete file.
        target.execute("PRAGMA synchronous=FULL")
        source.backup(target, pages=1, progress=copy_former_content, sleep=0.05)
    checkpoint.truncate_log(live)


def _adopt_page_size(staged: Path, live: Path) -> None:
    """Give the staged file the page size of the live file, whose size SQLite cannot change."""
    size = integrity.read_page_size(live)
    if integrity.read_page_size(staged) != size:
        with integrity.open_database(staged) as connection:
            connection.execute(f"PRAGMA page_size={size}")
            connection.execute("VACUUM")


def _move_database(live: Path, aside: Path) -> bool:
    """Move a database file that SQLite cannot read, and its log, which would damage the new file."""
    moved = False
    pairs = zip((*files.side_files(live), live), (*files.side_files(aside), aside), strict=True)
    for source, target in pairs:
        if source.exists():
            # Only SQLite opens these files, so their content is not synced; see `raw_files`.
            files.replace(source, target, is_synced=True)
            moved = True
    return moved


def _restore_settings(folder: Path, home: Path) -> str:
    """Restore the settings of the backup if the blog has none; return a sentence about the result."""
    restored, current = folder / SETTINGS, home / SETTINGS
    if not restored.is_file():
        return ""
    if current.exists():
        same = current.read_bytes() == restored.read_bytes()
        return "" if same else "The settings were not changed; those in the backup are different."
    try:
        restored_settings, current_settings = config.read_settings(folder), config.read_settings(home)
    except CannotStart as error:
        return f"The settings of the backup were not restored: {error.message}"
    for name in ("DATABASE_URL", "MEDIA_PATH"):
        if restored_settings[name] != current_settings[name]:
            return f"The settings of the backup were not restored, because they name another {name}."
    files.replace(restored, current)
    return "The settings of the backup were restored."
