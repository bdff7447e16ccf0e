"""Byte counts by client, bounded in all and for each client."""

from __future__ import annotations

import threading
from collections import Counter


class ByteBudget:
    """Counts bytes by client, at most `in_all` and `per_client`; thread-safe."""

    def __init__(self, in_all: int, per_client: int) -> None:
        self._in_all, self._per_client = in_all, per_client
        self._bytes: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Return the number of counted bytes."""
        with self._lock:
            return self._bytes.total()

    def resize(self, client: str, before: int, after: int) -> bool:
        """Count `after` bytes in place of `before`; return False, without a change, if they do not fit."""
        with self._lock:
            if after > before and not self._fits(client, after - before):
                return False
            add(self._bytes, client, after - before)
            return True

    def _fits(self, client: str, size: int) -> bool:
        in_all = self._bytes.total() + size
        return in_all <= self._in_all and self._bytes[client] + size <= self._per_client


def add(counter: Counter[str], client: str, number: int) -> None:
    """Add to a client's count; a client whose count is zero is removed."""
    counter[client] += number
    if not counter[client]:
        del counter[client]
