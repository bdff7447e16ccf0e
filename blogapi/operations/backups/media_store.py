"""The folder `media` beside the backups in a folder; it stores each media file once for all backups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from blogapi.content.media import stored_files
from blogapi.content.media.stored_files import StoredFile
from blogapi.operations.backups import archive
from blogapi.operations.backups.archive import MEDIA_FOLDER
from blogapi.operations.backups.manifest import InvalidBackup
from blogapi.storage import files
from blogapi.web.errors import Conflict

_LOCK_NAME = ".media.lock"

# A folder `media` without this file was not created for backups; it may be the media folder of a blog.
_MARKER_FILE = "README.txt"
_MARKER_TEXT = (
    "The media files of the backups in the folder above. Move and copy both together.\n"
    "`backup --keep` deletes the files here that no backup in the folder above needs.\n"
)


@dataclass(frozen=True, slots=True)
class PruneResult:
    """The number of deleted files: 0 if a backup is `unreadable`, because that backup may need any file."""

    files: int = 0
    unreadable: Path | None = None


class MediaStore:
    """The folder with the media files of the backups in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / MEDIA_FOLDER

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for the `with` block; raises Conflict while another backup uses the folder."""
        with files.lock_file(self.folder / _LOCK_NAME) as held:
            if not held:
                raise Conflict(f"Another backup into {self.folder} is running. Wait until it has finished.")
            yield

    def contains_file(self, file: StoredFile) -> bool:
        """Return whether the folder has the file with the right size; its content is not checked."""
        return stored_files.find_fault(self.root / file.path, file, full=False) == ""

    def refuse_foreign_folder(self, media_folder: Path) -> None:
        """Raise Conflict if `root` is the blog's media folder, or has files of another program."""
        if self.root.resolve() == media_folder.resolve() or (
            self.root.exists() and not (self.root / _MARKER_FILE).is_file() and any(self.root.iterdir())
        ):
            raise Conflict(f"{self.root} was not created for backups; name another folder for the backups.")

    def add_file(self, source: IO[bytes], file: StoredFile) -> bool:
        """Store a file if its size and digest are right, and return True; otherwise return False."""
        if not (self.root / _MARKER_FILE).is_file():
            self.root.mkdir(mode=0o700, exist_ok=True)
            (self.root / _MARKER_FILE).write_text(_MARKER_TEXT, encoding="utf-8")
        return stored_files.write_stored_file(
            self.root, file, lambda target: stored_files.copy_and_verify_file(source, file, target)
        )

    def delete_unneeded_files(self) -> PruneResult:
        """Delete the files that no backup in the folder needs, unless a backup cannot be read."""
        if not (self.root / _MARKER_FILE).is_file():
            return PruneResult()
        needed: set[str] = set()
        for path in self.folder.iterdir():
            if path.suffix.lower() == ".zip":
                try:
                    needed |= archive.read_media_paths(path)
                except (InvalidBackup, OSError):
                    return PruneResult(unreadable=path)
        deleted = 0
        for path in list(stored_files.list_stored_paths(self.root)):
            if path.relative_to(self.root).as_posix() not in needed:
                path.unlink()
                deleted += 1
                with suppress(OSError):
                    path.parent.rmdir()
        files.delete_abandoned_files(self.root)
        return PruneResult(deleted)
