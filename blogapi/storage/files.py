"""Private files, atomic replacement, lock files, and the names of SQLite's side files."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# How a file is called while it is being written, and for how long one that nobody finished is left alone.
_DRAFT = ".partial"
_ABANDONED_SECONDS = 86_400

# Elsewhere than on POSIX a file that another program has open (a virus scanner) cannot be replaced at once.
_TRIES = 20
_PAUSE_SECONDS = 0.1


class SideFiles(NamedTuple):
    """The files that SQLite keeps beside a database file."""

    log: Path
    log_index: Path
    rollback_journal: Path


def side_files(database: Path) -> SideFiles:
    """Return the paths of the side files of a database file, whether they exist or not."""
    log, index, journal = (database.with_name(f"{database.name}-{end}") for end in ("wal", "shm", "journal"))
    return SideFiles(log, index, journal)


def create_private(path: Path) -> None:
    """Make an empty file that only its owner reads; raises FileExistsError where there is one."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return what tells the file from any other that may come under its name, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def partial_file(path: Path) -> Iterator[Path]:
    """Yield an empty private file beside `path`, which is gone at the end unless it was moved."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_DRAFT}")
    create_private(made)
    try:
        yield made
    finally:
        for file in (made, *side_files(made)):
            with suppress(OSError):
                file.unlink(missing_ok=True)


def replace(source: Path, target: Path) -> None:
    """Put a closed file in the place of another, at once and so that a power cut leaves one of the two."""
    with source.open("r+b") as file:
        os.fsync(file.fileno())
    for left in reversed(range(1 if os.name == "posix" else _TRIES)):
        try:
            source.replace(target)
            break
        except PermissionError:
            if not left:
                raise
            time.sleep(_PAUSE_SECONDS)
    _keep_name(target.parent)


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Lock the file `path` until the end; yield False, at once, where another holds the lock.

    Works between processes and between threads. The file is made and deleted here; the system releases the
    lock of a process that was killed.
    """
    while True:
        with path.open("ab") as file:
            if not _lock(file):
                yield False
                return
            if not _is_at(file, path):
                # The last holder deleted it between our opening and locking it.
                continue
            try:
                yield True
            finally:
                # Under the lock, so that another who has opened the file sees that it is gone; but Windows
                # deletes no open file.
                if os.name != "posix":
                    file.close()
                with suppress(OSError):
                    path.unlink()
            return


def _lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def delete_abandoned(folder: Path) -> None:
    """Delete the drafts that a process left behind when it was killed."""
    for path in folder.glob(f".*{_DRAFT}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink()


def _keep_name(folder: Path) -> None:
    # On POSIX a new name is on the disk only when its folder is; elsewhere a folder cannot be opened.
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
