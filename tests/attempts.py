"""Collects the attacks of the security tests in a table of callers, attempts and responses."""

from __future__ import annotations

from typing import Any

FOLDER = "tests/security/"


def list_attempts(reporter: Any) -> list[tuple[str, str, str]]:
    """Return a tuple (caller, attempt, response) for each attack, including those of other processes."""
    reports = [report for kind in ("passed", "failed") for report in reporter.stats.get(kind, ())]
    return sorted(row for report in reports for name, row in report.user_properties if name == "attempt")


def print_attempts(reporter: Any) -> None:
    """Print the table, or a single line if other tests ran too."""
    found = list_attempts(reporter)
    if not found:
        return
    if any(FOLDER not in report.nodeid for report in reporter.stats.get("passed", ())):
        reporter.write_line(f"{len(found)} attempts against the service; `pytest {FOLDER}` lists them.")
        return
    reporter.section("attempts against the service")
    widths = [max(len(row[column]) for row in found) for column in (0, 2)]
    for caller, attempt, response in found:
        reporter.write_line(f"{caller:<{widths[0]}}  {response:<{widths[1]}}  {attempt}")
    reporter.write_line(f"{len(found)} attempts")
