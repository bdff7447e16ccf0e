"""Whether limits are counted where they should be."""

from __future__ import annotations

from collections.abc import Iterator

from flask import current_app

from blogapi.doctor.findings import Finding, ok, wrong
from blogapi.rate_limits import limiter


def run_checks() -> Iterator[Finding]:
    """Yield whether the Redis answers in which limits are counted, where one is named."""
    if not current_app.config["LIMITS_URL"]:
        return
    trouble = limiter.get_counters(current_app).trouble()
    if trouble:
        says = f"Redis does not answer, and each process counts for itself: {trouble}"
        yield wrong("limits", says, "start it, or mend LIMITS_URL")
    else:
        yield ok("limits", "Redis counts them.")
