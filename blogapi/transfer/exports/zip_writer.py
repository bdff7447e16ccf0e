"""Writes an export into a zip archive, whose bytes depend only on its files."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable
from pathlib import Path

from blogapi.media.stored_files import copy_intact, find_fault
from blogapi.storage import files
from blogapi.transfer.exports.export_files import MediaFile, TextFile, format_manifest
from blogapi.transfer.exports.results import ExportReport, FileResult

# The permissions -rw-r--r-- of a regular file, in the form of zip archives of Unix.
_UNIX, _MODE = 3, 0o100644 << 16


def write_zip(
    items: Iterable[TextFile | MediaFile], target: Path, media: Path, report: ExportReport, manifest: str
) -> None:
    """Write files and the list of them, `manifest`, into an archive; `media` is the media folder of the blog.

    Texts are compressed, media files are stored as they are. The archive gets its name when it is complete.
    """
    digests: dict[str, str] = {}
    with files.partial_file(target) as partial:
        with zipfile.ZipFile(partial, "w") as archive:
            for file in items:
                if isinstance(file, TextFile):
                    archive.writestr(_make_info(file.path), file.content, zipfile.ZIP_DEFLATED)
                    digests[file.path] = hashlib.sha256(file.content).hexdigest()
                elif _add_media(archive, file, media, report):
                    digests[file.path] = file.stored.hash
            archive.writestr(_make_info(manifest), format_manifest(digests))
        files.replace(partial, target)
    report.files[FileResult.WRITTEN] += len(digests)


def _add_media(archive: zipfile.ZipFile, file: MediaFile, media: Path, report: ExportReport) -> bool:
    source, info = media / file.stored.path, _make_info(file.path)
    # A file cannot be taken out of the archive again, so it is checked before.
    if fault := find_fault(source, file.stored):
        report.refuse(file.path, f"It is {fault} in the media folder; `doctor` says what to do.")
        return False
    info.file_size = file.stored.size
    with source.open("rb") as content, archive.open(info, "w") as target:
        copy_intact(content, file.stored, target)
    return True


def _make_info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.create_system, info.external_attr = _UNIX, _MODE
    return info
