"""Limits on how often something may be tried."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from flask import Flask, current_app, request

from blogapi.config import CannotStart
from blogapi.rate_limits.memory import Attempt, MemoryCounters
from blogapi.web.errors import TooManyRequests, Unauthorized

# A setting that holds a limit, then whom it is counted for.
Try = tuple[str, ...]


def init_app(app: Flask) -> None:
    """Give the application its counters; raises CannotStart where `LIMITS_URL` cannot be used."""
    app.extensions["blogapi-limits"] = _counters(app) if app.config["LIMITS_URL"] else MemoryCounters()


def get_counters(app: Flask) -> MemoryCounters:
    """Return the counters of the application."""
    counters: MemoryCounters = app.extensions["blogapi-limits"]
    return counters


def count_attempts(*tries: Try) -> None:
    """Count one for each try; raises TooManyRequests where one of them is one too many, and counts none."""
    wait = get_counters(current_app).count(*_with_limits(tries))
    if wait:
        raise too_many_requests(wait)


@contextmanager
def count_failures(*tries: Try) -> Iterator[None]:
    """Count one for each try that ends in Unauthorized; raises TooManyRequests where one is too many.

    Counted before and taken back after, or many at once would all find room.
    """
    count_attempts(*tries)
    failed = False
    try:
        yield
    except Unauthorized:
        failed = True
        raise
    finally:
        if not failed:
            get_counters(current_app).take_back(*_with_limits(tries))


def client_network() -> str:
    """Return whom the address stands for that the present request came from."""
    return address_key(request.remote_addr or "")


def too_many_requests(wait: float) -> TooManyRequests:
    """Return the error of one who has to wait that many seconds."""
    seconds = max(1, math.ceil(wait))
    return TooManyRequests(f"Too many tries; wait {seconds} seconds, then try again.", seconds=seconds)


@lru_cache(maxsize=10_000)
def address_key(address: str) -> str:
    """Return whom an address stands for: itself, of IPv6 its /64, which one household or server has."""
    try:
        parsed = ip_address(address)
    except ValueError:
        # A socket of the file system has no address.
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ip_network((int(parsed), 64), strict=False))
    return str(parsed)


def _counters(app: Flask) -> MemoryCounters:
    try:
        # Here, since most do without the package.
        from blogapi.rate_limits.redis import RedisCounters
    except ImportError as error:
        raise CannotStart("LIMITS_URL needs the Python package redis; pip install redis.") from error
    return RedisCounters(app.config["LIMITS_URL"], app.config["SECRET_KEY"], app.logger)


def _with_limits(tries: tuple[Try, ...]) -> list[Attempt]:
    return [(setting, current_app.config[setting], tuple(whom)) for setting, *whom in tries]
