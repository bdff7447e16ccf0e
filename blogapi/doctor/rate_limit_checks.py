"""Check that the rate limits are counted as configured."""

from __future__ import annotations

from collections.abc import Iterator

from flask import current_app

from blogapi.doctor.findings import Finding, ok, wrong
from blogapi.rate_limits import limiter


def run_checks() -> Iterator[Finding]:
    """Yield whether Redis answers; nothing without `LIMITS_URL`."""
    if not current_app.config["LIMITS_URL"]:
        return
    error = limiter.get_counters(current_app).find_error()
    if error:
        says = f"Redis does not answer; each process counts for itself: {error}"
        yield wrong("limits", says, "start Redis, or correct LIMITS_URL")
    else:
        yield ok("limits", "Redis counts the rate limits.")
