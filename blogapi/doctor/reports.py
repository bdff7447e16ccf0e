"""The last report of the quick checks, which each process keeps in memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime

from flask import current_app

from blogapi import clock
from blogapi.doctor import health_checks
from blogapi.doctor.findings import Advice
from blogapi.web.errors import Conflict

_EXTENSION = "blogapi-doctor"
# How long a request waits for the checks of another one.
_WAIT_SECONDS = 5.0

_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Report:
    """The results of the checks, and when they ran (None: not yet)."""

    checked: datetime | None = None
    findings: tuple[Advice, ...] = ()


def get_report() -> Report:
    """Return the last report of this process."""
    report: Report = current_app.extensions.get(_EXTENSION, Report())
    return report


def make_report() -> Report:
    """Run the checks and return their report, or the report of another thread that has just run them.

    Raises Conflict if another thread has not finished them in time.
    """
    asked = clock.now()
    if not _lock.acquire(timeout=_WAIT_SECONDS):
        raise Conflict(
            "The checks are running already; read their results in a moment.", code="checks_running"
        )
    try:
        report = get_report()
        if report.checked is None or report.checked < asked:
            report = Report(clock.now(), tuple(health_checks.run_checks()))
            current_app.extensions[_EXTENSION] = report
    finally:
        _lock.release()
    return report
