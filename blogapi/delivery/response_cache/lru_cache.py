"""An LRU cache of responses with a memory limit.

Each response is stored with the commit version of the database for which it was computed. A body that several
responses share is stored once.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime

from blogapi.delivery.response_cache.commit_version import CommitVersion

# The memory that a response needs in addition to its headers and its body, measured with tracemalloc.
OVERHEAD_BYTES = 1_800


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response (status line, headers, body) that is valid from `created_at` to `valid_until` (exclusive).

    `version` is the commit version for which the response is valid. If `shows_drafts` is False, the response
    is valid for every commit version whose `public` number is the same. `route` is the URL rule of the view
    that computed the response.
    """

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    created_at: datetime
    valid_until: datetime
    version: CommitVersion
    shows_drafts: bool = False
    route: str = ""

    def is_valid(self, version: CommitVersion, now: datetime) -> bool:
        """Return whether the response can be sent again at this version and time."""
        is_current = self.version == version if self.shows_drafts else self.version.public == version.public
        return is_current and self.created_at <= now < self.valid_until

    @property
    def bytes_without_body(self) -> int:
        """The memory that the response needs in addition to its body.

        The headers are counted too, because a client controls the length of the `Link` header.
        """
        return OVERHEAD_BYTES + sum(len(name) + len(value) for name, value in self.headers)


class LRUCache:
    """A thread-safe cache that stores up to `max_bytes` of responses, and evicts the least recently used."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        # A single response must not evict all others.
        self.max_response_bytes = max_bytes // 8
        self.used_bytes = 0
        self.hits = 0
        self._version = CommitVersion(-1, -1)
        self._responses: OrderedDict[Hashable, CachedResponse] = OrderedDict()
        self._bodies: dict[bytes, bytes] = {}
        self._body_uses: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._responses)

    def get(self, key: Hashable, version: CommitVersion, now: datetime) -> CachedResponse | None:
        """Return the response for the key, or None if it is missing or not valid at this version and time."""
        with self._lock:
            response = self._responses.get(key)
            if response is None or not response.is_valid(version, now):
                return None
            self._responses.move_to_end(key)
            self.hits += 1
            return response

    def put(self, key: Hashable, response: CachedResponse) -> None:
        """Store the response, unless it is too large or a response of a newer version was stored before.

        A response with a newer public number evicts all others. If only the `commit` number is newer, nothing
        is evicted: outdated responses that show drafts are not sent again, and are replaced or evicted later.
        """
        header_bytes, version = response.bytes_without_body - OVERHEAD_BYTES, response.version
        with self._lock:
            if max(len(response.body), header_bytes) > self.max_response_bytes:
                return
            if version < self._version if response.shows_drafts else version.public < self._version.public:
                return
            if version.public > self._version.public:
                self._evict_all()
            self._version = max(version, self._version)
            self._evict_response(key)
            body = self._bodies.setdefault(response.body, response.body)
            self._body_uses[body] += 1
            self.used_bytes += response.bytes_without_body
            if self._body_uses[body] == 1:
                self.used_bytes += len(body)
            self._responses[key] = replace(response, body=body)
            while self.used_bytes > self.max_bytes:
                self._evict_response(next(iter(self._responses)))

    def _evict_all(self) -> None:
        self._responses.clear()
        self._bodies.clear()
        self._body_uses.clear()
        self.used_bytes = 0

    def _evict_response(self, key: Hashable) -> None:
        response = self._responses.pop(key, None)
        if response is None:
            return
        self._body_uses[response.body] -= 1
        self.used_bytes -= response.bytes_without_body
        if not self._body_uses[response.body]:
            del self._body_uses[response.body], self._bodies[response.body]
            self.used_bytes -= len(response.body)
