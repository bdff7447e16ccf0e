"""Brings the media files of a backup back into the media folder."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from blogapi.backups import archive, media_list
from blogapi.backups.manifest import MEDIA_LIST, Manifest, MediaPlace
from blogapi.backups.media_list import MissingFile
from blogapi.backups.media_store import MediaStore
from blogapi.cli import ProgressReporter
from blogapi.media import stored_files
from blogapi.media.folder import MediaFolder
from blogapi.media.stored_files import StoredFile
from blogapi.web.errors import Conflict

_EXAMPLES = 3


class MediaFiles(Protocol):
    """The media files of a backup."""

    def contains(self, file: StoredFile) -> bool:
        """Return whether the file is there; it can be damaged."""

    def copy(self, file: StoredFile, target: IO[bytes] | None) -> bool:
        """Copy a file to the target, if there is one; return whether it is intact."""


@dataclass(frozen=True, slots=True)
class BackupMedia:
    """The media files of an unpacked backup: those that its database refers to, and where they are."""

    path: Path
    place: MediaPlace
    files: Collection[StoredFile]
    source: MediaFiles
    # The files that were missing when the backup was made.
    known_missing: tuple[MissingFile, ...]

    def verify(self, progress: ProgressReporter) -> None:
        """Raise Conflict if a file of the backup is missing or damaged."""
        if self.place is not MediaPlace.NONE:
            expected = self._expected()
            checked = progress(expected, total=len(expected), label="Checking media files")
            self._refuse([file for file in checked if not self._check(file)])

    def restore(
        self, folder: MediaFolder, *, allow_missing: bool, progress: ProgressReporter
    ) -> tuple[MissingFile, ...]:
        """Copy the files that are missing or damaged in the media folder; return those that stay so.

        No file is deleted. Raises Conflict if the backup lacks a file that it should have, unless missing
        files are allowed.
        """
        checked = progress(sorted(self.files), total=len(self.files), label="Checking media files")
        faults = {file: fault for file in checked if (fault := _find_fault(folder, file, read=True))}
        if not allow_missing and self.place is not MediaPlace.NONE:
            self._refuse([file for file in self._expected() if file in faults and not self._contains(file)])
        to_copy = [file for file in faults if self._contains(file)]
        for file in progress(to_copy, total=len(to_copy), label="Restoring media files"):
            if self._copy(file, folder):
                del faults[file]
            elif not allow_missing:
                self._refuse([file])
        return tuple(MissingFile(file.path, file.label, fault) for file, fault in faults.items())

    def restore_deleted(self, folder: MediaFolder) -> None:
        """Copy again the files that the service deleted because the former database did not refer to them."""
        for file in self.files:
            if _find_fault(folder, file, read=False) and self._contains(file):
                self._copy(file, folder)

    def _expected(self) -> list[StoredFile]:
        missing = {file.path for file in self.known_missing}
        return [file for file in sorted(self.files) if file.path not in missing]

    def _contains(self, file: StoredFile) -> bool:
        return self.source.contains(file)

    def _check(self, file: StoredFile) -> bool:
        return self._contains(file) and self.source.copy(file, None)

    def _copy(self, file: StoredFile, folder: MediaFolder) -> bool:
        return stored_files.write_file(folder.root, file, lambda target: self.source.copy(file, target))

    def _refuse(self, files: list[StoredFile]) -> None:
        if not files:
            return
        names = ", ".join(f"{file.path} ({file.label})" for file in files[:_EXAMPLES])
        more = ", …" if len(files) > _EXAMPLES else ""
        where = f"in the folder {MediaStore(self.path.parent).root}, which belongs to this backup"
        raise Conflict(
            f"{self.path} cannot be restored completely: {len(files)} media files are missing or damaged "
            f"{where if self.place is MediaPlace.FOLDER else 'in it'} ({names}{more}). "
            "`restore --allow-missing-media` restores the rest."
        )


def _find_fault(folder: MediaFolder, file: StoredFile, *, read: bool) -> str:
    return stored_files.find_fault(folder.get_path(file.hash, file.extension), file, read=read)


@contextmanager
def open_media(
    path: Path, manifest: Manifest, unpacked: Path, files: Collection[StoredFile]
) -> Iterator[BackupMedia]:
    """Yield the media files of a backup; raises InvalidBackup if the backup is damaged."""
    place = MediaPlace(manifest.media.place)
    listed = unpacked / MEDIA_LIST
    missing = media_list.parse(listed.read_bytes()).missing if listed.is_file() else ()
    if place is MediaPlace.FILE:
        with archive.open_media(path) as members:
            yield BackupMedia(path, place, files, members, missing)
    else:
        # A copy of a database without media files can be beside daily backups that have them.
        yield BackupMedia(path, place, files, MediaStore(path.parent), missing)
