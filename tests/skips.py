"""The reasons for which a test may be skipped on CI (`CI=true`); any other skip fails there.

A test that itself creates a link, or a file whose name Windows reserves, is skipped on Windows. If blogapi
does it, the test fails.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.audit_hooks import windows
from tests.audit_hooks.windows import INVALID_NAME, NO_RIGHT_TO_LINK

# The beginnings of the permitted skip reasons, each with an explanation.
EXPECTED_REASONS = {
    "about SQLite": "runs in the run on SQLite",
    "BLOGAPI_TEST_DATABASE_URL names no server": "runs in the run on PostgreSQL",
    "BLOGAPI_TEST_CORPUS names no folder": "needs real blogs, which cannot be published",
    "root can read every folder": "needs a user other than root",
    "only root on Linux can mount a small disk": "needs a right that few containers have",
    "only root can change owners": "needs a user who is root",
    "needs root, and a Python that each user can run": "starts commands as other users",
    "the memory is read from /proc": "needs Linux",
    "BLOGAPI_TEST_FRAMEWORKS is not set": "takes two minutes: installs and builds Astro and Next.js",
    "nginx is not installed": "needs nginx",
    "Java is not installed": "openapi-generator is a program in Java",
    "Go is not installed": "needs a compiler",
    "Rust is not installed": "needs a compiler",
    "promtool is not installed": "needs the program that comes with Prometheus",
    "pg_ctl is not installed": "needs the programs of a PostgreSQL server",
    "pg_dump is not installed": "needs the programs of PostgreSQL",
    "Varnish is not installed": "needs Varnish and a C compiler",
    "the package registry cannot be reached": "needs a network that some machines lack",
    "the history of the repository is missing": "needs git and a clone that is not shallow",
    "restic is not installed": "needs restic",
    "rclone is not installed": "needs rclone",
    "systemd-analyze is not installed": "needs systemd",
    "no image can be built": "needs root, buildah, debootstrap and crun",
    "Litestream is not installed": "needs Litestream, which Debian does not have",
    "wrk is not installed": "the benchmark has a client in Python too",
    "Matplotlib is not installed": "only charts of the benchmark need it",
    "Windows ": "needs what Windows lacks",
    "no IPv6": "needs a network that few containers have",
}
if windows.is_on():
    EXPECTED_REASONS["psutil is not installed"] = "on Linux, it imports modules that Windows lacks"
_TESTS = Path(__file__).parent
# The folders of the tests and of the package.
_FOLDERS = (f"{_TESTS}{os.sep}", f"{_TESTS.parent / 'blogapi'}{os.sep}")
_HOOKS = f"{_TESTS / 'audit_hooks'}{os.sep}"


def _fail_unexpected(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip with an unlisted reason into a failure."""
    if os.environ.get("CI") != "true" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(tuple(EXPECTED_REASONS)):
        report.outcome = "failed"
        report.longrepr = (
            f"Skipped: {reason}\nWith CI=true a test is skipped only for a reason listed in tests/skips.py."
        )


def _skip_on_windows(report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    """Turn the failure of a test that needs what Windows refuses into a skip."""
    number = getattr(call.excinfo and call.excinfo.value, "winerror", None)
    if call.excinfo is None or number not in (INVALID_NAME, NO_RIGHT_TO_LINK):
        return
    frames = [(str(entry.path), entry.lineno + 1) for entry in call.excinfo.traceback]
    ours = [frame for frame in frames if frame[0].startswith(_FOLDERS) and not frame[0].startswith(_HOOKS)]
    if ours and ours[-1][0].startswith(_FOLDERS[0]):
        report.outcome = "skipped"
        report.longrepr = (*ours[-1], f"Skipped: Windows refuses: {call.excinfo.value}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Check the skip of a test."""
    report = yield
    _skip_on_windows(report, call)
    _fail_unexpected(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Check the skip of a module."""
    report = yield
    _fail_unexpected(report)
    return report
