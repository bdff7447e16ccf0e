"""The daily backup, made by the process that serves the blog."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from flask import Flask

from blogapi import clock
from blogapi.operations.backups import alarms, backup_command, folder_backups, naming, status
from blogapi.operations.backups.manifest import describe_missing_files
from blogapi.operations.backups.naming import BackupKind
from blogapi.operations.backups.service import Backup
from blogapi.operations.backups.status import BackupStatus
from blogapi.web.errors import Problem

# The thread checks whether the backup of the day exists: for the first time after FIRST_CHECK_SECONDS, and
# then every CHECK_SECONDS.
FIRST_CHECK_SECONDS = 5.0
CHECK_SECONDS = 1800.0


def start_daily_backups(app: Flask) -> threading.Event | None:
    """Start the thread that makes daily backups; return the event that stops it, or None if they are off."""
    keep = app.config["DAILY_BACKUPS"]
    if not keep:
        return None
    stop, instance = threading.Event(), Path(app.instance_path)
    threading.Thread(
        target=_run_daily_backups, args=(app, instance, keep, stop), name="daily backup", daemon=True
    ).start()
    return stop


def create_backup_if_missing(instance: Path, *, keep: int, today: date) -> Backup | None:
    """Make the backup of the day and delete old backups; return the backup, or None if it exists already.

    If the backup exists and BACKUP_COMMAND did not succeed for it, only the command runs again.
    """
    path = instance / "backups" / naming.make_daily_backup_name(today)
    if path.exists() and not status.read_status(instance).failing_since:
        return None
    with status.record_attempt(instance):
        backup = made_at = None
        if path.exists():
            made_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        else:
            backup, _ = folder_backups.create_folder_backup(instance, path, BackupKind.DAILY, keep=keep)
        backup_command.run_backup_command(instance, path, made_at)
        return backup


def _run_daily_backups(app: Flask, instance: Path, keep: int, stop: threading.Event) -> None:
    # On a full disk, the status cannot be stored, so this thread remembers the status.
    remembered, seconds = BackupStatus(), FIRST_CHECK_SECONDS
    while not stop.wait(seconds):
        seconds = CHECK_SECONDS
        try:
            if backup := create_backup_if_missing(instance, keep=keep, today=clock.now().date()):
                _log_backup(app, backup)
            remembered = BackupStatus()
        except Exception as error:
            # Only log the error, so that the thread tries again later.
            reason, is_unexpected = status.describe_failure(error), not isinstance(error, Problem)
            app.logger.error("the daily backup failed: %s", reason, exc_info=is_unexpected)
            failing_since = remembered.failing_since or clock.now()
            remembered = replace(remembered, failing_since=failing_since, reason=reason)
        try:
            if alarms.send_alarm_if_due(app, status.read_status(instance).merge_remembered(remembered)):
                remembered = replace(remembered, last_alarm=clock.now())
                status.record_alarm(instance)
        except Exception:
            app.logger.exception("the alarm about the overdue backup was not sent")


def _log_backup(app: Flask, backup: Backup) -> None:
    app.logger.info("daily backup: %s", backup.path)
    if backup.missing:
        lines = "\n".join(describe_missing_files(backup.missing))
        app.logger.error("the daily backup lacks %d media files; run doctor\n%s", len(backup.missing), lines)
