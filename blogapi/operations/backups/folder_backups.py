"""Backups in a folder, which share their media files, and the deletion of the oldest of these backups."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from blogapi.cli import ProgressReporter, hide_progress
from blogapi.operations.backups import naming, service
from blogapi.operations.backups.media_store import MediaStore, PruneResult
from blogapi.operations.backups.naming import BackupKind
from blogapi.storage import files


@dataclass(frozen=True, slots=True)
class DeletedBackups:
    """The paths of the deleted backups, and the result of deleting media files that no backup needs."""

    paths: list[Path] = field(default_factory=list)
    media: PruneResult = field(default_factory=PruneResult)


def create_folder_backup(
    instance: Path,
    target: Path,
    kind: BackupKind,
    *,
    keep: int | None,
    progress: ProgressReporter = hide_progress,
) -> tuple[service.Backup, DeletedBackups]:
    """Write a backup into a folder; delete the oldest backups of its kind, except `keep` (None: keep all)."""
    with service.convert_errors(target):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        store = MediaStore(target.parent)
        with store.lock():
            backup = service.create_backup(instance, target, store=store, progress=progress)
            files.delete_abandoned_files(target.parent)
            if keep is None:
                return backup, DeletedBackups()
            deleted = _delete_old_backups(target.parent, kind, keep=keep, created=target)
            return backup, DeletedBackups(deleted, store.delete_unneeded_files())


def _delete_old_backups(folder: Path, kind: BackupKind, *, keep: int, created: Path) -> list[Path]:
    """Delete the oldest backups of a kind so that `keep` remain, including `created`; return their paths.

    A backup whose name was chosen by a user has no kind and is never deleted. Backups with a later time than
    `created` are not counted; they were made while the clock was ahead. Windows cannot delete a backup that
    is being downloaded; a later call deletes it.
    """
    deleted = []
    same_kind = [path for path in folder.iterdir() if naming.find_backup_kind(path.name) is kind]
    older = [path for path in same_kind if path.name < created.name]
    for path in sorted(older)[: max(len(older) - (keep - 1), 0)]:
        with suppress(PermissionError):
            path.unlink(missing_ok=True)
            deleted.append(path)
    return deleted
