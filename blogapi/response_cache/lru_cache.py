"""An LRU cache of responses with a memory limit.

All responses belong to one commit version of the database. A body that several responses share is stored
once.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime

# WSGI environ key of a function that the server calls before it waits for a slow client.
GIVE_UP_KEY = "blogapi.give_up"

# Memory that a response needs besides the text of its headers and its body, measured with tracemalloc.
OVERHEAD_BYTES = 1_800


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A status line, headers and a body that are valid from `created_at` until just before `valid_until`.

    `route` is the URL rule of the view that computed it.
    """

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    created_at: datetime
    valid_until: datetime
    route: str = ""

    @property
    def bytes_without_body(self) -> int:
        """Return the memory that the response needs besides its body.

        The headers are counted because a client controls the length of the `Link` header.
        """
        return OVERHEAD_BYTES + sum(len(name) + len(value) for name, value in self.headers)


class LRUCache:
    """Stores up to `max_bytes` of responses by cache key; evicts the least recently used; thread-safe."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        # A single response must not evict all others.
        self.max_response_bytes = max_bytes // 8
        self.used_bytes = 0
        self.hits = 0
        self._version = -1
        self._responses: OrderedDict[Hashable, CachedResponse] = OrderedDict()
        self._bodies: dict[bytes, bytes] = {}
        self._body_uses: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._responses)

    def get(self, key: Hashable, version: int, now: datetime) -> CachedResponse | None:
        """Return the response stored for this commit version, or None if it is not valid at `now`."""
        with self._lock:
            response = self._responses.get(key) if version == self._version else None
            if response is None or not response.created_at <= now < response.valid_until:
                return None
            self._responses.move_to_end(key)
            self.hits += 1
            return response

    def put(self, key: Hashable, version: int, response: CachedResponse) -> None:
        """Store the response unless it is too large or `version` is older than the stored one.

        A newer version evicts all responses of the older one.
        """
        header_bytes = response.bytes_without_body - OVERHEAD_BYTES
        with self._lock:
            if version < self._version or max(len(response.body), header_bytes) > self.max_response_bytes:
                return
            if version > self._version:
                self._clear(version)
            self._evict(key)
            self._add(key, response)
            while self.used_bytes > self.max_bytes:
                self._evict(next(iter(self._responses)))

    def _clear(self, version: int) -> None:
        self._responses.clear()
        self._bodies.clear()
        self._body_uses.clear()
        self.used_bytes, self._version = 0, version

    def _add(self, key: Hashable, response: CachedResponse) -> None:
        body = self._bodies.setdefault(response.body, response.body)
        self._body_uses[body] += 1
        self.used_bytes += response.bytes_without_body + (len(body) if self._body_uses[body] == 1 else 0)
        self._responses[key] = replace(response, body=body)

    def _evict(self, key: Hashable) -> None:
        response = self._responses.pop(key, None)
        if response is None:
            return
        self._body_uses[response.body] -= 1
        self.used_bytes -= response.bytes_without_body
        if not self._body_uses[response.body]:
            del self._body_uses[response.body], self._bodies[response.body]
            self.used_bytes -= len(response.body)
