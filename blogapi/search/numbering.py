"""Numbers of articles in the index: newer articles have larger ones."""

from __future__ import annotations

from datetime import UTC, datetime

# How many articles can share one microsecond without a detour.
NUMBERS_PER_MICROSECOND = 16


_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


# Numbers below the first moment's, for articles that share it: some programs give it to all without a date.
_ROOM = 1 << 32


def first_number(published_at: datetime) -> int:
    """Return the first number for an article published then: hits in descending order are newest first."""
    since = published_at - _BEGINNING
    return (
        (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    ) * NUMBERS_PER_MICROSECOND + _ROOM


def last_number(now: datetime) -> int:
    """Return the largest number that an article published by now can have."""
    return first_number(now) + NUMBERS_PER_MICROSECOND - 1
