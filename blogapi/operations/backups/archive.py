"""Reads and writes backup files, which are zip archives."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from blogapi.cli import ProgressReporter, hide_progress
from blogapi.content.media import stored_files
from blogapi.content.media.stored_files import StoredFile
from blogapi.operations.backups.manifest import (
    DATABASE_FILE_NAMES,
    MANIFEST_FILE,
    MEDIA_LIST_FILE,
    SETTINGS_FILE,
    InvalidBackup,
    Manifest,
    MediaList,
    MediaPlace,
    parse_manifest,
    parse_media_list,
)
from blogapi.site.theme_files import is_theme_path
from blogapi.storage import files

_CHUNK_SIZE = 1024 * 1024

# The name of the folder of media files: inside a backup, or beside the backups in a folder.
MEDIA_FOLDER = "media"

# Level 1 compresses 134 MB (5000 articles) to 56 MB in 4.5 s, level 6 to 52 MB in 12.6 s.
_COMPRESSION_LEVEL = 1

_COMPRESSION_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# The maximum sizes of files that are read into memory; the list has 90 bytes for each of a million files.
_MAX_FILE_SIZES = {MANIFEST_FILE: 2**20, SETTINGS_FILE: 2**20, MEDIA_LIST_FILE: 100 * 2**20}
# Enough for an entry of about 170 bytes for each file that the list of media files can contain.
_MAX_DIRECTORY_BYTES = 200 * 2**20

ARCHIVE_READ_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    RuntimeError,
    NotImplementedError,
    EOFError,
    ValueError,
)


def create_archive(target: Path) -> zipfile.ZipFile:
    """Return an archive that is written into the empty file `target`."""
    return zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL)


def add_media_file(archive: zipfile.ZipFile, source: IO[bytes], file: StoredFile) -> bool:
    """Add a media file; return whether it has the right size and digest."""
    # A `ZipInfo` makes an entry without compression, because most media files are compressed already.
    info = zipfile.ZipInfo(f"{MEDIA_FOLDER}/{file.path}")
    with archive.open(info, "w", force_zip64=True) as target:
        return stored_files.copy_and_verify_file(source, file, target)


def add_file(archive: zipfile.ZipFile, name: str, path: Path, progress: ProgressReporter) -> None:
    """Add the file at `path` to the archive under this name, and report the progress."""
    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
        _copy_chunks(source, target.write, path.stat().st_size, progress, f"Packing {name}")


def add_manifest_and_media_list(archive: zipfile.ZipFile, manifest: Manifest, media: MediaList) -> None:
    """Add the manifest and, if there are any media files, their list."""
    if media.list_paths():
        archive.writestr(MEDIA_LIST_FILE, media.to_json())
    archive.writestr(MANIFEST_FILE, manifest.to_json())


def unpack_backup(path: Path, folder: Path, *, progress: ProgressReporter = hide_progress) -> Manifest:
    """Unpack a backup without its media files into the folder and return its manifest.

    Raises InvalidBackup if the file is damaged.
    """
    with open_archive(path) as archive:
        manifest = _read_manifest(archive)
        names = {it for it in archive.namelist() if not it.startswith(f"{MEDIA_FOLDER}/")} - {MANIFEST_FILE}
        database = DATABASE_FILE_NAMES[manifest.database]
        known_names = {database, SETTINGS_FILE, MEDIA_LIST_FILE, *filter(is_theme_path, names)}
        if unknown := names - known_names:
            raise InvalidBackup(f"it contains the unknown file {min(unknown)!r}")
        for name in names:
            (folder / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.create_private_file(folder / name)
            with archive.open(name) as source, (folder / name).open("wb") as target:
                _copy_chunks(
                    source, target.write, archive.getinfo(name).file_size, progress, f"Unpacking {name}"
                )
        if not (folder / database).exists():
            raise InvalidBackup("it contains no database")
        return manifest


def read_manifest(path: Path) -> Manifest:
    """Return the manifest; raises InvalidBackup if the manifest or the list of media files is damaged."""
    with open_archive(path) as archive:
        manifest = _read_manifest(archive)
        _read_media_list(archive)
        return manifest


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    if MANIFEST_FILE not in archive.namelist():
        raise InvalidBackup("it is not a complete backup of blogapi")
    with archive.open(MANIFEST_FILE) as source:
        # Without a limit, Python would unpack all bytes before it checks the size in the header.
        return parse_manifest(source.read(_MAX_FILE_SIZES[MANIFEST_FILE]))


def read_media_paths(path: Path) -> set[str]:
    """Return the paths of a backup's media files that are in the folder `media` beside the backup.

    The set is empty for a zip file of another program. Raises InvalidBackup if the file cannot be read.
    """
    with open_archive(path) as archive:
        if MANIFEST_FILE not in archive.namelist():
            return set()
        is_beside = _read_manifest(archive).media.place == MediaPlace.FOLDER
        return _read_media_list(archive).list_paths() if is_beside else set()


def _read_media_list(archive: zipfile.ZipFile) -> MediaList:
    if MEDIA_LIST_FILE not in archive.namelist():
        return MediaList({}, ())
    with archive.open(MEDIA_LIST_FILE) as source:
        return parse_media_list(source.read(_MAX_FILE_SIZES[MEDIA_LIST_FILE]))


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Yield the archive; raises InvalidBackup if it cannot be read."""
    if not zipfile.is_zipfile(path):
        raise InvalidBackup("it is not a complete backup of blogapi")
    try:
        # `ZipFile` reads the whole directory of an archive, which takes 600 MB for a million files.
        with path.open("rb") as file:
            if (end := zipfile._EndRecData(file)) and end[5] > _MAX_DIRECTORY_BYTES:  # type: ignore[attr-defined]
                raise InvalidBackup("it contains too many files")
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                # With other compression methods, Python unpacks more bytes than a read asks for.
                is_known = info.compress_type in _COMPRESSION_METHODS
                limit = _MAX_FILE_SIZES.get(info.filename, info.file_size) if is_known else 0
                if info.file_size > limit:
                    raise InvalidBackup(f"its file {info.filename} is too large or has unknown compression")
            yield archive
    except ARCHIVE_READ_ERRORS as error:
        raise InvalidBackup("it is damaged") from error


def _copy_chunks(
    source: IO[bytes], write: Callable[[bytes], object], size: int, progress: ProgressReporter, label: str
) -> None:
    starts = range(0, size, _CHUNK_SIZE)
    for start in progress(starts, total=len(starts), label=f"{label} (MB)"):
        write(source.read(min(_CHUNK_SIZE, size - start)))
