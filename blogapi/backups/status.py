"""The status of the backups: when the last good one was made, and why a daily one has failed since then.

A backup is good if it was written and BACKUP_COMMAND succeeded. The status is in a file in the instance
folder, so that the commands and the service share it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from blogapi import clock
from blogapi.storage import files
from blogapi.web.errors import Problem

# With daily backups, the last good backup is late at this age.
MAX_AGE = timedelta(hours=36)

_FILE = "status.json"


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """The time of the last good backup, and of the first and the last failed daily backup since then.

    `reason` is a sentence that says why the last daily backup failed; it is empty if none has failed.
    """

    last_success: datetime | None = None
    failing_since: datetime | None = None
    last_failure: datetime | None = None
    reason: str = ""

    def is_late(self, keep: int) -> bool:
        """Return whether the blog has had no good backup for MAX_AGE; `keep` is the setting DAILY_BACKUPS.

        A blog without daily backups, and a new blog whose first backup is still to come, are not late.
        """
        since = self.last_success or self.failing_since
        # A backup from the future was made while the clock was ahead.
        return bool(keep) and since is not None and not -clock.TOLERANCE <= clock.now() - since < MAX_AGE


def read_status(home: Path) -> BackupStatus:
    """Return the status of the backups of the blog in this instance folder."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        fields: dict[str, Any] = json.loads(_get_path(home).read_text(encoding="utf-8"))
        reason = str(fields.pop("reason"))
        times = {name: value and datetime.fromisoformat(value) for name, value in fields.items()}
        return BackupStatus(**times, reason=reason)
    return BackupStatus()


def record_success(home: Path) -> None:
    """Store the current time as that of the last good backup."""
    _write(home, BackupStatus(last_success=clock.now()))


@contextmanager
def record_failure(home: Path) -> Iterator[None]:
    """Store the reason of an exception in the `with` block, and raise it again."""
    try:
        yield
    except Exception as error:
        reason = describe_failure(error)
        now, status = clock.now(), read_status(home)
        failing_since = status.failing_since or now
        _write(home, replace(status, failing_since=failing_since, last_failure=now, reason=reason))
        raise


def describe_failure(error: Exception) -> str:
    """Return a sentence that says why a backup failed."""
    return error.detail if isinstance(error, Problem) else f"{type(error).__name__}; see the log."


def _write(home: Path, status: BackupStatus) -> None:
    # On a full disk, the former status stays, so that a late backup is still noticed.
    with suppress(OSError):
        path = _get_path(home)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with files.partial_file(path) as partial:
            partial.write_text(json.dumps(asdict(status), default=datetime.isoformat), encoding="utf-8")
            files.replace(partial, path)


def _get_path(home: Path) -> Path:
    return home / "backups" / _FILE
