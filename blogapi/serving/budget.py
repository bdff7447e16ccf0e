"""Byte counts by client, with one limit for all clients together and one for each client."""

from __future__ import annotations

import threading
from collections import Counter


class ByteBudget:
    """Counts up to `total_limit` bytes, and up to `client_limit` bytes of each client; thread-safe."""

    def __init__(self, total_limit: int, client_limit: int) -> None:
        self._total_limit, self._client_limit = total_limit, client_limit
        self._bytes: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Return the number of counted bytes."""
        with self._lock:
            return self._bytes.total()

    def resize(self, client: str, before: int, after: int) -> bool:
        """Count `after` bytes instead of `before`; return False and change nothing if a limit is exceeded."""
        with self._lock:
            if after > before and not self._fits(client, after - before):
                return False
            add_count(self._bytes, client, after - before)
            return True

    def _fits(self, client: str, size: int) -> bool:
        total = self._bytes.total() + size
        return total <= self._total_limit and self._bytes[client] + size <= self._client_limit


def add_count(counter: Counter[str], client: str, number: int) -> None:
    """Add to a client's count, and remove the client if its count is then zero."""
    counter[client] += number
    if not counter[client]:
        del counter[client]
