"""A check of the clock of a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from blogapi import clock
from blogapi.doctor.findings import Finding, ok, wrong
from blogapi.storage import database_clock
from blogapi.storage.database import db

# The largest accepted difference of the clocks. With NTP, the clocks of two servers differ by milliseconds.
MAX_DIFFERENCE = timedelta(seconds=1)


def run_checks() -> Iterator[Finding]:
    """Yield a finding about the clocks of this machine and of PostgreSQL; on SQLite, yield nothing."""
    if db.engine.dialect.name == "sqlite":
        return
    before, time, after = clock.now(), database_clock.read_clock(db.session()), clock.now()
    difference = (before - time) + (after - before) / 2
    db.session.rollback()
    if abs(difference) <= MAX_DIFFERENCE:
        yield ok("clocks", "The clocks of this machine and of the database server agree.")
        return
    direction = "ahead of" if difference > timedelta() else "behind"
    seconds = abs(difference).total_seconds()
    yield wrong(
        "clocks",
        f"The clock of this machine is {seconds:.1f} seconds {direction} that of the database server.",
        "synchronize both clocks with NTP; keys, logins and logs use the clock of this machine",
    )
