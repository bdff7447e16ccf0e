"""Writes an export into a folder: only the files that have changed since the last export.

`SHA256SUMS` says which files the last export has written. A file that has other contents belongs to the user
now and is neither replaced nor deleted, unless `overwrite` is true. Each file is written under a temporary
name and then renamed. While an export runs, it adds each file to the former list, so that the next export
recognises them if this one is interrupted.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO

from blogapi.media.stored_files import copy_intact
from blogapi.storage import files
from blogapi.transfer.exports.export_files import (
    DESCRIPTION,
    GIT_ATTRIBUTES,
    MediaFile,
    TextFile,
    format_line,
    format_manifest,
    parse_manifest,
)
from blogapi.transfer.exports.layouts import MANIFESTS
from blogapi.transfer.exports.results import CannotWrite, ExportReport, FileResult
from blogapi.web.errors import Conflict

_LOCK, _PARTIAL = ".blogapi-export.lock", ".blogapi-export.partial"
_OVERWRITE = "--overwrite replaces it"


class FolderWriter:
    """Writes the files of one export below `root`; `media` is the media folder of the blog."""

    def __init__(
        self,
        root: Path,
        media: Path,
        report: ExportReport,
        manifest_name: str,
        *,
        overwrite: bool = False,
        dry_run: bool = False,
    ) -> None:
        self._root, self._media, self._report = root, media, report
        self._manifest = root / manifest_name
        self._overwrite, self._dry_run = overwrite, dry_run
        #: the digests that the files of former exports can have, by path
        self._known = _read_known(root)
        self._digests: dict[str, str] = {}
        #: the folders below the root that were checked
        self._inside: set[Path] = {root}
        self._lines: IO[str] | None = None

    def open_manifest(self) -> IO[str]:
        """Open the list of the former export, to which each file is added before it is written."""
        self._lines = self._manifest.open("a", buffering=1, encoding="utf-8", newline="\n")
        return self._lines

    def write(self, file: TextFile | MediaFile) -> None:
        """Write a file unless it has the same contents already."""
        try:
            result = self._write_text(file) if isinstance(file, TextFile) else self._write_media(file)
        except CannotWrite as error:
            self._keep_known(file.path)
            # The user can have such a file for other purposes; the guide says what it should contain.
            if file.path != GIT_ATTRIBUTES:
                self._report.refuse(file.path, str(error))
        else:
            self._report.files[result] += 1

    def finish(self) -> None:
        """Delete the files of former exports that this one does not contain, and write the list of files."""
        for path in sorted(self._known.keys() - self._digests.keys()):
            self._remove(path)
        if self._dry_run:
            return
        content, target = format_manifest(self._digests), self._manifest
        if not (target.is_file() and target.read_bytes() == content):
            self._replace(target, lambda output: output.write(content) >= 0)
        for name in MANIFESTS:
            if name != target.name:
                (self._root / name).unlink(missing_ok=True)

    def _write_text(self, file: TextFile) -> FileResult:
        digest = hashlib.sha256(file.content).hexdigest()
        present = self._read_digest(file.path)
        if present == digest:
            return self._keep(file.path, digest)
        self._check_is_ours(file.path, present)
        return self._store(file.path, digest, lambda output: output.write(file.content) >= 0)

    def _write_media(self, file: MediaFile) -> FileResult:
        stored, target = file.stored, self._root / file.path
        self._check_folder(target.parent)
        if self._known.get(file.path, [])[-1:] == [stored.hash] and _get_size(target) == stored.size:
            # Reading all pictures at each export would take long; `sha256sum -c` finds damaged files.
            return self._keep(file.path, stored.hash)
        present = self._read_digest(file.path)
        if present == stored.hash:
            return self._keep(file.path, stored.hash)
        self._check_is_ours(file.path, present)
        source = self._media / stored.path
        try:
            with source.open("rb") as content:
                return self._store(
                    file.path, stored.hash, lambda output: copy_intact(content, stored, output)
                )
        except FileNotFoundError as error:
            if error.filename != str(source):
                raise
            raise CannotWrite(
                "The file is missing in the media folder; `doctor` says how to get it back."
            ) from error

    def _read_digest(self, path: str) -> str:
        """Return the SHA-256 of a file, or "" if it is missing."""
        target = self._root / path
        self._check_folder(target.parent)
        if not os.path.lexists(target):
            return ""
        if _get_size(target) is None:
            raise CannotWrite("A folder or a link has this name; rename it.")
        with target.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _check_folder(self, folder: Path) -> None:
        """Raise CannotWrite if a link leads out of the root."""
        if folder in self._inside:
            return
        if not folder.resolve().is_relative_to(self._root.resolve()):
            raise CannotWrite("A link leads out of the folder of the export; replace the link with a folder.")
        self._inside.add(folder)

    def _check_is_ours(self, path: str, present: str) -> None:
        known = self._known.get(path, [])
        if not present or self._overwrite or present in known:
            return
        if known:
            raise CannotWrite(f"The file was changed after the last export; {_OVERWRITE}.")
        raise CannotWrite(f"A file with this name exists that no export has written; {_OVERWRITE}.")

    def _keep(self, path: str, digest: str) -> FileResult:
        self._digests[path] = digest
        return FileResult.UNCHANGED

    def _store(self, path: str, digest: str, copy: Callable[[IO[bytes]], bool]) -> FileResult:
        if self._lines is not None:
            target = self._root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            # The line is written before the new contents, so that an interrupted export is recognised.
            self._lines.write(format_line(path, digest))
            self._replace(target, copy)
        self._digests[path] = digest
        return FileResult.WRITTEN

    def _replace(self, target: Path, copy: Callable[[IO[bytes]], bool]) -> None:
        partial = target.with_name(_PARTIAL)
        # The folder can contain a link with this name, which is not followed.
        partial.unlink(missing_ok=True)
        try:
            with partial.open("xb") as output:
                is_intact = copy(output)
            if not is_intact:
                raise CannotWrite(
                    "The file in the media folder is damaged; `doctor` says how to get it back."
                )
            files.rename(partial, target)
        finally:
            partial.unlink(missing_ok=True)

    def _remove(self, path: str) -> None:
        target = self._root / path
        try:
            present = self._read_digest(path)
            if not present:
                return
            self._check_is_ours(path, present)
        except CannotWrite as error:
            self._report.refuse(path, f"The blog no longer contains it, but: {error}")
            self._keep_known(path)
            return
        if not self._dry_run:
            target.unlink()
            self._remove_empty_folders(target.parent)
        self._report.files[FileResult.REMOVED] += 1

    def _remove_empty_folders(self, folder: Path) -> None:
        with suppress(OSError):
            while folder != self._root:
                folder.rmdir()
                folder = folder.parent

    def _keep_known(self, path: str) -> None:
        """Keep the former line of a file that was left alone, so that the next export recognises it too."""
        if path in self._known:
            self._digests[path] = self._known[path][-1]


def write_folder(
    items: Iterable[TextFile | MediaFile],
    root: Path,
    media: Path,
    report: ExportReport,
    manifest_name: str,
    *,
    overwrite: bool,
    dry_run: bool,
    is_private: bool = False,
) -> None:
    """Write files into a folder; raises Conflict if another export is writing into it.

    If `is_private`, a new folder can be opened by its owner only.
    """
    if root.exists() and not root.is_dir():
        raise Conflict(f"{root} is a file; name a folder, or a file that ends with .zip or .json.")
    if not dry_run:
        root.mkdir(0o700 if is_private else 0o777, parents=True, exist_ok=True)
    for name in (_LOCK, *MANIFESTS):
        if (root / name).is_symlink():
            raise Conflict(f"{root / name} is a link, which no export has made; delete it.")
    with nullcontext(True) if dry_run else files.locked(root / _LOCK) as is_locked:
        if not is_locked:
            raise Conflict(f"Another export is writing into {root}; wait until it has ended.")
        writer = FolderWriter(root, media, report, manifest_name, overwrite=overwrite, dry_run=dry_run)
        with nullcontext() if dry_run else writer.open_manifest():
            for item in items:
                writer.write(item)
        writer.finish()


def _read_known(root: Path) -> dict[str, list[str]]:
    """Return the digests of the files that former exports have written, the newest last."""
    known: dict[str, list[str]] = {}
    for name in MANIFESTS:
        path = root / name
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        for file, digest in parse_manifest(text):
            known.setdefault(file, []).append(digest)
        if text and DESCRIPTION not in known:
            raise Conflict(f"{path} is not from an export; choose another folder.")
    return known


def _get_size(path: Path) -> int | None:
    """Return the size of a regular file, or None."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
