"""The time, asked for in one place so that a test can set it."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the present moment (aware, UTC)."""
    return datetime.now(UTC)
