"""What can be seen of the instance folder without opening the database."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from blogapi import clock
from blogapi.doctor import findings
from blogapi.doctor.findings import Finding, hint, ok, wrong
from blogapi.storage.files import side_files


def run_checks(folder: Path, database: Path | None) -> Iterator[Finding]:
    """Yield what is found of the folder, the modes of its files, the room on the disk and the clock."""
    if not folder.is_dir():
        yield wrong(
            "folder",
            f"The instance folder {folder} is not there.",
            "name the right one in BLOGAPI_INSTANCE_PATH, or make it by starting the service",
        )
        return
    kept = [folder / "secret_key", *(_parts(database) if database else ())]
    files = [path for path in kept if path.is_file()]
    yield from _modes(folder, files)
    yield from _room(database.parent if database and database.parent.is_dir() else folder, files)
    yield from _clock(files)


def _parts(database: Path) -> list[Path]:
    sides = side_files(database)
    return [database, sides.log, sides.log_index]


def _modes(folder: Path, files: list[Path]) -> Iterator[Finding]:
    if not os.access(folder, os.W_OK):
        yield wrong("files", f"{folder} may not be written to.", f"give it to the user who serves: {folder}")
    # Windows keeps no modes; who may read there is inherited from the folder.
    if os.name == "nt":
        return
    found = list(_open(folder, files))
    yield from found or [ok("files", f"{folder} and its secrets are their owner's alone.")]


def _open(folder: Path, files: list[Path]) -> Iterator[Finding]:
    mode = folder.stat().st_mode
    if writable_by_others(mode):
        yield wrong("files", f"Others may write into {folder}.", f"chmod 700 '{folder}'")
    elif open_to_others(mode):
        yield hint("files", f"Others may look into {folder}.", f"chmod 700 '{folder}'")
    for path in files:
        if open_to_others(path.stat().st_mode):
            yield wrong("files", f"Others may read {path}.", f"chmod 600 '{path}'")


def _room(folder: Path, files: list[Path]) -> Iterator[Finding]:
    free, used = shutil.disk_usage(folder).free, sum(path.stat().st_size for path in files)
    says = f"{findings.bytes_of(free)} are free on the disk, the blog takes {findings.bytes_of(used)}."
    if free < LEAST_FREE:
        yield wrong("disk", says, "free some space before writes fail")
    elif free < SPARE + 2 * used:
        yield hint("disk", says, "free some space: a backup or an upgrade makes a copy")
    else:
        yield ok("disk", says)


def _clock(files: list[Path]) -> Iterator[Finding]:
    now = clock.now()
    changed = max((datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in files), default=now)
    if clock_is_behind(now, changed):
        says = f"The clock shows {now:%Y-%m-%d %H:%M} UTC, but a file was changed {changed:%Y-%m-%d %H:%M}."
        yield wrong("clock", says, "set the clock: schedules, keys and logins go by it")
    else:
        yield ok("clock", f"{now:%Y-%m-%d %H:%M} UTC.")


# What must be free for the blog to go on, and what should be beside two copies of it.
LEAST_FREE = 50 * 1024 * 1024


SPARE = 100 * 1024 * 1024


# A file may be a little ahead: the clock is set by the network now and then.
AHEAD = timedelta(minutes=5)


def open_to_others(mode: int) -> bool:
    """Tell whether the mode lets others than the owner read or write."""
    return bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def writable_by_others(mode: int) -> bool:
    """Tell whether the mode lets others than the owner write."""
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH))


def clock_is_behind(now: datetime, changed: datetime) -> bool:
    """Tell whether a file was changed later than the clock shows."""
    return changed - now > AHEAD
