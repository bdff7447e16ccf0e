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
    """Run the checks and return their report; raises Conflict if another thread is running them."""
    if not _lock.acquire(blocking=False):
        raise Conflict(
            "The checks are running already; read their results in a moment.", code="checks_running"
        )
    try:
        report = Report(clock.now(), tuple(health_checks.run_checks()))
    finally:
        _lock.release()
    current_app.extensions[_EXTENSION] = report
    return report
