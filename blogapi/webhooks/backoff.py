"""The times at which failed calls are repeated."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

# The seconds from each failure to the next attempt, as the Standard Webhooks specification recommends: ten
# attempts in about three days.
DELAYS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
MAX_RETRY_AFTER = 86_400
LONGEST_DELAY = timedelta(seconds=1.1 * max(DELAYS[-1], MAX_RETRY_AFTER))  # with the random part


def get_delay(failures: int, retry_after: str, now: datetime) -> float | None:
    """Return the seconds to wait after this many failures (1 or more); None to give up.

    A random part is added, so that calls that failed together are not repeated together. `retry_after` is the
    header of the answer: seconds, a date, or empty.
    """
    if failures > len(DELAYS):
        return None
    delay = DELAYS[failures - 1] * random.uniform(1, 1.1)  # noqa: S311 (not for secrets)
    return max(delay, min(_parse_retry_after(retry_after, now), MAX_RETRY_AFTER))


def get_combined_call_time(
    first: datetime, last: datetime, last_called: datetime | None, *, quiet: int, interval: int
) -> datetime:
    """Return the time of the next combined call for changes between the times `first` and `last`.

    It is `quiet` seconds after the last change, but at most `interval` seconds after the first one, and at
    least `interval` seconds after the last call.
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
