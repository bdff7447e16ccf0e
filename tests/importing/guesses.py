"""The records of formats as an import without `--publish-marked` stores them."""

from __future__ import annotations

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.storing.guesses import apply_guesses


def mark_all(record: ArticleRecord) -> ArticleRecord:
    """Return the record as a draft, with notes, if it has a guess and would be public."""
    return apply_guesses(record, record.guesses)
