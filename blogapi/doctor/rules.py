"""What counts as wrong."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from datetime import datetime, timedelta

from blogapi.search.rules import SLOTS, last_number

# What must be free for the blog to go on, and what should be beside two copies of it.
LEAST_FREE = 50 * 1024 * 1024
SPARE = 100 * 1024 * 1024

# A file may be a little ahead: the clock is set by the network now and then.
AHEAD = timedelta(minutes=5)

# Articles of one moment take the numbers around it; a second has room for 16 million.
_CROWD = 1_000_000 * SLOTS

_EXAMPLES = 3


def open_to_others(mode: int) -> bool:
    """Tell whether the mode lets others than the owner read or write."""
    return bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def writable_by_others(mode: int) -> bool:
    """Tell whether the mode lets others than the owner write."""
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH))


def clock_is_behind(now: datetime, changed: datetime) -> bool:
    """Tell whether a file was changed later than the clock shows."""
    return changed - now > AHEAD


def numbered_well(number: int, published_at: datetime | None) -> bool:
    """Tell whether the number in the index says when the article was published, or that it was not."""
    if published_at is None:
        return number < 0
    return number >= 0 and abs(number - last_number(published_at)) < _CROWD


def some(names: Sequence[str], count: int) -> str:
    """Return the first few names, and that there are more."""
    shown = ", ".join(names[:_EXAMPLES])
    return f"{shown}, …" if count > _EXAMPLES else shown


def bytes_of(number: int) -> str:
    """Return a size for a person."""
    return f"{number / 1024**3:.1f} GB" if number >= 1024**3 else f"{number / 1024**2:.1f} MB"
