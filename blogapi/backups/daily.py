"""A backup each day, made by the process that serves."""

from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

from flask import Flask

from blogapi import clock
from blogapi.backups import naming, service
from blogapi.backups.naming import Kind
from blogapi.config import CannotStart
from blogapi.web.errors import Problem

# How soon after the start it is looked whether the day has its backup, and how often then. Waiting goes by a
# clock that nobody sets; a jump of the other one costs at most one more file.
FIRST_SECONDS = 5.0
SECONDS = 1800.0


def start(app: Flask) -> threading.Event | None:
    """Begin in a thread that ends with the process; return what ends it before, None where it is off."""
    keep = app.config["DAILY_BACKUPS"]
    if not keep:
        return None
    home = Path(app.instance_path)
    try:
        service.database_of(home)
    except Problem as error:
        raise CannotStart(f"DAILY_BACKUPS is not possible. {error.detail}") from error
    stop = threading.Event()
    threading.Thread(target=_run, args=(app, home, keep, stop), name="daily backup", daemon=True).start()
    return stop


def once(home: Path, *, keep: int, today: date) -> Path | None:
    """Make the backup of the day and drop the oldest; return it, None where the day has one."""
    made = home / "backups" / naming.daily_backup_name(today)
    if made.exists():
        return None
    service.make(home, made)
    service.rotate(made.parent, Kind.DAILY, keep=keep, made=made)
    return made


def _run(app: Flask, home: Path, keep: int, stop: threading.Event) -> None:
    seconds = FIRST_SECONDS
    while not stop.wait(seconds):
        seconds = SECONDS
        try:
            if made := once(home, keep=keep, today=clock.now().date()):
                app.logger.info("daily backup: %s", made)
        except Problem as error:
            app.logger.error("the daily backup failed: %s", error.detail)
        except Exception:
            # Whatever it is, the blog is served on.
            app.logger.exception("the daily backup failed")
