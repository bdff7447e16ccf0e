"""Makes the names of backups, and derives the kind of a backup from its name."""

from __future__ import annotations

import re
from datetime import date, datetime
from enum import StrEnum


class BackupKind(StrEnum):
    """Who started a backup: a person, or the thread of the daily backups."""

    MANUAL = "blogapi"
    DAILY = "daily"


_NAME_PATTERNS = {
    BackupKind.MANUAL: re.compile(r"blogapi-\d{8}T\d{12}Z\.zip", re.ASCII),
    BackupKind.DAILY: re.compile(r"daily-\d{4}-\d\d-\d\d\.zip", re.ASCII),
}

_COPY_PREFIXES = ("before-upgrade-", "before-restore-", "before-rollback-")


def make_manual_backup_name(now: datetime) -> str:
    """Return the name of a backup that a person makes, with the command `backup` or on the admin pages."""
    return f"{BackupKind.MANUAL.value}-{now:%Y%m%dT%H%M%S%f}Z.zip"


def make_daily_backup_name(today: date) -> str:
    """Return the name of the daily backup, which is the same in every process."""
    return f"{BackupKind.DAILY.value}-{today.isoformat()}.zip"


def find_backup_kind(name: str) -> BackupKind | None:
    """Return the kind of the backup with this name, or None for a name chosen by a user."""
    return next((kind for kind, pattern in _NAME_PATTERNS.items() if pattern.fullmatch(name)), None)


def is_database_copy(name: str) -> bool:
    """Return whether this is a database file that was copied before an upgrade, a restore or a rollback."""
    return name.startswith(_COPY_PREFIXES) and name.endswith(".db")
