"""Hides the articles of an earlier import whose files the former blog does not show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from blogapi.articles import lifecycle
from blogapi.articles import queries as articles
from blogapi.articles.content import ArticleInput
from blogapi.articles.writing.batch import open_batch
from blogapi.importing import queries
from blogapi.importing.format_api.report import FileReport, PublicHere, Result
from blogapi.importing.storing.imported_before import HIDDEN_THERE
from blogapi.importing.storing.state import ImportState
from blogapi.publication.visibility import READABLE_STATUSES
from blogapi.storage.database import current_time

_BECAME_DRAFT = "The former blog does not show it; the article became a draft."


def hide(state: ImportState, skipped: Sequence[FileReport]) -> list[FileReport]:
    """Make drafts of the unedited public articles of these reports, and return the reports with the results.

    An edited article stays public, and its report is marked.
    """
    files = queries.find_files([report.hidden_key for report in skipped])
    found = articles.find_by_uuids([file.article_id for file in files.values()])
    reports = []
    with open_batch([], *found) as writes:
        for report in skipped:
            file = files[report.hidden_key]
            article = found.get(file.article_id)
            if article is None or article.status not in READABLE_STATUSES:
                reports.append(report)
                continue
            if article.last_updated > file.imported_at:
                notes = (HIDDEN_THERE, *report.notes)
                report = replace(report, notes=notes, public_here=PublicHere.HIDDEN_THERE)
            else:
                writes.change(state.author, article.uuid, ArticleInput(status="draft", type=article.type))
                # No record has this digest: if the former blog shows the file again, the article is updated.
                file.digest, file.imported_at = "", current_time()
                report = replace(report, result=Result.UPDATED, notes=(*report.notes, _BECAME_DRAFT))
            status = lifecycle.get_api_status(article, current_time())
            reports.append(replace(report, status=status, slug=article.slug, article=article.uuid))
    return reports
