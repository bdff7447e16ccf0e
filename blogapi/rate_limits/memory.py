"""How often each of many did something, counted in the memory of the process.

On the steady clock: a clock that is set neither opens nor closes anything.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from functools import lru_cache

import limits

from blogapi import clock

# How many are watched at a time under one limit: a crowd must not fill the memory.
MAX_TRACKED = 100_000

# A setting, the limit that it holds, whom it is counted for.
Attempt = tuple[str, str, Hashable]


class SlidingWindow:
    """When each of many did something: at most `amount` times in any `seconds`."""

    def __init__(self, amount: int, seconds: float, most: int = MAX_TRACKED) -> None:
        self._amount, self._seconds, self._most = amount, seconds, most
        # Who did something last stands last.
        self._times: OrderedDict[Hashable, array[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._times)

    def wait(self, whom: Hashable, now: float) -> float:
        """Return how many seconds are left until there is room for one more; 0: there is."""
        times = self._times.get(whom, ())
        return max(0.0, times[-self._amount] + self._seconds - now) if len(times) >= self._amount else 0.0

    def add(self, whom: Hashable, now: float) -> None:
        """Count one more, for which there is room."""
        times = self._times.setdefault(whom, array("d"))
        self._times.move_to_end(whom)
        # Not one by one, since the rest moves up each time.
        if len(times) >= 2 * self._amount:
            del times[: self._amount]
        times.append(now)
        self._forget(now)

    def take_back(self, whom: Hashable) -> None:
        """Let the last one not have been."""
        times = self._times.get(whom)
        if times:
            times.pop()

    def _forget(self, now: float) -> None:
        while self._times:
            times = next(iter(self._times.values()))
            if len(self._times) <= self._most and times and times[-1] + self._seconds > now:
                return
            self._times.popitem(last=False)


class MemoryCounters:
    """The windows of all limits of an application, and who is known; safe for threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, None] = OrderedDict()
        self._windows: dict[tuple[str, int, int], SlidingWindow] = {}
        self._lock = threading.Lock()

    def count(self, *tries: Attempt) -> float:
        """Count one for each (setting, limit, whom), or none of them where one has no room.

        Returns the seconds to wait, 0 where they were counted. An empty limit is none.
        """
        now = clock.steady()
        with self._lock:
            found = list(self._find(*tries))
            wait = max((window.wait(whom, now) for window, whom in found), default=0.0)
            if not wait:
                for window, whom in found:
                    window.add(whom, now)
        return wait

    def take_back(self, *tries: Attempt) -> None:
        """Let what was counted last for each not have been."""
        with self._lock:
            for window, whom in self._find(*tries):
                window.take_back(whom)

    def remember(self, whom: Hashable) -> None:
        """Know them from now on; whoever was not seen for longest is forgotten where there are many."""
        with self._lock:
            self._known[whom] = None
            self._known.move_to_end(whom)
            if len(self._known) > MAX_TRACKED:
                self._known.popitem(last=False)

    def remembers(self, whom: Hashable) -> bool:
        """Tell whether they are known."""
        return whom in self._known

    def trouble(self) -> str:
        """Return what keeps it from counting where it should; empty: nothing."""
        return ""

    def _find(self, *tries: Attempt) -> Iterator[tuple[SlidingWindow, Hashable]]:
        for setting, limit, whom in tries:
            for amount, seconds in parse_limit(limit):
                window = self._windows.get((setting, amount, seconds))
                if window is None:
                    window = self._windows[setting, amount, seconds] = SlidingWindow(amount, seconds)
                yield window, whom


@lru_cache(maxsize=100)
def parse_limit(limit: str) -> tuple[tuple[int, int], ...]:
    """Return the windows of a limit, each as how many in how many seconds; none where it is empty."""
    return tuple((rate.amount, rate.get_expiry()) for rate in limits.parse_many(limit)) if limit else ()
