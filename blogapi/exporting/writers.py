"""Writes the files of an export into a zip archive, or the changed files into a folder.

`SHA256SUMS` lists the files of an export. A file that was changed since the last export belongs to the user:
it is replaced or deleted only if `overwrite` is true. Each file is written under a temporary name and then
renamed. An export adds each file to the existing list before it writes the file, so that the next export
recognises the files of an export that was killed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from blogapi.exporting.export_files import DESCRIPTION_FILE, GIT_ATTRIBUTES_FILE, ExportFile, MediaFile
from blogapi.exporting.layouts import MANIFEST_NAMES
from blogapi.exporting.results import CannotWrite, ExportReport, FileResult
from blogapi.storage import files
from blogapi.web.errors import Conflict

_LOCK_NAME, _PARTIAL_NAME = ".blogapi-export.lock", ".blogapi-export.partial"
# Names the files that an archive lacks. Jekyll does not publish a file with `_`, and imports skip a file
# without a suffix.
_MISSING_FILES_NAME = "_MISSING_FILES"
# The SHA-256 digests of the written files, by path. After a killed export, a path can have several digests.
Digests = dict[str, set[str]]

# A line in the list of files, in the format of `sha256sum`.
_MANIFEST_LINE_PATTERN = re.compile(r"([0-9a-f]{64})  (.+)")
# The permissions -rw-r--r-- of a regular file, in the format of zip archives made on Unix.
_UNIX_SYSTEM, _FILE_MODE = 3, 0o100644 << 16


def write_zip(
    items: Iterable[ExportFile], target: Path, media: Path, report: ExportReport, manifest: str
) -> None:
    """Write files into an archive, and the list of the files under the name `manifest`.

    `media` is the media folder of the blog. Texts are compressed, media files are stored as they are. A text
    file in the archive names the files that are missing or damaged. The archive gets its name when it is
    complete. The same files always give the same bytes.
    """
    digests: Digests = {}
    with files.create_partial_file(target) as partial:
        with zipfile.ZipFile(partial, "w") as archive:
            for file in items:
                try:
                    _add_file(archive, file, media)
                except CannotWrite as error:
                    report.add_refused_file(file.path, str(error))
                else:
                    digests[file.path] = {file.digest}
            if report.refused:
                missing = "".join(f"{file.path}: {file.reason}\n" for file in report.refused).encode()
                archive.writestr(_make_zip_info(_MISSING_FILES_NAME), missing)
                digests[_MISSING_FILES_NAME] = {hashlib.sha256(missing).hexdigest()}
            archive.writestr(_make_zip_info(manifest), _format_manifest(digests))
        files.replace_file(partial, target)
    report.files[FileResult.WRITTEN] += len(digests)


def _add_file(archive: zipfile.ZipFile, file: ExportFile, media: Path) -> None:
    info = _make_zip_info(file.path)
    info.file_size = file.size
    if not isinstance(file, MediaFile):
        info.compress_type = zipfile.ZIP_DEFLATED
    with file.open(media) as source, archive.open(info, "w") as output:
        shutil.copyfileobj(source, output)


def _make_zip_info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.create_system, info.external_attr = _UNIX_SYSTEM, _FILE_MODE
    return info


def write_folder(
    items: Iterable[ExportFile],
    root: Path,
    media: Path,
    report: ExportReport,
    manifest: str,
    *,
    overwrite: bool,
    dry_run: bool,
    is_private: bool = False,
) -> None:
    """Write files into a folder; raises Conflict if another export is writing into it.

    If `is_private`, a new folder can be opened by its owner only.
    """
    if root.exists() and not root.is_dir():
        raise Conflict(f"{root} is a file; name a folder, or a file that ends with .zip.")
    if not dry_run:
        root.mkdir(0o700 if is_private else 0o777, parents=True, exist_ok=True)
    for name in (_LOCK_NAME, *MANIFEST_NAMES):
        if (root / name).is_symlink():
            raise Conflict(f"{root / name} is a link, which an export never creates; delete it.")
    with nullcontext(True) if dry_run else files.lock_file(root / _LOCK_NAME) as is_locked:
        if not is_locked:
            raise Conflict(f"Another export is writing into {root}; wait until it has ended.")
        former: Digests = {}
        for path in (root / name for name in MANIFEST_NAMES):
            listed = read_manifest(path)
            if DESCRIPTION_FILE not in listed and path.is_file() and path.stat().st_size:
                raise Conflict(f"{path} is not from an export; choose another folder.")
            former |= listed
        folder = OutputFolder(
            root, media, report, root / manifest, former, overwrite=overwrite, dry_run=dry_run
        )
        folder.write_files(items)
        for name in () if dry_run else MANIFEST_NAMES:
            if name != manifest:
                (root / name).unlink(missing_ok=True)


class OutputFolder:
    """A folder into which exports or builds write repeatedly, and which can contain other files.

    `manifest` is the file with the list of the files, and `former` contains the digests in the lists of
    former runs. `action` is the noun for a run in messages, such as `export`.
    """

    def __init__(
        self,
        root: Path,
        media: Path,
        report: ExportReport,
        manifest: Path,
        former: Digests,
        *,
        overwrite: bool,
        dry_run: bool = False,
        action: str = "export",
    ) -> None:
        self._root, self._media, self._report = root, media, report
        self._manifest, self._former = manifest, former
        self._overwrite, self._dry_run, self._action = overwrite, dry_run, action
        self._digests: Digests = {}

    def write_files(self, items: Iterable[ExportFile]) -> None:
        """Write the files, delete the files of former runs that are not among them, and update the list."""
        with nullcontext() if self._dry_run else self._manifest.open("a", 1, "utf-8", newline="\n") as lines:
            if lines is not None:
                # A run that was killed can have left its last file under this name.
                (self._root / _PARTIAL_NAME).unlink(missing_ok=True)
            for file in items:
                try:
                    self._report.files[self._write_file(file, lines)] += 1
                    self._digests[file.path] = {file.digest}
                except CannotWrite as error:
                    self._keep_former_digest(file.path)
                    # Keep a `.gitattributes` that the user has written; the guide says what to add to it.
                    if file.path != GIT_ATTRIBUTES_FILE:
                        self._report.add_refused_file(file.path, str(error))
        for path in sorted(self._former.keys() - self._digests.keys()):
            try:
                self._report.files[FileResult.REMOVED] += self._remove_file(path)
            except CannotWrite as error:
                self._report.add_refused_file(
                    path, f"The blog no longer contains this file, but it cannot be deleted. {error}"
                )
                self._keep_former_digest(path)
        content = _format_manifest(self._digests)
        if not self._dry_run and self._manifest.read_bytes() != content:
            with _open_partial_file(self._manifest.with_suffix(".partial"), self._manifest) as output:
                output.write(content)

    def _write_file(self, file: ExportFile, lines: IO[str] | None) -> FileResult:
        target = self._root / file.path
        if isinstance(file, MediaFile) and self._is_unchanged(file):
            return FileResult.UNCHANGED
        current = self._read_digest(target)
        if current == file.digest:
            return FileResult.UNCHANGED
        self._refuse_edited_file(file.path, current)
        with file.open(self._media) as source:
            if lines is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                lines.write(_format_line(file.path, file.digest))
                with _open_partial_file(self._root / _PARTIAL_NAME, target) as output:
                    shutil.copyfileobj(source, output)
        return FileResult.WRITTEN

    def _is_unchanged(self, file: MediaFile) -> bool:
        # Reading all files at each export would take a long time; `sha256sum -c` finds damaged files.
        is_known = self._former.get(file.path) == {file.stored.hash}
        return is_known and _get_file_size(self._root / file.path) == file.stored.size

    def _remove_file(self, path: str) -> bool:
        target = self._root / path
        current = self._read_digest(target)
        if not current:
            return False
        self._refuse_edited_file(path, current)
        if not self._dry_run:
            target.unlink()
            with suppress(OSError):
                for folder in target.relative_to(self._root).parents[:-1]:
                    (self._root / folder).rmdir()
        return True

    def _keep_former_digest(self, path: str) -> None:
        """Keep the former digests of a refused file, so that the next export recognises the file."""
        if path in self._former:
            self._digests[path] = self._former[path]

    def _read_digest(self, target: Path) -> str:
        """Return the SHA-256 of a file, or "" if it is missing; raises CannotWrite for a folder or a link."""
        if not target.parent.resolve().is_relative_to(self._root.resolve()):
            raise CannotWrite(
                f"A link leads out of the folder of the {self._action}; replace the link with a folder."
            )
        if not os.path.lexists(target):
            return ""
        if _get_file_size(target) is None:
            raise CannotWrite("A folder or a link has this name; rename it.")
        with target.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _refuse_edited_file(self, path: str, digest: str) -> None:
        if digest and not self._overwrite and digest not in self._former.get(path, ()):
            raise CannotWrite(
                f"No {self._action} has written this version of the file; --overwrite replaces or deletes it."
            )


@contextmanager
def _open_partial_file(partial: Path, target: Path) -> Iterator[IO[bytes]]:
    """Yield an empty file with the name `partial` that replaces the target at the end."""
    # If this name is a link, delete it, so that nothing is written to the target of the link.
    partial.unlink(missing_ok=True)
    try:
        with partial.open("xb") as output:
            yield output
        files.rename_file(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def read_manifest(path: Path) -> Digests:
    """Return the digests in the list of the files of former runs; a missing list counts as empty."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    digests: Digests = {}
    for match in filter(None, map(_MANIFEST_LINE_PATTERN.fullmatch, text.split("\n"))):
        # Ignore paths that lead out of the folder.
        if _is_inside_folder(match[2]):
            digests.setdefault(match[2], set()).add(match[1])
    return digests


def _is_inside_folder(path: str) -> bool:
    windows = PureWindowsPath(path)
    parts: Iterable[str] = (*PurePosixPath(path).parts, *windows.parts)
    return not (path.startswith("/") or windows.drive or windows.root or "\0" in path or ".." in parts)


def _format_manifest(digests: Digests) -> bytes:
    lines = (_format_line(path, digest) for path in sorted(digests) for digest in sorted(digests[path]))
    return "".join(lines).encode()


def _format_line(path: str, digest: str) -> str:
    return f"{digest}  {path}\n"


def _get_file_size(path: Path) -> int | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
