"""Answers that may be given again: bounded in memory, the least recently used go first.

All of them belong to one state of the database. A body that several answers share is held once.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime

# Where the environment of a request has what is to be called before its client is waited for.
GIVE_UP = "blogapi.give_up"

# What an answer takes beside the text of its headers and its body, in bytes; measured with tracemalloc.
OVERHEAD = 1_800


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A status line, headers and a body, as they were given between two moments.

    `until` is when it can differ by the clock alone; before `made` it was another's time. `route` is the rule
    of the view that made it.
    """

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    made: datetime
    until: datetime
    route: str = ""

    @property
    def beside(self) -> int:
        """Return what it takes beside its body, in bytes; a client chooses how long a `Link` is."""
        return OVERHEAD + sum(len(name) + len(value) for name, value in self.headers)


class LRUCache:
    """Answers by request, at most `size` bytes of them; safe for threads."""

    def __init__(self, size: int) -> None:
        self.size = size
        # A single answer must not push out all others.
        self.largest = size // 8
        self.held = 0
        self.hits = 0
        self._state = -1
        self._answers: OrderedDict[Hashable, CachedResponse] = OrderedDict()
        self._bodies: dict[bytes, bytes] = {}
        self._uses: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, request: Hashable, state: int, now: datetime) -> CachedResponse | None:
        """Return the answer that was given to the request in this state, if it still holds at `now`."""
        with self._lock:
            answer = self._answers.get(request) if state == self._state else None
            if answer is None or not answer.made <= now < answer.until:
                return None
            self._answers.move_to_end(request)
            self.hits += 1
            return answer

    def keep(self, request: Hashable, state: int, answer: CachedResponse) -> None:
        """Keep the answer, unless it is too large or belongs to a state that is over."""
        with self._lock:
            if state < self._state or max(len(answer.body), answer.beside - OVERHEAD) > self.largest:
                return
            if state > self._state:
                self._clear(state)
            self._drop(request)
            self._put(request, answer)
            while self.held > self.size:
                self._drop(next(iter(self._answers)))

    def _clear(self, state: int) -> None:
        self._answers.clear()
        self._bodies.clear()
        self._uses.clear()
        self.held, self._state = 0, state

    def _put(self, request: Hashable, answer: CachedResponse) -> None:
        body = self._bodies.setdefault(answer.body, answer.body)
        self._uses[body] += 1
        self.held += answer.beside + (len(body) if self._uses[body] == 1 else 0)
        self._answers[request] = replace(answer, body=body)

    def _drop(self, request: Hashable) -> None:
        answer = self._answers.pop(request, None)
        if answer is None:
            return
        self._uses[answer.body] -= 1
        self.held -= answer.beside
        if not self._uses[answer.body]:
            del self._uses[answer.body], self._bodies[answer.body]
            self.held -= len(answer.body)
