"""How backups are called, which of them go, and which may be restored."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import date, datetime
from enum import StrEnum


class Kind(StrEnum):
    """Who named the backup; each kind is counted for itself."""

    ASKED = "blogapi"
    DAILY = "daily"


_NAMES = {
    Kind.ASKED: re.compile(r"blogapi-\d{8}T\d{12}Z\.zip", re.ASCII),
    Kind.DAILY: re.compile(r"daily-\d{4}-\d\d-\d\d\.zip", re.ASCII),
}


def manual_backup_name(now: datetime) -> str:
    """Return the name of a backup into a folder."""
    return f"{Kind.ASKED.value}-{now:%Y%m%dT%H%M%S%f}Z.zip"


def daily_backup_name(today: date) -> str:
    """Return the name of the day's backup, which is the same in every process and after every restart."""
    return f"{Kind.DAILY.value}-{today.isoformat()}.zip"


def select_superfluous(names: Iterable[str], kind: Kind, *, keep: int, made: str) -> list[str]:
    """Return the names of this kind that are too many, oldest first; never the one just `made`.

    A name that a person gave is of no kind, so it stays.
    """
    others = sorted(name for name in names if _NAMES[kind].fullmatch(name) and name != made)
    return others[: max(len(others) - (keep - 1), 0)]


def explain_unknown_migration(migration: str, known: Collection[str]) -> str:
    """Return why a backup with this last migration cannot be restored, or an empty string."""
    if migration in known:
        return ""
    return f"it was made by a newer version of blogapi (migration {migration}); install that version first"
