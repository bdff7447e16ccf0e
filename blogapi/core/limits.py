"""Limits on how often something may be tried, kept in the memory of the process."""

from __future__ import annotations

import math

import limits
from flask import Flask, current_app
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from blogapi.core import clock
from blogapi.core.errors import TooManyRequests


def init_app(app: Flask) -> None:
    """Give the application its counters."""
    app.extensions["blogapi-limits"] = MovingWindowRateLimiter(MemoryStorage())


def check(setting: str, *whom: str) -> None:
    """Raise TooManyRequests where `whom` has used up what the setting of that name allows."""
    for rate in _rates(setting):
        if not _limiter().test(rate, setting, *whom):
            _refuse(rate, setting, *whom)


def count(setting: str, *whom: str) -> None:
    """Count one try of `whom`; raises TooManyRequests where it is one too many."""
    for rate in _rates(setting):
        if not _limiter().hit(rate, setting, *whom):
            _refuse(rate, setting, *whom)


def _limiter() -> MovingWindowRateLimiter:
    limiter: MovingWindowRateLimiter = current_app.extensions["blogapi-limits"]
    return limiter


def _rates(setting: str) -> list[limits.RateLimitItem]:
    return limits.parse_many(current_app.config[setting])


def _refuse(rate: limits.RateLimitItem, *identifiers: str) -> None:
    reset = _limiter().get_window_stats(rate, *identifiers).reset_time
    seconds = max(1, math.ceil(reset - clock.now().timestamp()))
    raise TooManyRequests(f"Too many tries; wait {seconds} seconds, then try again.", seconds=seconds)
