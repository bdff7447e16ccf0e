"""The numbers of articles in the search index: the later an article is published, the larger its number."""

from __future__ import annotations

from datetime import UTC, datetime

# If more articles are published in one microsecond, they get numbers of nearby microseconds.
NUMBERS_PER_MICROSECOND = 16

# The maximum difference between the number of an article and the numbers of its time; more than 16 million
# articles per second would have to be published to exceed it.
MAX_SHIFT = 1_000_000 * NUMBERS_PER_MICROSECOND

_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
# The count of numbers reserved below the first number of _EARLIEST. Many articles can have this time, because
# some programs give it to articles without a date.
_RESERVED_NUMBERS = 1 << 32


def first_number(published_at: datetime) -> int:
    """Return the smallest number for an article published at the time (aware)."""
    elapsed = published_at - _EARLIEST
    microseconds = (elapsed.days * 86_400 + elapsed.seconds) * 1_000_000 + elapsed.microseconds
    return microseconds * NUMBERS_PER_MICROSECOND + _RESERVED_NUMBERS


def last_number(now: datetime) -> int:
    """Return the largest number that an article published by `now` (aware) can have."""
    return first_number(now) + NUMBERS_PER_MICROSECOND - 1
