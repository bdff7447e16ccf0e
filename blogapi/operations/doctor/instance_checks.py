"""Checks of the instance folder that do not open the database."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from blogapi import blog_owner, clock
from blogapi.operations.backups.status import read_status
from blogapi.operations.doctor import findings
from blogapi.operations.doctor.findings import (
    Finding,
    make_hint_finding,
    make_ok_finding,
    make_problem_finding,
)
from blogapi.storage.disk_errors import has_free_inodes
from blogapi.storage.files import get_side_files, read_file_statuses

FileStatuses = Mapping[Path, os.stat_result]

# With less free space than MIN_FREE_BYTES, writes can fail. SPARE_BYTES is the space to keep free in addition
# to the space for two copies of the blog.
MIN_FREE_BYTES = 50 * 1024 * 1024
SPARE_BYTES = 100 * 1024 * 1024

# The time of a file can be slightly in the future, because NTP sometimes sets the clock back.
MAX_CLOCK_LAG = timedelta(minutes=5)


def run_checks(folder: Path, database: Path | None) -> Iterator[Finding]:
    """Yield findings about the folder, the modes of its files, the free disk space and the clock."""
    if not folder.is_dir():
        yield make_problem_finding(
            "folder",
            f"The instance folder {folder} does not exist.",
            "set BLOGAPI_INSTANCE_PATH to the right folder, or start the service to create it",
        )
        return
    paths = [folder / "secret_key", *((database, *get_side_files(database)[:2]) if database else ())]
    files = dict(read_file_statuses(paths, follow_symlinks=False))
    yield from _check_permissions(folder, files)
    yield _check_disk(database.parent if database and database.parent.is_dir() else folder, files)
    yield _check_clock(files)


def check_backups(folder: Path, keep: int) -> Iterator[Finding]:
    """Yield a finding about the daily backups in the instance folder, if the setting DAILY_BACKUPS is on."""
    status = read_status(folder)
    if status.is_overdue(keep):
        reason = status.reason or "No reason is stored: the service did not run, or the disk was full."
        problem = f"There has been no good backup for 36 hours. {reason}"
        yield make_problem_finding("backup", problem, "remove the cause, and leave the service running")
    elif keep and status.last_success:
        yield make_ok_finding(
            "backup", f"The last good backup was made at {status.last_success:%Y-%m-%d %H:%M} UTC."
        )


def _check_permissions(folder: Path, files: FileStatuses) -> Iterator[Finding]:
    for path in filter(Path.exists, (folder, folder / "backups")):
        if not os.access(path, os.R_OK | os.W_OK):
            yield make_problem_finding(
                "files",
                f"{path} is not writable.",
                f"give {path} to the user that runs the service, on a writable disk",
            )
    # Windows has no file modes; a file inherits its permissions from the folder.
    if os.name == "nt":
        return
    permission_problems = list(_find_permission_problems(folder, files))
    yield from permission_problems or [
        make_ok_finding("files", f"Only the owner can access {folder} and its secrets.")
    ]


def _find_permission_problems(folder: Path, files: FileStatuses) -> Iterator[Finding]:
    mode = folder.stat().st_mode
    if is_writable_by_others(mode):
        yield make_problem_finding("files", f"Other users can write to {folder}.", f"chmod 700 '{folder}'")
    elif is_accessible_to_others(mode):
        yield make_hint_finding("files", f"Other users can list {folder}.", f"chmod 700 '{folder}'")
    owner = blog_owner.find_owner(folder)
    for path, status in read_file_statuses(blog_owner.list_owner_files(folder), follow_symlinks=False):
        is_read = path.name in blog_owner.READ_ONLY_FILES
        # The owner can use a file of another user if its mode gives access to its group or to all users.
        can_use = (is_accessible_to_others if is_read else is_writable_by_others)(status.st_mode)
        if status.st_uid != owner.pw_uid and not can_use:
            other_user = blog_owner.find_owner(path).pw_name
            says = f"{path} belongs to {other_user}, and {folder} to {owner.pw_name}, who cannot use it."
            yield make_problem_finding("files", says, f"chown -R {owner.pw_name} '{folder}'")
            break
    for path, status in files.items():
        if is_accessible_to_others(status.st_mode):
            yield make_problem_finding("files", f"Other users can read {path}.", f"chmod 600 '{path}'")


def _check_disk(folder: Path, files: FileStatuses) -> Finding:
    free, used = shutil.disk_usage(folder).free, sum(status.st_size for status in files.values())
    says = f"{findings.format_bytes(free)} are free, and the blog uses {findings.format_bytes(used)}."
    if not has_free_inodes(folder):
        return make_problem_finding(
            "disk", "The disk has no free inodes.", "delete some files before writes fail"
        )
    if free < MIN_FREE_BYTES:
        return make_problem_finding("disk", says, "free some space before writes fail")
    if free < SPARE_BYTES + 2 * used:
        return make_hint_finding(
            "disk", says, "free some space, because a backup or an upgrade makes a copy of the blog"
        )
    return make_ok_finding("disk", says)


def _check_clock(files: FileStatuses) -> Finding:
    now = clock.now()
    times = (datetime.fromtimestamp(status.st_mtime, UTC) for status in files.values())
    changed_at = max(times, default=now)
    if changed_at - now > MAX_CLOCK_LAG:
        says = f"The clock shows {now:%Y-%m-%d %H:%M} UTC, but a file changed at {changed_at:%Y-%m-%d %H:%M}."
        return make_problem_finding(
            "clock", says, "set the clock, because schedules, keys and logins depend on it"
        )
    return make_ok_finding("clock", f"The clock shows {now:%Y-%m-%d %H:%M} UTC.")


def is_accessible_to_others(mode: int) -> bool:
    """Return whether the mode gives users other than the owner any access."""
    return bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def is_writable_by_others(mode: int) -> bool:
    """Return whether the mode allows users other than the owner to write."""
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH))
