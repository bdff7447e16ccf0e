"""Functions that recognize errors of a full or damaged disk, and that check for free inodes."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from pathlib import Path

# SQLite's result codes for a disk that accepts no writes, for example because the kernel made it read-only.
REFUSED_WRITE_CODES = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL)
_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def get_primary_result_code(error: BaseException) -> int:
    """Return the primary result code of SQLite in an error of SQLAlchemy or of the driver.

    Returns SQLITE_OK for an error without a result code, such as an error of another database engine.
    """
    code: int = getattr(getattr(error, "orig", error), "sqlite_errorcode", sqlite3.SQLITE_OK)
    # The higher bits of an extended result code contain details, such as which operation failed.
    return code & 0xFF


def is_damage_error(error: BaseException) -> bool:
    """Return whether SQLite reports that the file is damaged or is not a database."""
    return get_primary_result_code(error) in _DAMAGE_CODES


# The error numbers for a full disk, an exceeded quota and a file that is too large. Not every system defines
# all these numbers.
_DISK_FULL_ERRORS = {getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT", "EFBIG")}
# SQLite reports SQLITE_IOERR_SHMSIZE if there is no space for the index of its log.
_DISK_FULL_CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
# PostgreSQL's SQLSTATE of a full disk.
_DISK_FULL_SQLSTATE = "53100"


def is_disk_full_error(error: BaseException) -> bool:
    """Return whether the error of the file system, the database or SQLAlchemy says that the disk is full."""
    original = getattr(error, "orig", error)
    return (
        getattr(error, "errno", None) in _DISK_FULL_ERRORS
        or getattr(original, "sqlite_errorcode", None) in _DISK_FULL_CODES
        or getattr(original, "sqlstate", None) == _DISK_FULL_SQLSTATE
        or "no space left" in str(original).lower()
    )


def has_free_inodes(folder: Path) -> bool:
    """Return whether the file system has a free inode for a new file.

    A file system without a fixed number of inodes reports that 0 of 0 inodes are free.
    """
    status = os.statvfs(folder) if sys.platform != "win32" else None
    return status is None or status.f_favail > 0 or not status.f_files
