"""The status of the backups: when the last good backup was made, and why a later backup has failed.

A backup is good if it was written and BACKUP_COMMAND succeeded. The status is in a file in the instance
folder, so that the commands and the service share it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from blogapi import clock
from blogapi.storage import files
from blogapi.web.errors import Problem

# With daily backups, the next backup is overdue when the last good backup has this age.
OVERDUE_AGE = timedelta(hours=36)

_FILE_NAME = "status.json"
_UNREADABLE_SINCE = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """The times of the last good backup, of the first attempt since then, and of the last alarm.

    `reason` is a sentence that says why the last attempt failed; it is empty if none has failed.
    """

    last_success: datetime | None = None
    failing_since: datetime | None = None
    last_alarm: datetime | None = None
    reason: str = ""

    def merge_remembered(self, remembered: BackupStatus) -> BackupStatus:
        """Return this stored status, completed with what only the running process remembers."""
        return BackupStatus(
            self.last_success,
            self.failing_since or remembered.failing_since,
            self.last_alarm or remembered.last_alarm,
            remembered.reason or self.reason,
        )

    def is_overdue(self, keep: int) -> bool:
        """Return whether the last good backup is older than OVERDUE_AGE; `keep` is the setting DAILY_BACKUPS.

        The result is False for a blog without daily backups, and for a new blog without a first attempt.
        """
        since = self.last_success or self.failing_since
        # A backup with a time in the future does not count, because it was made while the clock was ahead.
        return bool(keep) and since is not None and not -clock.TOLERANCE <= clock.now() - since < OVERDUE_AGE


def read_status(instance: Path) -> BackupStatus:
    """Return the status of the backups of the blog in this instance folder.

    If the status cannot be read, the backups count as overdue, so that an admin notices the problem.
    """
    path = _get_status_path(instance)
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        reason = str(fields.pop("reason"))
        times = {name: value and datetime.fromisoformat(value) for name, value in fields.items()}
        return BackupStatus(**times, reason=reason)
    except FileNotFoundError:
        return BackupStatus()
    except (OSError, ValueError, TypeError, AttributeError, LookupError):
        return BackupStatus(failing_since=_UNREADABLE_SINCE, reason=f"{path} cannot be read.")


def record_success(instance: Path, made_at: datetime | None = None) -> None:
    """Store the time of the last good backup: `made_at`, or the current time if `made_at` is None."""
    _write_status(instance, BackupStatus(last_success=made_at or clock.now()))


def record_alarm(instance: Path) -> None:
    """Store the current time as the time of the last alarm."""
    _write_status(instance, replace(read_status(instance), last_alarm=clock.now()))


@contextmanager
def record_attempt(instance: Path) -> Iterator[None]:
    """Record that a backup starts in the `with` block and, if it fails, why; raise the exception again.

    If the process is killed during the backup, `failing_since` remains, as after a failure.
    """
    status = read_status(instance)
    status = replace(status, failing_since=status.failing_since or clock.now())
    _write_status(instance, status)
    try:
        yield
    except Exception as error:
        _write_status(instance, replace(status, reason=describe_failure(error)))
        raise


def describe_failure(error: Exception) -> str:
    """Return a sentence that says why a backup failed."""
    return error.detail if isinstance(error, Problem) else f"{type(error).__name__}; see the log."


def _write_status(instance: Path, status: BackupStatus) -> None:
    # On a full disk, the former status stays, so that a late backup is still noticed.
    with suppress(OSError):
        path = _get_status_path(instance)
        with files.create_partial_file(path) as partial:
            partial.write_text(json.dumps(asdict(status), default=datetime.isoformat), encoding="utf-8")
            files.replace_file(partial, path)


def _get_status_path(instance: Path) -> Path:
    return instance / "backups" / _FILE_NAME
