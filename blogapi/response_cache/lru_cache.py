"""An LRU cache of responses with a memory limit.

Each response belongs to one commit version of the database. A body that several responses share is stored
once.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime

from blogapi.storage.commit_version import CommitVersion

# Memory that a response needs in addition to the text of its headers and its body, measured with tracemalloc.
OVERHEAD_BYTES = 1_800


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A status line, headers and a body that are valid from `created_at` until before `valid_until`.

    `version` is the commit version for which the response is valid. If `shows_drafts` is False, the response
    is valid for every commit version with the same public number. `route` is the URL rule of the view that
    computed the response.
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
        """Return whether the response can be replayed at this version and time."""
        same = self.version == version if self.shows_drafts else self.version.public == version.public
        return same and self.created_at <= now < self.valid_until

    @property
    def bytes_without_body(self) -> int:
        """The memory that the response needs in addition to its body.

        The headers are counted, because a client controls the length of the `Link` header.
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
        self._version = CommitVersion(-1, -1)
        self._responses: OrderedDict[Hashable, CachedResponse] = OrderedDict()
        self._bodies: dict[bytes, bytes] = {}
        self._body_uses: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._responses)

    def get(self, key: Hashable, version: CommitVersion, now: datetime) -> CachedResponse | None:
        """Return the response stored for this commit version, or None if it is not valid at `now`."""
        with self._lock:
            response = self._responses.get(key)
            if response is None or not response.is_valid(version, now):
                return None
            self._responses.move_to_end(key)
            self.hits += 1
            return response

    def put(self, key: Hashable, response: CachedResponse) -> None:
        """Store the response unless it is too large or a response with a newer version was stored.

        A newer public version evicts all responses. A newer version with the same public number evicts
        nothing: older responses that show drafts are replaced later, or evicted as least recently used.
        """
        header_bytes, version = response.bytes_without_body - OVERHEAD_BYTES, response.version
        with self._lock:
            if max(len(response.body), header_bytes) > self.max_response_bytes:
                return
            if version < self._version if response.shows_drafts else version.public < self._version.public:
                return
            if version.public > self._version.public:
                self._clear()
            self._version = max(version, self._version)
            self._evict(key)
            self._add(key, response)
            while self.used_bytes > self.max_bytes:
                self._evict(next(iter(self._responses)))

    def _clear(self) -> None:
        self._responses.clear()
        self._bodies.clear()
        self._body_uses.clear()
        self.used_bytes = 0

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
