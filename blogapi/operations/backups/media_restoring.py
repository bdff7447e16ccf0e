"""Copies the media files of a backup into the media folder."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zipfile import Path as ZipPath
from zipfile import ZipFile

from blogapi.cli import ProgressReporter
from blogapi.content.media import stored_files
from blogapi.content.media.folder import MediaFolder
from blogapi.content.media.stored_files import StoredFile
from blogapi.operations.backups.archive import ARCHIVE_READ_ERRORS, MEDIA_FOLDER
from blogapi.operations.backups.manifest import (
    MEDIA_LIST_FILE,
    Manifest,
    MediaPlace,
    MissingFile,
    parse_media_list,
)
from blogapi.web.errors import Conflict

_MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class BackupMedia:
    """The media files of an unpacked backup.

    `files` are the media files that the database of the backup names; for a dump, the files in the list of
    the backup. `root` is the folder that contains the files.
    """

    path: Path
    place: MediaPlace
    files: Collection[StoredFile]
    root: Path | ZipPath
    # The files that could not be saved when the backup was made.
    known_missing: tuple[MissingFile, ...]

    def verify_files(self, progress: ProgressReporter) -> None:
        """Raise Conflict if a file of the backup is missing or damaged."""
        expected = self._list_expected_files()
        checked = progress(expected, total=len(expected), label="Checking media files")
        self._refuse_faulty_files([file for file in checked if not copy_intact_file(self.root, file, None)])

    def restore_files(
        self, folder: MediaFolder, *, allow_missing: bool, progress: ProgressReporter
    ) -> tuple[MissingFile, ...]:
        """Copy files that are missing or damaged in the media folder; return files that cannot be copied.

        No file is deleted. Unless `allow_missing` is set, raises Conflict if the backup lacks a file.
        """
        checked = progress(sorted(self.files), total=len(self.files), label="Checking media files")
        faults = {file: fault for file in checked if (fault := _find_fault(folder, file, full=True))}
        for file in progress(list(faults), total=len(faults), label="Restoring media files"):
            if copy_file_if_intact(self.root, file, folder.root):
                del faults[file]
        if not allow_missing:
            self._refuse_faulty_files([file for file in self._list_expected_files() if file in faults])
        lost = (file for file in self.known_missing if not (folder.root / file.path).is_file())
        faulty = (MissingFile(file.path, file.label, fault) for file, fault in faults.items())
        return tuple({file.path: file for file in (*lost, *faulty)}.values())

    def restore_deleted_files(self, folder: MediaFolder) -> None:
        """Copy again the files that a running service has deleted during the restore.

        The service deletes files to which the former database does not refer.
        """
        for file in self.files:
            if _find_fault(folder, file, full=False):
                copy_file_if_intact(self.root, file, folder.root)

    def _list_expected_files(self) -> list[StoredFile]:
        if self.place is MediaPlace.NONE:
            return []
        missing = {file.path for file in self.known_missing}
        return [file for file in sorted(self.files) if file.path not in missing]

    def _refuse_faulty_files(self, files: list[StoredFile]) -> None:
        if not files:
            return
        names = ", ".join(f"{file.path} ({file.label})" for file in files[:_MAX_EXAMPLES])
        more = ", …" if len(files) > _MAX_EXAMPLES else ""
        location = f"in the folder {self.root}, which belongs to this backup"
        raise Conflict(
            f"{self.path} cannot be restored completely: {len(files)} media files are missing or damaged "
            f"{location if self.place is MediaPlace.FOLDER else 'in it'} ({names}{more}). "
            "`restore --allow-missing-media` restores the rest."
        )


def copy_file_if_intact(source: Path | ZipPath, file: StoredFile, root: Path) -> bool:
    """Copy a file into the media folder `root` if the source file is intact; return whether it was copied."""
    if not (source / file.path).is_file():
        return False
    return stored_files.write_stored_file(root, file, lambda target: copy_intact_file(source, file, target))


def copy_intact_file(source: Path | ZipPath, file: StoredFile, target: IO[bytes] | None) -> bool:
    """Copy a file to the target (None: only check the file); return whether the source file is intact."""
    try:
        with (source / file.path).open("rb") as opened:
            return stored_files.copy_and_verify_file(opened, file, target)
    except (FileNotFoundError, *ARCHIVE_READ_ERRORS):
        return False


def _find_fault(folder: MediaFolder, file: StoredFile, *, full: bool) -> str:
    return stored_files.find_fault(folder.get_path(file.hash, file.extension), file, full=full)


@contextmanager
def open_backup_media(
    path: Path, manifest: Manifest, folder: Path, files: Collection[StoredFile] | None
) -> Iterator[BackupMedia]:
    """Yield the media files of an unpacked backup: `files`, or by default all files in the backup's list."""
    place = MediaPlace(manifest.media.place)
    list_path = folder / MEDIA_LIST_FILE
    media_list = parse_media_list(list_path.read_bytes()) if list_path.is_file() else None
    missing = media_list.missing if media_list else ()
    if files is None:
        files = media_list.list_saved_files() if media_list else []
    if place is MediaPlace.FILE:
        with ZipFile(path) as archive:
            yield BackupMedia(path, place, files, ZipPath(archive, f"{MEDIA_FOLDER}/"), missing)
    else:
        # A plain copy of a database has no media files, but backups in the same folder may have them.
        yield BackupMedia(path, place, files, path.parent / MEDIA_FOLDER, missing)
