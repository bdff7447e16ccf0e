"""The summary of an import over HTTP, which is stored in the database; the whole report is a file."""

from __future__ import annotations

from collections import Counter
from typing import Any

from blogapi.transfer.imports.report_output import count_media
from blogapi.transfer.imports.run import NOT_REACHED, ImportRun
from blogapi.transfer.messages import join_counts
from blogapi.transfer.reports import FileReport, Result

MAX_PROBLEMS = 200
_MAX_REASONS, _MAX_NOTES, _MAX_LENGTH = 5, 50, 1000
_MAX_NAMES = 10
# The order in which problems are listed.
_ORDER = (Result.REFUSED, Result.CREATED, Result.UPDATED, Result.UNCHANGED, Result.SKIPPED)

_NO_ITEMS = {"new": 0, "changed": 0, "same": 0, "left_out": 0}
#: The summary of an import that has read nothing yet.
EMPTY_SUMMARY: dict[str, Any] = {
    "counts": {"articles": _NO_ITEMS, "pictures": _NO_ITEMS},
    "problem_count": 0,
    "problems": [],
    "notes": [],
}


def summarize(run: ImportRun) -> dict[str, Any]:
    """Return the counts, problems, and sentences about the whole import; their size is limited."""
    reports = [report for report in run.reports if report.notes is not NOT_REACHED]
    results = Counter(report.result for report in reports)
    media = count_media(reports)
    problems = [report for report in reports if report.notes]
    problems.sort(key=lambda report: _ORDER.index(report.result))
    return {
        "counts": {
            "articles": {
                "new": results[Result.CREATED],
                "changed": results[Result.UPDATED],
                "same": results[Result.UNCHANGED],
                "left_out": results[Result.SKIPPED] + results[Result.REFUSED],
            },
            "pictures": {
                "new": media["new"],
                "changed": 0,
                "same": media["known"],
                "left_out": media["missing"] + media["refused"],
            },
        },
        "problem_count": len(problems),
        "problems": [_describe(report) for report in problems[:MAX_PROBLEMS]],
        "notes": [note[:_MAX_LENGTH] for note in _list_notes(run)[:_MAX_NOTES]],
    }


def _describe(report: FileReport) -> dict[str, Any]:
    return {
        "file": (report.source or report.key)[:_MAX_LENGTH],
        "title": report.title[:_MAX_LENGTH],
        "result": report.result.value,
        "slug": report.slug,
        "article": report.article and str(report.article),
        "reasons": [reason[:_MAX_LENGTH] for reason in report.notes[:_MAX_REASONS]],
    }


def _list_notes(run: ImportRun) -> list[str]:
    notes = list(run.notes)
    if run.remote_files:
        notes.append(f"Files that articles still show from the former address: {run.remote_files:,}.")
    for name, counts in run.count_left_behind().items():
        notes.append(f"Not imported from {name}: {join_counts(counts, _MAX_NAMES)}.")
    return notes
