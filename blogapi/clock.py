"""The time, asked for in one place so that a test can set it."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the present moment (aware, UTC)."""
    return datetime.now(UTC)


def steady() -> float:
    """Return seconds that only ever grow, whatever is done to the clock on the wall."""
    return time.monotonic()
