"""Functions for private files, atomic replacement, lock files and the names of SQLite's side files."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# The suffix of a file that is being written, the names of such files and of their side files, and the age (in
# seconds) from which they count as abandoned.
_PARTIAL_SUFFIX = ".partial"
_PARTIAL_NAME = re.compile(r"\..+\.[0-9a-f]{8}\.partial(-wal|-shm|-journal)?")
_ABANDONED_SECONDS = 86_400
_LOCK_SUFFIX = ".lock"

# On Windows a file cannot be replaced while another program, such as a virus scanner, has it open.
_MAX_RENAME_TRIES = 20
_RENAME_PAUSE_SECONDS = 0.1


class SideFiles(NamedTuple):
    """The files that SQLite keeps beside a database file."""

    log: Path
    log_index: Path
    rollback_journal: Path


def get_side_files(database: Path) -> SideFiles:
    """Return the paths of the side files of a database file; the files may be missing."""
    log, index, journal = (database.with_name(f"{database.name}-{end}") for end in ("wal", "shm", "journal"))
    return SideFiles(log, index, journal)


def create_private_file(path: Path) -> None:
    """Create an empty file with mode 0600; raise FileExistsError if it exists."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def create_partial_file(path: Path) -> Iterator[Path]:
    """Yield a new private file beside `path`; it is deleted at the end unless the caller has moved it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_PARTIAL_SUFFIX}")
    create_private_file(partial)
    try:
        yield partial
    finally:
        for file in (partial, *get_side_files(partial)):
            with suppress(OSError):
                file.unlink(missing_ok=True)


def sync_file(path: Path) -> None:
    """Wait until the disk has stored the content of a closed file."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def replace_file(source: Path, target: Path, *, is_synced: bool = False) -> None:
    """Replace `target` atomically with the closed file `source`.

    After a power failure, `target` has either the old or the new content. Set `is_synced` if `sync_file` was
    already called for the source.
    """
    if not is_synced:
        sync_file(source)
    rename_file(source, target)
    _sync_folder(target.parent)


def rename_file(source: Path, target: Path) -> None:
    """Replace `target` with the closed file `source`; after a power failure, `target` can be empty."""
    for tries_left in reversed(range(1 if os.name == "posix" else _MAX_RENAME_TRIES)):
        try:
            source.replace(target)
            break
        except PermissionError:
            if not tries_left:
                raise
            time.sleep(_RENAME_PAUSE_SECONDS)


@contextmanager
def lock_file(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Lock the file `path` and yield True; if it is already locked, yield False, or wait if `wait` is set.

    The lock excludes other processes and other threads. The file is created if it is missing, and deleted at
    the end. The operating system releases the lock of a process that was killed.
    """
    while True:
        with path.open("ab") as file:
            if not (is_locked := _try_lock_file(file)) and not wait:
                yield False
                return
            if not is_locked:
                time.sleep(_RENAME_PAUSE_SECONDS)
                continue
            if not _is_file_at(file, path):
                # The previous owner of the lock deleted the file after this call had opened it.
                continue
            try:
                yield True
            finally:
                # The file is deleted while it is locked, so that a caller that has already opened the file
                # notices that the path leads to another file. Windows cannot delete an open file.
                if os.name != "posix":
                    file.close()
                with suppress(OSError):
                    path.unlink()
            return


def is_locked(path: Path) -> bool:
    """Return whether the file `path` is locked; to test this, the function locks the file briefly."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        return not _try_lock_file(file, shared=True)
    return False


class FolderLock:
    """A shared lock on a folder, by which a process can find out whether another process uses the folder.

    The lock does not exclude other processes. The operating system releases it when the process ends. Where
    folders cannot be locked, as on Windows, `is_alone` returns False.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = -1
        with suppress(OSError):
            self._descriptor = os.open(folder, os.O_RDONLY)
            weakref.finalize(self, os.close, self._descriptor)
            _try_lock_file(self._descriptor, shared=True)

    def is_alone(self) -> bool:
        """Return whether no other process holds the lock; to test this, briefly lock the folder exclusively.

        A process that opens the folder at this moment is not counted.
        """
        try:
            return _try_lock_file(self._descriptor)
        except (OSError, ValueError):
            return False
        finally:
            with suppress(OSError, ValueError):
                _try_lock_file(self._descriptor, shared=True)


def _try_lock_file(file: IO[bytes] | int, *, shared: bool = False) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file if isinstance(file, int) else file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_file_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def read_file_statuses(
    paths: Iterable[Path], *, follow_symlinks: bool = True
) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield each path with its status; skip files that were deleted since they were listed."""
    for path in paths:
        with suppress(FileNotFoundError):
            yield path, path.stat(follow_symlinks=follow_symlinks)


def list_abandoned_files(folder: Path) -> list[Path]:
    """Return the old partial files that killed processes left in the folder; a user may have chosen it."""
    paths = folder.glob(f".*{_PARTIAL_SUFFIX}*")
    found = read_file_statuses(path for path in paths if _PARTIAL_NAME.fullmatch(path.name))
    return [path for path, status in found if time.time() - status.st_mtime > _ABANDONED_SECONDS]


def delete_abandoned_files(folder: Path) -> None:
    """Delete the old partial files that killed processes left in the folder."""
    for path in list_abandoned_files(folder):
        with suppress(OSError):
            path.unlink()


@contextmanager
def create_temporary_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new private folder in `parent`; it is deleted at the end, with all files in it.

    `delete_temporary_folders` deletes the folders of processes that were killed, and no others.
    """
    is_locked = False
    while not is_locked:
        path = parent / f"{prefix}{secrets.token_hex(8)}"
        # Try another name if `delete_temporary_folders` in another process holds the lock.
        with lock_file(path.with_name(f"{path.name}{_LOCK_SUFFIX}")) as is_locked:
            if is_locked:
                path.mkdir(mode=0o700)
                try:
                    yield path
                finally:
                    shutil.rmtree(path, ignore_errors=True)


def delete_temporary_folders(parent: Path, prefix: str) -> None:
    """Delete the temporary folders that killed processes have left; ignore errors."""
    with suppress(OSError):
        for path in list(parent.glob(f"{prefix}*")):
            folder = path.with_name(path.name.removesuffix(_LOCK_SUFFIX))
            with lock_file(folder.with_name(f"{folder.name}{_LOCK_SUFFIX}")) as is_abandoned:
                if is_abandoned:
                    shutil.rmtree(folder, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    # On POSIX, the file name is stored in the folder, so it needs an fsync too. Windows cannot open a folder.
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
