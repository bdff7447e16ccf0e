"""The only source of the current time, so that tests can set the time in one place."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time (aware, UTC)."""
    return datetime.now(UTC)


def from_database(time: datetime) -> datetime:
    """Return a time that the database server has reported (aware)."""
    return time


def monotonic() -> float:
    """Return the time of a monotonic clock in seconds; setting the system clock does not affect it."""
    return time.monotonic()
