"""Computes when calls are made: repetitions of failed calls, and combined calls."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

# The seconds from each failure to the next attempt, as the Standard Webhooks specification recommends: ten
# attempts in about three days.
DELAYS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
MAX_RETRY_AFTER = 86_400
# The longest delay that `get_delay` can return, with the random part.
LONGEST_DELAY = timedelta(seconds=1.1 * max(DELAYS[-1], MAX_RETRY_AFTER))


def get_delay(failures: int, retry_after: str, now: datetime) -> float | None:
    """Return the seconds to wait after `failures` failed attempts (1 or more), or None to give up.

    A random part is added, so that calls that failed at the same time are not repeated at the same time.
    `retry_after` is the `Retry-After` header of the answer: seconds, a date, or empty.
    """
    if failures > len(DELAYS):
        return None
    delay = DELAYS[failures - 1] * random.uniform(1, 1.1)  # noqa: S311 (not for secrets)
    return max(delay, min(_parse_retry_after(retry_after, now), MAX_RETRY_AFTER))


def get_combined_call_time(
    first: datetime, last: datetime, last_called: datetime | None, *, quiet: int, interval: int
) -> datetime:
    """Return the time of the next combined call for changes between the times `first` and `last`.

    The call is made `quiet` seconds after the last change, but at most `interval` seconds after the first
    change (or `quiet`, if that is more), and at least `interval` seconds after the last call.
    """
    due = min(last + timedelta(seconds=quiet), first + timedelta(seconds=max(quiet, interval)))
    return due if last_called is None else max(due, last_called + timedelta(seconds=interval))


def _parse_retry_after(text: str, now: datetime) -> float:
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return (parsedate_to_datetime(text) - now).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return 0.0
