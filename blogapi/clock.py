"""The current time, in one place so that a test can set it."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time (aware, UTC)."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds of a monotonic clock, which setting the system clock does not change."""
    return time.monotonic()
