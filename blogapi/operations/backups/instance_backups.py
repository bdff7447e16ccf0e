"""Lists, creates, checks and deletes the backups in the instance folder, for the API."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from blogapi import clock
from blogapi.operations.backups import archive, backup_command, naming, restoring, service, status
from blogapi.operations.backups.manifest import InvalidBackup, MediaPlace
from blogapi.operations.backups.media_store import MediaStore
from blogapi.operations.backups.naming import BackupKind
from blogapi.storage import files
from blogapi.web.errors import Conflict, NotFound, Problem

# The number of manual backups is limited, because each contains all media files.
MAX_MANUAL_BACKUPS = 20

_LOCK_NAME = ".http.lock"


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """A backup in the instance folder; a file that is not `readable` is damaged or is not a backup.

    `has_media` is whether the file contains the media files of the backup; otherwise they are in the folder
    `media` beside the file. `missing` is the number of media files that could not be saved.
    """

    name: str
    size: int
    created: datetime
    kind: str
    has_media: bool
    missing: int
    readable: bool = True


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Whether a backup can be restored (if not, `detail` says why), and what it contains."""

    ok: bool
    detail: str
    articles: int
    media: int
    missing: int


def list_backups(instance: Path) -> list[StoredBackup]:
    """Return the backups with names that blogapi has chosen, newest first."""
    folder = instance / "backups"
    backups = [
        _read_backup(path, kind, stat)
        for path, stat in files.read_file_statuses(folder.iterdir() if folder.is_dir() else ())
        if (kind := naming.find_backup_kind(path.name)) and S_ISREG(stat.st_mode)
    ]
    return sorted(backups, key=lambda backup: (backup.created, backup.name), reverse=True)


def create_backup(instance: Path) -> StoredBackup:
    """Write a backup with all media files into the instance folder, and run BACKUP_COMMAND for the backup."""
    target = instance / "backups" / naming.make_manual_backup_name(clock.now())
    with _shorten_paths(instance), _lock_folder(target.parent):
        manual = [
            path
            for path in target.parent.iterdir()
            if naming.find_backup_kind(path.name) is BackupKind.MANUAL
        ]
        if len(manual) >= MAX_MANUAL_BACKUPS:
            raise Conflict(
                f"There are {len(manual)} manual backups already; delete one first.", code="too_many_backups"
            )
        with status.record_attempt(instance):
            service.create_backup(instance, target)
        files.delete_abandoned_files(target.parent)
    # While BACKUP_COMMAND runs, other backups can be made, checked and deleted.
    with _shorten_paths(instance), status.record_attempt(instance):
        backup_command.run_backup_command(instance, target)
    return _read_backup(target, BackupKind.MANUAL, target.stat())


def get_backup_path(instance: Path, name: str) -> Path:
    """Return the path of a backup; raises NotFound if there is no backup with this name."""
    path = instance / "backups" / name
    if naming.find_backup_kind(name) is None or not path.is_file():
        raise NotFound("There is no backup with this name.")
    return path


def verify_backup(instance: Path, name: str) -> VerificationResult:
    """Check a backup by restoring it into a temporary folder or database, and check its media files."""
    path = get_backup_path(instance, name)
    with _lock_folder(path.parent):
        try:
            with _shorten_paths(instance):
                backup = restoring.verify_backup(path, instance)
        except Conflict as error:
            return VerificationResult(False, error.detail, 0, 0, 0)
    manifest = backup.manifest
    articles, media = manifest.rows.get("article", 0), manifest.media
    detail = service.NOT_RESTORED_REASON if backup.is_only_read else "can be restored"
    return VerificationResult(True, f"The backup {detail}.", articles, media.files, media.missing)


def delete_backup(instance: Path, name: str) -> None:
    """Delete a backup, and the media files beside it that no other backup needs.

    Raises NotFound if there is no such backup, and Conflict for a daily backup, because the service itself
    deletes old daily backups.
    """
    path = get_backup_path(instance, name)
    if naming.find_backup_kind(name) is BackupKind.DAILY:
        raise Conflict("Daily backups are deleted automatically; DAILY_BACKUPS sets how many are kept.")
    store = MediaStore(path.parent)
    with _shorten_paths(instance), service.convert_errors(path), _lock_folder(path.parent), store.lock():
        path.unlink(missing_ok=True)
        store.delete_unneeded_files()


def _read_backup(path: Path, kind: BackupKind, stat: os.stat_result) -> StoredBackup:
    try:
        manifest = archive.read_manifest(path)
    except (InvalidBackup, OSError):
        created = datetime.fromtimestamp(stat.st_mtime, UTC)
        return StoredBackup(path.name, stat.st_size, created, kind.name.lower(), False, 0, readable=False)
    media = manifest.media
    return StoredBackup(
        name=path.name,
        size=stat.st_size,
        created=datetime.fromisoformat(manifest.created).astimezone(UTC),
        kind=kind.name.lower(),
        has_media=media.place == MediaPlace.FILE or not media.files + media.missing,
        missing=media.missing,
    )


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    with service.convert_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with files.lock_file(folder / _LOCK_NAME) as held:
        if not held:
            raise Conflict(
                "Another backup is being made, checked or deleted. Wait until it has finished.",
                code="backup_running",
            )
        yield


@contextmanager
def _shorten_paths(instance: Path) -> Iterator[None]:
    """In error messages, replace the path of the instance folder with its name.

    Admins see these messages in a browser, and need not know the full path.
    """
    try:
        yield
    except Problem as error:
        error.detail = error.detail.replace(str(instance), instance.name)
        raise
