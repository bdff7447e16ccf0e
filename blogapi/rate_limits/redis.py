"""How often each of many did something, counted in Redis for all servers that share it.

On the clock of Redis. Of whom something is counted for, only a digest stands there, made with the blog's
`SECRET_KEY`; and all expires by itself.
"""

from __future__ import annotations

import hmac
import math
import threading
from collections.abc import Callable, Hashable, Iterator
from logging import Logger
from typing import TypeVar

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from blogapi import clock
from blogapi.config import CannotStart
from blogapi.rate_limits.memory import Attempt, MemoryCounters, parse_limit

# How long a request waits for a connection, and then for an answer, in seconds.
PATIENCE = 0.5

# How long a Redis that did not answer is left alone, and how seldom the log tells of it, in seconds.
REST, SILENCE = 1.0, 60.0

# How long somebody is known after they were seen, in seconds: 90 days.
KNOWN = 90 * 24 * 3600

# KEYS are the windows, ARGV the amount and the milliseconds of each; returns the milliseconds to wait, or 0
# where all were counted. A window is a list of moments, the newest first, no longer than its amount. A moment
# that lies ahead is of a clock that was set back since, and keeps nobody waiting.
_COUNT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait = 0
for i, window in ipairs(KEYS) do
    local oldest = tonumber(redis.call('LINDEX', window, ARGV[2 * i - 1] - 1))
    if oldest and oldest <= now then
        wait = math.max(wait, oldest + ARGV[2 * i] - now)
    end
end
if wait == 0 then
    for i, window in ipairs(KEYS) do
        redis.call('LPUSH', window, now)
        redis.call('LTRIM', window, 0, ARGV[2 * i - 1] - 1)
        redis.call('PEXPIRE', window, ARGV[2 * i])
    end
end
return wait
"""

Answer = TypeVar("Answer")


class RedisCounters(MemoryCounters):
    """Counters that many servers share; where Redis is away, each counts in its own memory."""

    def __init__(self, url: str, secret: str, log: Logger) -> None:
        super().__init__()
        self._redis, self._secret = _client(url), secret.encode("utf-8")
        self._script = self._redis.register_script(_COUNT)
        self._presence = CircuitBreaker(self._redis, log)

    def count(self, *tries: Attempt) -> float:
        """Count one for each (setting, limit, whom), or none of them where one has no room.

        Returns the seconds to wait, 0 where they were counted. An empty limit is none.
        """
        found = list(self._named(*tries))
        if not found:
            return 0.0
        names = [name for name, _, _ in found]
        sizes = [number for _, amount, seconds in found for number in (amount, seconds * 1000)]
        wait: int | None = self._presence.ask(lambda: self._script(names, sizes))
        return super().count(*tries) if wait is None else wait / 1000

    def take_back(self, *tries: Attempt) -> None:
        """Let what was counted last for each not have been."""

        def popped() -> list[object]:
            with self._redis.pipeline() as together:
                for name, _, _ in self._named(*tries):
                    together.lpop(name)
                return together.execute()

        if self._presence.ask(popped) is None:
            super().take_back(*tries)

    def remember(self, whom: Hashable) -> None:
        """Know them from now on, here and at the others; there for a while."""
        super().remember(whom)
        self._presence.ask(lambda: self._redis.set(self._name("known", whom), "", ex=KNOWN))

    def remembers(self, whom: Hashable) -> bool:
        """Tell whether they are known, here or at the others."""
        known = super().remembers(whom)
        return known or bool(self._presence.ask(lambda: self._redis.exists(self._name("known", whom))))

    def trouble(self) -> str:
        """Return why Redis does not answer; empty where it does."""
        try:
            self._redis.ping()
        except RedisError as error:
            return str(error)
        return ""

    def _named(self, *tries: Attempt) -> Iterator[tuple[str, int, int]]:
        for setting, limit, whom in tries:
            for amount, seconds in parse_limit(limit):
                yield self._name(f"{setting}:{amount}:{seconds}", whom), amount, seconds

    def _name(self, what: str, whom: Hashable) -> str:
        # Keyed, or whoever reads Redis could try all addresses and names; and two blogs never count together.
        digest = hmac.digest(self._secret, repr(whom).encode("utf-8"), "sha256")
        return f"blogapi:{what}:{digest.hex()}"


class CircuitBreaker:
    """Asks Redis as long as it answers; once it does not, nobody waits for it until it does again."""

    def __init__(self, redis: Redis, log: Logger) -> None:
        self._redis, self._log = redis, log
        self._lock = threading.Lock()
        self._here = True
        self._looks_at = self._tells_at = -math.inf

    def ask(self, question: Callable[[], Answer]) -> Answer | None:
        """Return the answer, None where there is none."""
        if not self._here:
            self._look_again()
            return None
        try:
            return question()
        except RedisError as error:
            self._lost(error)
            return None

    def _look_again(self) -> None:
        with self._lock:
            if clock.steady() < self._looks_at:
                return
            # One looks at a time.
            self._looks_at = math.inf
        # In a thread of its own: to find the address of a name takes as long as it takes.
        threading.Thread(target=self._look, name="look for Redis", daemon=True).start()

    def _look(self) -> None:
        try:
            self._redis.ping()
        except RedisError as error:
            self._lost(error)
        else:
            self._here = True

    def _lost(self, error: RedisError) -> None:
        with self._lock:
            now = clock.steady()
            self._here, self._looks_at = False, now + REST
            tells = now >= self._tells_at
            if tells:
                self._tells_at = now + SILENCE
        if tells:
            self._log.warning("limits count in this process alone, as Redis does not answer: %s", error)


def _client(url: str) -> Redis:
    """Return a client of the Redis at the address, not connected yet; raises CannotStart for no address."""
    try:
        made = Redis.from_url(
            url,
            # The older protocol, which every Redis and its kin speak.
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=PATIENCE,
            socket_timeout=PATIENCE,
        )
        # The whole address is looked at only where a connection is made of it.
        pool = made.connection_pool
        connection = pool.connection_class(**pool.connection_kwargs)
        str(getattr(connection, "host", "")).encode("idna")
    except (ValueError, TypeError, RedisError) as error:
        # The address itself is not shown: it can hold a password.
        raise CannotStart("LIMITS_URL cannot be used; write redis://127.0.0.1:6379/0.") from error
    return made
