"""Saves the media files of a running blog, in a backup or beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import IO

from blogapi.backups.media_list import MediaList, MissingFile
from blogapi.cli import ProgressReporter
from blogapi.media import stored_files
from blogapi.media.folder import MediaFolder
from blogapi.media.stored_files import StoredFile
from blogapi.web.errors import Conflict


class MediaSaver:
    """Saves media files, and remembers which files were saved and which could not be."""

    def __init__(
        self,
        folder: MediaFolder,
        write: Callable[[IO[bytes], StoredFile], bool],
        contains: Callable[[StoredFile], bool],
        progress: ProgressReporter,
    ) -> None:
        self._folder, self._write, self._contains, self._progress = folder, write, contains, progress
        self._saved: set[StoredFile] = set()
        self._faults: dict[StoredFile, str] = {}

    def save(self, files: Collection[StoredFile]) -> bool:
        """Save those files that are not saved yet; return whether all others were known to be missing.

        A file that was not known to be missing can have been deleted since its row was read.
        """
        known = self._faults.keys()
        self._faults = {}
        to_save = sorted(set(files) - self._saved)
        for file in self._progress(to_save, total=len(to_save), label="Media files"):
            if fault := self._save(file):
                self._faults[file] = fault
            else:
                self._saved.add(file)
        return self._faults.keys() <= known

    def list_files(self, files: Collection[StoredFile]) -> MediaList:
        """Return which of these files were saved and which were not."""
        saved = {file.path: file.size for file in sorted(files) if file in self._saved}
        missing = [MissingFile(file.path, file.label, fault) for file, fault in self._faults.items()]
        return MediaList(saved, tuple(missing))

    def _save(self, file: StoredFile) -> str:
        """Save a file; return what is wrong with it, or an empty string."""
        if self._contains(file):
            return ""
        path = self._folder.get_path(file.hash, file.extension)
        # A damaged file is recognised before anything is written. Errors of writing end the backup.
        if fault := stored_files.find_fault(path, file):
            return fault
        try:
            source = path.open("rb")
        except FileNotFoundError:
            return "missing"
        with source:
            if not self._write(source, file):
                raise Conflict(f"{path} changed during the backup; run the command again.")
        return ""
