"""Unpack the zip files to import. They come from other systems and are not trusted."""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from flask import current_app

from blogapi.importing.format_api.source_files import MAX_FILE_BYTES, MAX_OUTER_FOLDERS
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.messages import DISK_FULL
from blogapi.storage import files
from blogapi.storage.disk_errors import is_disk_full_error

# Large blogs have 10,000 articles with several pictures each. Each file in a zip takes 1 kB of memory.
MAX_ENTRIES = 100_000
MAX_UNPACKED_BYTES = 64 * 1024**3
# An export can be one file with all articles. Readers stream it, so that memory does not limit its size.
MAX_EXPORT_BYTES = 4 * 1024**3
_EXPORT_SUFFIXES = {".xml", ".json", ".atom"}
# Text compresses to about 1/5, the most repetitive XML to 1/50; the limit of Deflate is 1/1000.
MAX_COMPRESSION_RATIO = 200
_MIN_RATIO_CHECK_BYTES = 100 * 1024**2
# The space that unpacking leaves free on the disk for the database and other programs.
_RESERVED_BYTES = 256 * 1024**2
_MAX_FOLDER_DEPTH = 64
_CHUNK_BYTES = 1024 * 1024
_FOLDER_PREFIX = "unpacked-"

_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_UTF8_NAME_FLAG, _ENCRYPTION_FLAGS = 0x800, 0x1 | 0x40
_SUPPORTED_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# Files that macOS and Windows add to folders.
_SYSTEM_FILE = re.compile(
    r"(?:^|/)(?:__MACOSX(?:/|$)|(?:\.DS_Store|Thumbs\.db|desktop\.ini)$)", re.IGNORECASE
)
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")
_WINDOWS_NAME = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ ]*(?:\.|$)", re.IGNORECASE
)
_ARCHIVE_NAME = re.compile(r"\.(?:zip|tar|tgz|gz|bz2|xz|zst|7z|rar)$", re.IGNORECASE)
_READ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
_OPEN_ERRORS = (*_READ_ERRORS, OverflowError, IndexError, struct.error, OSError)


class _SkippedEntry(Exception):
    """Raised for an entry that is not unpacked; the message is the reason."""


def get_import_folder() -> Path:
    """Return the folder for unpacked archives and for imports over HTTP, which may be missing."""
    return Path(current_app.instance_path) / "imports"


def is_archive(path: Path) -> bool:
    """Return whether the content of a file is a zip; False for folders and unreadable files.

    Raises RefusedFile if the file has the suffix of an archive but is not a zip.
    """
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(4)
    except OSError:
        return False
    if head in _ZIP_SIGNATURES:
        return True
    if _ARCHIVE_NAME.search(path.name):
        raise RefusedFile("It is not a zip archive; unpack it first and import the folder.")
    return False


@contextmanager
def open_archive(path: Path, into: Path, *, max_media_bytes: int = 0) -> Iterator[tuple[Path, list[str]]]:
    """Unpack a zip file into a private folder in `into`; delete this folder at the end.

    Yields the folder with the files, which has the name of the zip file, and a sentence for each reason why
    files were skipped. `max_media_bytes` can raise the size limit of all files but exports. Also deletes the
    folders that killed processes have left. Raises RefusedFile if the zip file is damaged or encrypted, or if
    its files take more space than the limits allow.
    """
    into.mkdir(mode=0o700, exist_ok=True)
    delete_abandoned_folders(into)
    with files.create_temporary_folder(into, _FOLDER_PREFIX) as root:
        # Readers look for other files of the blog in outer folders. The outer folders of an unpacked archive
        # are empty, so that no foreign file is found.
        outer = root.joinpath(*["_"] * (MAX_OUTER_FOLDERS - 1))
        folder = outer / (path.stem.rstrip(". ") or "archive")
        folder.mkdir(mode=0o700, parents=True)
        yield folder, _unpack_archive(path, folder, max_media_bytes)


def delete_abandoned_folders(folder: Path) -> None:
    """Delete the unpacked archives that killed processes have left in the folder."""
    files.delete_temporary_folders(folder, _FOLDER_PREFIX)


