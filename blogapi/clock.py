"""Reads the clock. Other modules get the time of day from here, so that tests can replace it in one place."""

import time
from datetime import UTC, datetime, timedelta, tzinfo

# Clocks of two servers that differ by less than this are treated as equal.
TOLERANCE = timedelta(minutes=1)


def now() -> datetime:
    """Return the current time (aware, UTC)."""
    return datetime.now(UTC)


def accept_database_time(time: datetime) -> datetime:
    """Return the time (aware) of the database server unchanged; tests replace this function."""
    return time


def discard_time_if_ahead(stored: datetime | None, now: datetime, longest: timedelta) -> datetime | None:
    """Return the stored time, or None if it is more than `longest` after `now`.

    Such a time was stored while the clock was ahead, and would delay the next call or check for too long.
    """
    return None if stored is None or stored > now + longest + TOLERANCE else stored


def convert_to_zone(time: datetime, zone: tzinfo) -> datetime:
    """Return the time (aware) in a time zone.

    A time within a day of the first or the last time that Python can represent is returned unchanged.
    """
    try:
        return time.astimezone(zone)
    except OverflowError:
        return time


def monotonic() -> float:
    """Return the time of a monotonic clock in seconds; setting the system clock does not affect it."""
    return time.monotonic()
