"""Rate-limit counters in the memory of the process.

The counters use the monotonic clock, so a change of the system clock does not affect them.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from functools import lru_cache

from blogapi import clock
from blogapi.settings import parse_rates

# The maximum number of keys whose attempts are stored per limit, so that many clients cannot fill the memory.
MAX_TRACKED_KEYS = 100_000

# The name of a setting, the limit that it contains (such as "5 per minute"), and the key that is counted.
Attempt = tuple[str, str, Hashable]


class SlidingWindow:
    """The times of recent attempts per key; a key may make `amount` attempts within any `seconds` seconds."""

    def __init__(self, amount: int, seconds: float, max_tracked: int = MAX_TRACKED_KEYS) -> None:
        self._amount, self._seconds, self._max_tracked = amount, seconds, max_tracked
        # Ordered by the time of each key's most recent attempt; the oldest comes first.
        self._times: OrderedDict[Hashable, array[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._times)

    def compute_wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until the key may make another attempt, or 0 if it may make one now."""
        times = self._times.get(key, ())
        return max(0.0, times[-self._amount] + self._seconds - now) if len(times) >= self._amount else 0.0

    def add_attempt(self, key: Hashable, now: float) -> None:
        """Count an attempt of the key; call this only after `compute_wait` has returned 0."""
        times = self._times.setdefault(key, array("d"))
        self._times.move_to_end(key)
        # Delete old times only when `amount` of them have accumulated, because each deletion moves the array.
        if len(times) >= 2 * self._amount:
            del times[: self._amount]
        times.append(now)
        self._drop_expired_keys(now)

    def remove_last_attempt(self, key: Hashable) -> None:
        """Remove the most recent attempt of the key."""
        times = self._times.get(key)
        if times:
            times.pop()

    def _drop_expired_keys(self, now: float) -> None:
        while self._times:
            times = next(iter(self._times.values()))
            if len(self._times) <= self._max_tracked and times and times[-1] + self._seconds > now:
                return
            self._times.popitem(last=False)


class MemoryCounters:
    """The counters for all limits of an application, and a set of remembered keys; thread-safe.

    `users.credentials` remembers the networks from which each user has logged in.
    """

    def __init__(self) -> None:
        self._remembered: OrderedDict[Hashable, None] = OrderedDict()
        self._windows: dict[tuple[str, int, int], SlidingWindow] = {}
        self._lock = threading.Lock()

    def count_attempts(self, *attempts: Attempt) -> float:
        """Count all attempts, or none if one attempt exceeds its limit.

        Returns 0 if the attempts were counted, otherwise the seconds to wait. An empty limit is ignored.
        """
        now = clock.monotonic()
        with self._lock:
            windows = list(self._find_or_create_windows(*attempts))
            wait = max((window.compute_wait(key, now) for window, key in windows), default=0.0)
            if not wait:
                for window, key in windows:
                    window.add_attempt(key, now)
        return wait

    def undo_attempts(self, *attempts: Attempt) -> None:
        """Remove the most recent attempt of each key, which `count_attempts` has counted."""
        with self._lock:
            for window, key in self._find_or_create_windows(*attempts):
                window.remove_last_attempt(key)

    def remember_key(self, key: Hashable) -> None:
        """Remember the key; if there are more than MAX_TRACKED_KEYS keys, forget the oldest one."""
        with self._lock:
            self._remembered[key] = None
            self._remembered.move_to_end(key)
            if len(self._remembered) > MAX_TRACKED_KEYS:
                self._remembered.popitem(last=False)

    def remembers_key(self, key: Hashable) -> bool:
        """Return whether `remember_key` was called with the key, and the key was not forgotten since."""
        return key in self._remembered

    def find_problem(self) -> str:
        """Return why the counters do not work as configured, or an empty string if they work."""
        return ""

    def _find_or_create_windows(self, *attempts: Attempt) -> Iterator[tuple[SlidingWindow, Hashable]]:
        for setting, limit, key in attempts:
            for amount, seconds in parse_optional_rates(limit):
                window = self._windows.get((setting, amount, seconds))
                if window is None:
                    window = self._windows[setting, amount, seconds] = SlidingWindow(amount, seconds)
                yield window, key


@lru_cache(maxsize=100)
def parse_optional_rates(limit: str) -> tuple[tuple[int, int], ...]:
    """Return (number of attempts, seconds) for each rate in the limit; no rates for an empty limit."""
    return parse_rates(limit) if limit else ()
