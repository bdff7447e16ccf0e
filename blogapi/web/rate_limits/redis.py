"""Rate-limit counters in Redis, shared by all servers of a blog.

The counters use the clock of Redis. Each key is stored as a digest (HMAC with the blog's `SECRET_KEY`), and
expires.
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
from blogapi.web.rate_limits.memory import Attempt, MemoryCounters, parse_optional_rates

# The maximum time for the connection to Redis, and the maximum time for its reply, in seconds.
TIMEOUT_SECONDS = 0.5

# The seconds after a failure of Redis until the next check, and the minimum seconds between two warnings.
RETRY_SECONDS, WARNING_SECONDS = 1.0, 60.0

# How long a key is remembered: 90 days.
REMEMBER_SECONDS = 90 * 24 * 3600

# KEYS contains the keys of the windows; ARGV contains two numbers for each window: the maximum number of
# attempts, and the length of the window in milliseconds. The script returns 0 if it has counted all attempts,
# otherwise the milliseconds to wait. A window is a list of times, newest first. A stored time in the future
# is ignored, because it shows that the clock of Redis was set back.
COUNT_SCRIPT = """
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

Reply = TypeVar("Reply")


class RedisCounters(MemoryCounters):
    """Counters that are shared through Redis; each process counts in memory while Redis is unavailable."""

    def __init__(self, url: str, secret: str, log: Logger) -> None:
        super().__init__()
        self._redis, self._secret = _make_redis_client(url), secret.encode("utf-8")
        self._script = self._redis.register_script(COUNT_SCRIPT)
        self._breaker = CircuitBreaker(self._redis, log)

    def count_attempts(self, *attempts: Attempt) -> float:
        """Count all attempts, or none if one attempt exceeds its limit.

        Returns 0 if the attempts were counted, otherwise the seconds to wait. An empty limit is ignored.
        """
        windows = list(self._list_windows(*attempts))
        if not windows:
            return 0.0
        names = [name for name, _, _ in windows]
        sizes = [number for _, amount, seconds in windows for number in (amount, seconds * 1000)]
        wait: int | None = self._breaker.call_redis(lambda: self._script(names, sizes))
        return super().count_attempts(*attempts) if wait is None else wait / 1000

    def undo_attempts(self, *attempts: Attempt) -> None:
        """Remove the most recent attempt of each key, which `count_attempts` has counted."""

        def pop_newest() -> list[object]:
            with self._redis.pipeline() as pipeline:
                for name, _, _ in self._list_windows(*attempts):
                    pipeline.lpop(name)
                return pipeline.execute()

        if self._breaker.call_redis(pop_newest) is None:
            super().undo_attempts(*attempts)

    def remember_key(self, key: Hashable) -> None:
        """Remember the key in this process, and in Redis for REMEMBER_SECONDS."""
        super().remember_key(key)
        name = self._make_redis_key("known", key)
        self._breaker.call_redis(lambda: self._redis.set(name, "", ex=REMEMBER_SECONDS))

    def remembers_key(self, key: Hashable) -> bool:
        """Return whether the key is remembered in this process or in Redis."""
        name = self._make_redis_key("known", key)
        return super().remembers_key(key) or bool(self._breaker.call_redis(lambda: self._redis.exists(name)))

    def find_problem(self) -> str:
        """Return why Redis does not respond, or an empty string if it responds."""
        try:
            self._redis.ping()
        except RedisError as error:
            return str(error)
        return ""

    def _list_windows(self, *attempts: Attempt) -> Iterator[tuple[str, int, int]]:
        for setting, limit, key in attempts:
            for amount, seconds in parse_optional_rates(limit):
                yield self._make_redis_key(f"{setting}:{amount}:{seconds}", key), amount, seconds

    def _make_redis_key(self, kind: str, key: Hashable) -> str:
        # The digest depends on a secret, so that a person who reads Redis cannot find an address by computing
        # the digests of all addresses, and so that two blogs never share a counter.
        digest = hmac.digest(self._secret, repr(key).encode("utf-8"), "sha256")
        return f"blogapi:{kind}:{digest.hex()}"


class CircuitBreaker:
    """Calls Redis; after a failed call, skips all calls until a check in the background succeeds."""

    def __init__(self, redis: Redis, log: Logger) -> None:
        self._redis, self._log = redis, log
        self._lock = threading.Lock()
        self._available = True
        self._next_check = self._next_warning = -math.inf

    def call_redis(self, function: Callable[[], Reply]) -> Reply | None:
        """Return the result of the function, or None if Redis is unavailable."""
        if not self._available:
            self._start_check()
            return None
        try:
            return function()
        except RedisError as error:
            self._open_circuit(error)
            return None

    def _start_check(self) -> None:
        with self._lock:
            if clock.monotonic() < self._next_check:
                return
            # No other check starts until this check has finished.
            self._next_check = math.inf
        # The check runs in a separate thread, because its DNS lookup has no time limit.
        try:
            threading.Thread(target=self._check_redis, name="check Redis", daemon=True).start()
        except RuntimeError as error:
            # The operating system refuses another thread, so the check is tried again later.
            self._open_circuit(error)

    def _check_redis(self) -> None:
        try:
            self._redis.ping()
        except RedisError as error:
            self._open_circuit(error)
        else:
            self._available = True

    def _open_circuit(self, error: RedisError | RuntimeError) -> None:
        with self._lock:
            now = clock.monotonic()
            self._available, self._next_check = False, now + RETRY_SECONDS
            warn = now >= self._next_warning
            if warn:
                self._next_warning = now + WARNING_SECONDS
        if warn:
            message = "Redis does not respond; this process counts requests in its own memory: %s"
            self._log.warning(message, error)


def _make_redis_client(url: str) -> Redis:
    """Return a client that is not connected yet; raises CannotStart if the URL is unusable."""
    try:
        client = Redis.from_url(
            url,
            # Protocol version 2 is supported by all versions of Redis and by its forks.
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=TIMEOUT_SECONDS,
            socket_timeout=TIMEOUT_SECONDS,
        )
        # redis-py validates the whole URL only when it creates a connection.
        pool = client.connection_pool
        connection = pool.connection_class(**pool.connection_kwargs)
        str(getattr(connection, "host", "")).encode("idna")
    except (ValueError, TypeError, RedisError) as error:
        # The message does not show the URL, which may contain a password.
        raise CannotStart("LIMITS_URL cannot be used; an example is redis://127.0.0.1:6379/0.") from error
    return client
