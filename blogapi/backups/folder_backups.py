"""Backups in a folder, which share their media files; old ones are deleted when a newer one is made."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from blogapi.backups import naming, service
from blogapi.backups.media_store import MediaStore, Pruned
from blogapi.backups.naming import Kind
from blogapi.cli import ProgressReporter, no_progress
from blogapi.storage import files


@dataclass(frozen=True, slots=True)
class Rotation:
    """The deleted backups, and what was deleted from the media files beside them."""

    deleted: tuple[Path, ...] = ()
    media: Pruned = field(default_factory=Pruned)


def create_in_folder(
    home: Path, target: Path, kind: Kind, *, keep: int | None, progress: ProgressReporter = no_progress
) -> tuple[service.Backup, Rotation]:
    """Write a backup with its media files beside it; delete old ones so that `keep` of its kind remain."""
    with service.convert_errors(target):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        store = MediaStore(target.parent)
        with store.locked():
            backup = service.create_backup(home, target, store=store, progress=progress)
            if keep is None:
                return backup, Rotation()
            deleted = _rotate(target.parent, kind, keep=keep, created=target)
            return backup, Rotation(tuple(deleted), store.prune())


def _rotate(folder: Path, kind: Kind, *, keep: int, created: Path) -> list[Path]:
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
