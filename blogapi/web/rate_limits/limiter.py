"""Functions that count attempts against the rate limits in the settings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from flask import Flask, current_app, request

from blogapi.config import AppState, CannotStart
from blogapi.web.errors import TooManyRequests, Unauthorized
from blogapi.web.rate_limits.memory import Attempt, MemoryCounters

# The name of the setting that contains the limit, followed by the parts of the key that is counted.
AttemptKey = tuple[str, ...]

COUNTERS = AppState[MemoryCounters]("limits")


def init_app(app: Flask) -> None:
    """Create the counters of the application; raises CannotStart if `LIMITS_URL` is unusable."""
    COUNTERS.set(app, _make_counters(app) if app.config["LIMITS_URL"] else MemoryCounters())


def count_attempts(*keys: AttemptKey) -> None:
    """Count an attempt for each key; if a key exceeds its limit, count none and raise TooManyRequests."""
    wait = COUNTERS.get().count_attempts(*_make_attempts(keys))
    if wait:
        raise make_limit_error(wait)


@contextmanager
def count_failures(*keys: AttemptKey) -> Iterator[None]:
    """Count an attempt for each key if the `with` block raises Unauthorized.

    Raises TooManyRequests before the block if a key exceeds its limit. The attempts are counted before the
    block, so that parallel attempts cannot all pass. If the block does not raise Unauthorized, the counts are
    undone at its end.
    """
    count_attempts(*keys)
    failed = False
    try:
        yield
    except Unauthorized:
        failed = True
        raise
    finally:
        if not failed:
            COUNTERS.get().undo_attempts(*_make_attempts(keys))


def get_client_address_key() -> str:
    """Return the rate-limit key for the client address of the current request."""
    return get_address_key(request.remote_addr or "")


def make_limit_error(wait: float) -> TooManyRequests:
    """Return a 429 error whose Retry-After header is `wait` seconds, rounded up."""
    seconds = max(1, math.ceil(wait))
    return TooManyRequests(f"Too many attempts; wait {seconds} seconds, then try again.", seconds=seconds)


@lru_cache(maxsize=10_000)
def get_address_key(address: str) -> str:
    """Return the rate-limit key for a client address: the IPv4 address, or the IPv6 /64 network.

    A household or a server usually has a whole /64 network.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        # A connection over a Unix socket has no IP address.
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ip_network((int(parsed), 64), strict=False))
    return str(parsed)


def _make_counters(app: Flask) -> MemoryCounters:
    try:
        # This import is local because the package redis is optional.
        from blogapi.web.rate_limits.redis import RedisCounters
    except ImportError as error:
        raise CannotStart("LIMITS_URL needs the Python package redis; run pip install redis.") from error
    return RedisCounters(app.config["LIMITS_URL"], app.config["SECRET_KEY"], app.logger)


def _make_attempts(keys: tuple[AttemptKey, ...]) -> list[Attempt]:
    return [(setting, current_app.config[setting], tuple(key)) for setting, *key in keys]
