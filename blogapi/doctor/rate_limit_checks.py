"""A check that Redis responds, if the rate limits are configured to use Redis."""

from __future__ import annotations

from collections.abc import Iterator

from flask import current_app

from blogapi.doctor.findings import Finding, ok, wrong
from blogapi.rate_limits import limiter


def run_checks() -> Iterator[Finding]:
    """Yield a finding about whether Redis responds; without `LIMITS_URL`, yield nothing."""
    if not current_app.config["LIMITS_URL"]:
        return
    error = limiter.get_counters(current_app).find_error()
    if error:
        says = f"Redis does not respond; each process counts requests in its own memory: {error}"
        yield wrong("limits", says, "start Redis, or correct LIMITS_URL")
    else:
        yield ok("limits", "The rate limit counters are stored in Redis.")
