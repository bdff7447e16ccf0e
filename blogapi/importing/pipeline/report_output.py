"""The report of an import as text and as JSON, and its summary, which an import over HTTP stores."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.media.imported_media import MEDIA_RESULTS
from blogapi.importing.models import MAX_PROBLEMS
from blogapi.importing.pipeline.run import NOT_REACHED_NOTES, ImportRun
from blogapi.importing.texts.messages import format_count, join_counts
from blogapi.publication.visibility import READABLE_STATUSES, SCHEDULED

# The maximum number of names in a line; the report as JSON contains all names.
_MAX_NAMES = 100
# The limits of a summary, which is stored in the database.
_MAX_REASONS, _MAX_NOTES, _MAX_TEXT_LENGTH = 5, 50, 1000
# An option in a note, such as " (--define-fields)"; it is removed for imports over HTTP.
_OPTION = re.compile(r" \(--[^()]*\)")
_RESULT_ORDER = (Result.REFUSED, Result.CREATED, Result.UPDATED, Result.UNCHANGED, Result.SKIPPED)


def format_text_report(run: ImportRun, *, dry_run: bool) -> Iterator[str]:
    yield f"{_summarize_reports(run.reports)}."
    yield from (f"note       {note}" for note in run.notes)
    for author in run.state.authors.list_reports():
        created = "created, " if author.created else ""
        yield f"author     {author.slug}: {author.name}, {created}articles: {author.articles}"
    for name in sorted(run.state.authors.unused_names):
        yield f"author     No file names {name!r}, which is in the author map."
    media = count_media_references(run.reports)
    if any(media.values()):
        parts = ", ".join(f"{number:,} {name}" for name, number in media.items())
        yield f"media      References: {sum(media.values()):,} ({parts})."
    if run.remote_file_count:
        yield f"media      Files that articles still show from the former host: {run.remote_file_count:,}."
    if media["missing"] or run.remote_file_count:
        yield "media      --assets FOLDER names a further folder in which media files are looked up."
    if run.unresolved:
        names = join_counts(run.unresolved, _MAX_NAMES)
        yield f"templates  Template tags and wiki links that were not resolved: {names}."
    for format_name, counts in run.count_left_behind().items():
        yield f"left       Not imported from {format_name}: {join_counts(counts, _MAX_NAMES)}."
    for name, number in run.state.guesses.list_counts():
        yield f"marked     {format_count(number, 'article')}: --publish-marked {shlex.quote(name)}"
    hidden_there = sum(report.hidden_there for report in run.reports)
    if hidden_there:
        yield f"hidden     Public here, hidden there: {hidden_there:,}."
    for report in sorted(run.reports, key=lambda report: not report.hidden_there):
        name = f"{report.source}: “{report.title}”" if report.source else report.key
        word = "hidden" if report.hidden_there else report.result.value
        yield from (f"{word:<9}  {name}: {note}" for note in report.notes)
    results = ", ".join(f"{number} {name}" for name, number in _count_results(run.reports).items())
    pages = f"{run.page_count:,} of them pages, " if run.page_count else ""
    yield f"{len(run.reports):,} articles and files: {pages}{results}."
    if dry_run:
        yield "Nothing was stored (dry run)."


def format_json_report(run: ImportRun, *, dry_run: bool) -> Iterator[str]:
    """Yield the report as JSON in parts; as one text, it can take hundreds of megabytes of memory."""
    yield f'{_to_json(_build_report_head(run, dry_run=dry_run))[:-1]}, "files": ['
    for number, report in enumerate(run.reports):
        yield f"{', ' if number else ''}{_to_json(asdict(report))}"
    yield "]}"


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _build_report_head(run: ImportRun, *, dry_run: bool) -> dict[str, Any]:
    return {
        "summary": _summarize_reports(run.reports),
        "dry_run": dry_run,
        "counts": _count_results(run.reports),
        "visibility": _count_by_visibility(run.reports),
        "formats": list(run.sources),
        "notes": run.notes,
        "authors": [asdict(author) for author in run.state.authors.list_reports()],
        "unused_author_map_names": sorted(run.state.authors.unused_names),
        "media": count_media_references(run.reports),
        "remote_files": run.remote_file_count,
        **_describe_hidden_articles(run),
        "template_tags": dict(run.unresolved.most_common()),
        "left_behind": {name: dict(source.left_behind.most_common()) for name, source in run.sources.items()},
    }


def _summarize_reports(reports: Sequence[FileReport]) -> str:
    results = _count_results(reports)
    numbers = _count_by_visibility(reports) | {name: results[name] for name in ("skipped", "refused")}
    return ", ".join(f"{number} {name}" for name, number in numbers.items())


def _count_by_visibility(reports: Iterable[FileReport]) -> dict[str, int]:
    """Return the numbers of public articles, drafts (including archived articles) and scheduled articles."""
    counter = Counter(report.status for report in reports if report.status)
    public, scheduled = sum(counter[status] for status in READABLE_STATUSES), counter[SCHEDULED]
    return {"public": public, "drafts": counter.total() - public - scheduled, "scheduled": scheduled}


def _count_results(reports: Iterable[FileReport]) -> dict[str, int]:
    counter = Counter(report.result for report in reports)
    return {result.value: counter[result] for result in Result}


def count_media_references(reports: Iterable[FileReport]) -> dict[str, int]:
    """Return the numbers of references to media files, by their result."""
    media_reports = [report.media for report in reports if report.media]
    return {name: sum(len(getattr(media, name)) for media in media_reports) for name in MEDIA_RESULTS}


def summarize_run(run: ImportRun) -> dict[str, Any]:
    """Return the counts, problems, and sentences about the whole import; their size is limited."""
    reports = [report for report in run.reports if report.notes is not NOT_REACHED_NOTES]
    results = Counter(report.result for report in reports)
    media = count_media_references(reports)
    problems = [report for report in reports if report.notes and not report.hidden_there]
    problems.sort(key=lambda report: _RESULT_ORDER.index(report.result))
    notes = list(run.notes)
    if run.remote_file_count:
        notes.append(f"Files that articles still load from the former blog: {run.remote_file_count:,}.")
    for name, counts in run.count_left_behind().items():
        notes.append(f"Not imported from {name}: {join_counts(counts)}.")
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
        "problems": [_describe_problem(report) for report in problems[:MAX_PROBLEMS]],
        "notes": [_OPTION.sub("", note)[:_MAX_TEXT_LENGTH] for note in notes[:_MAX_NOTES]],
        **_describe_hidden_articles(run, MAX_PROBLEMS),
    }


def _describe_hidden_articles(run: ImportRun, limit: int | None = None) -> dict[str, Any]:
    """Return the fields about what the former blog may have hidden: plugins, guesses and public articles."""
    hidden_there = [report for report in run.reports if report.hidden_there]
    return {
        "unread_rules": run.unread_rules,
        "public_here_rules_unread": len(run.state.public_unread),
        "marked": [{"name": name, "articles": n} for name, n in run.state.guesses.list_counts()[:limit]],
        "public_here_perhaps_hidden": len(run.state.guesses.public_here),
        "public_here_hidden_there": [_describe_problem(report) for report in hidden_there[:limit]],
    }


def _describe_problem(report: FileReport) -> dict[str, Any]:
    return {
        "file": (report.source or report.key)[:_MAX_TEXT_LENGTH],
        "title": report.title[:_MAX_TEXT_LENGTH],
        "result": report.result.value,
        "slug": report.slug,
        "article": report.article and str(report.article),
        "reasons": [_OPTION.sub("", reason)[:_MAX_TEXT_LENGTH] for reason in report.notes[:_MAX_REASONS]],
    }