def _unpack_archive(path: Path, folder: Path, max_media_bytes: int) -> list[str]:
    skipped: dict[str, list[str]] = {}
    inner: list[str] = []
    try:
        opened = zipfile.ZipFile(path)
    except _OPEN_ERRORS as error:
        raise RefusedFile(
            "It is not a complete zip file; copy or download it again, or unpack it and import the folder."
        ) from error
    with opened as archive:
        entries = archive.infolist()
        _check_entries(entries, path, folder)
        for entry in entries:
            name = entry.orig_filename
            # Some programs write backslashes, or names in UTF-8 without the flag for UTF-8.
            if not entry.flag_bits & _UTF8_NAME_FLAG:
                with suppress(UnicodeError):
                    name = name.encode("cp437").decode("utf-8")
            name = name.replace("\\", "/")
            if not name or name.endswith("/") or _SYSTEM_FILE.search(name):
                continue
            if _ARCHIVE_NAME.search(name):
                inner.append(name)
            try:
                _check_entry(entry, name, max_media_bytes)
                _extract_entry(archive, entry, folder.joinpath(*name.split("/")))
            except _SkippedEntry as reason:
                skipped.setdefault(str(reason), []).append(name)
    notes = [f"{_describe_names(names)} skipped: {reason}" for reason, names in skipped.items()]
    if inner:
        notes.append(f"{_describe_names(inner)} not opened, because it is an archive; unpack and import it.")
    return notes


def _check_entries(entries: Sequence[zipfile.ZipInfo], path: Path, folder: Path) -> None:
    if len(entries) > MAX_ENTRIES:
        raise RefusedFile(
            f"It has {len(entries):,} files, more than {MAX_ENTRIES:,}; unpack it and import the folder."
        )
    if any(entry.flag_bits & _ENCRYPTION_FLAGS for entry in entries):
        raise RefusedFile("It is protected with a password; unpack it and import the folder.")
    if any(entry.compress_type not in _SUPPORTED_COMPRESSIONS for entry in entries):
        raise RefusedFile(
            "It is compressed with a method that is not supported; unpack it and import the folder."
        )
    total = sum(entry.file_size for entry in entries)
    if total > _MIN_RATIO_CHECK_BYTES and total > MAX_COMPRESSION_RATIO * path.stat().st_size:
        raise RefusedFile(
            f"It unpacks to {total:,} bytes, more than {MAX_COMPRESSION_RATIO} times its size, as a zip bomb "
            "does; unpack it and import the folder."
        )
    free = shutil.disk_usage(folder).free - _RESERVED_BYTES
    if total > min(free, MAX_UNPACKED_BYTES):
        raise RefusedFile(
            f"It unpacks to {total:,} bytes, more than {'fit on the disk' if total > free else 'allowed'}; "
            "unpack it elsewhere and import the folder."
        )


def _check_entry(entry: zipfile.ZipInfo, name: str, max_media_bytes: int) -> None:
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise _SkippedEntry("links and special files are not unpacked.")
    parts = name.split("/")
    is_outside = ".." in parts or name.startswith("/") or re.match("[A-Za-z]:", name)
    if is_outside or _CONTROL_CHARACTER.search(name):
        raise _SkippedEntry("the path leads out of the folder or has control characters.")
    if len(parts) > _MAX_FOLDER_DEPTH:
        raise _SkippedEntry(f"it is in more than {_MAX_FOLDER_DEPTH} folders.")
    if os.name == "nt" and not all(map(is_allowed_on_windows, filter(None, parts))):
        raise _SkippedEntry("Windows does not allow the name; rename it on another system.")
    is_export = Path(name).suffix.casefold() in _EXPORT_SUFFIXES
    limit = MAX_EXPORT_BYTES if is_export else max(max_media_bytes, MAX_FILE_BYTES)
    if entry.file_size > limit:
        raise _SkippedEntry(f"it has more than {limit:,} bytes.")


def is_allowed_on_windows(name: str) -> bool:
    """Return whether Windows accepts the name of a file and keeps it unchanged."""
    return not (_WINDOWS_NAME.match(name) or re.search(r'[<>:"|?*]|[. ]$', name))


def _extract_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> None:
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Never overwrite a file: the archive can contain a name twice, also in other letter case, which
        # disks of Windows and macOS treat as the same name.
        files.create_private_file(target)
    except FileExistsError as error:
        raise _SkippedEntry("a file or folder of the same name is there already.") from error
    except (OSError, ValueError) as error:
        if is_disk_full_error(error):
            raise RefusedFile(DISK_FULL) from error
        raise _SkippedEntry("this system cannot store a file with this path.") from error
    try:
        with target.open("wb") as output, archive.open(entry) as source:
            # `zipfile` reads at most the size that the entry declares, and then compares the checksum.
            shutil.copyfileobj(source, output, _CHUNK_BYTES)
    except (*_READ_ERRORS, OSError) as error:
        target.unlink(missing_ok=True)
        if is_disk_full_error(error):
            raise RefusedFile(DISK_FULL) from error
        raise _SkippedEntry("it is damaged; unpack it with another program.") from error


def _describe_names(names: Sequence[str]) -> str:
    """Return the start of a sentence: `“a.md” was`, or `“a.md” and 2 more were`."""
    first = _CONTROL_CHARACTER.sub("?", names[0].encode(errors="replace").decode())[:100]
    return f"“{first}” was" if len(names) == 1 else f"“{first}” and {len(names) - 1:,} more were"
