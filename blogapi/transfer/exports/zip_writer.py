"""Writes an export into a zip archive, whose bytes depend only on its files."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blogapi.media.stored_files import copy_intact, find_fault
from blogapi.storage import files
from blogapi.transfer.exports import manifest
from blogapi.transfer.exports.export_files import MediaFile, TextFile
from blogapi.transfer.exports.results import ExportReport, FileResult

# The permissions -rw-r--r-- of a regular file, in the form of zip archives of Unix.
_UNIX, _MODE = 3, 0o100644 << 16


class ZipWriter:
    """Writes files into an archive; `media` is the media folder of the blog."""

    def __init__(self, archive: zipfile.ZipFile, media: Path, report: ExportReport) -> None:
        self._archive, self._media, self._report = archive, media, report
        self._digests: dict[str, str] = {}

    def write(self, file: TextFile | MediaFile) -> None:
        """Add a file to the archive; texts are compressed, media files are stored as they are."""
        if isinstance(file, TextFile):
            self._archive.writestr(_make_info(file.path), file.content, zipfile.ZIP_DEFLATED)
            self._digests[file.path] = hashlib.sha256(file.content).hexdigest()
        elif not self._add_media(file):
            return
        self._report.files[FileResult.WRITTEN] += 1

    def _add_media(self, file: MediaFile) -> bool:
        source, info = self._media / file.stored.path, _make_info(file.path)
        # A file cannot be taken out of the archive again, so it is checked before.
        if fault := find_fault(source, file.stored):
            self._report.refuse(file.path, f"It is {fault} in the media folder; `doctor` says what to do.")
            return False
        info.file_size = file.stored.size
        with source.open("rb") as content, self._archive.open(info, "w") as target:
            copy_intact(content, file.stored, target)
        self._digests[file.path] = file.stored.hash
        return True

    def finish(self, manifest_name: str) -> None:
        """Add the list of files."""
        self._archive.writestr(_make_info(manifest_name), manifest.format_manifest(self._digests))


@contextmanager
def open_zip(target: Path, media: Path, report: ExportReport, manifest_name: str) -> Iterator[ZipWriter]:
    """Yield a writer; the archive gets its name when it is complete."""
    with files.partial_file(target) as partial:
        with zipfile.ZipFile(partial, "w") as archive:
            writer = ZipWriter(archive, media, report)
            yield writer
            writer.finish(manifest_name)
        files.replace(partial, target)


def _make_info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.create_system, info.external_attr = _UNIX, _MODE
    return info
