"""Compares a record with the article that an earlier import has made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.models import ImportedFile
from blogapi.importing.storing.digests import compute_digest
from blogapi.importing.storing.lost_words import list_words
from blogapi.publication.visibility import READABLE_STATUSES, Dated, Status, get_readable_from, is_readable

#: The largest distance between two time zones. A date that moves by less keeps the address of its article.
MAX_SHIFT = timedelta(hours=26)
# How long one import can take from the time of an article to the time of its file.
_IMPORT_TIME = timedelta(minutes=1)
_DRAFT = "; the article became a draft."

HIDDEN_THERE = (
    "The former blog hides it. It was edited here after the import, so it stays public; make it a draft "
    "if it should be hidden."
)
PART_HIDDEN_THERE = (
    "The former blog hides a part of its text. It was edited here after the import, so the part stays; "
    "remove it if it should be hidden."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a further import does to an article."""

    record: ArticleRecord  #: the record with the date and the status that the article gets
    digest: str  #: the digest to store
    is_changed: bool
    is_edited: bool  #: whether the article was changed in this blog after its last import


def compare(
    record: ArticleRecord,
    article: Any,
    file: ImportedFile,
    now: datetime,
    *,
    has_unread_rules: bool,
) -> Comparison:
    """Compare a record with its article (or the row of it), whose last import `file` describes.

    `has_unread_rules` is whether rules that cannot be read decide who sees the article.
    """
    is_edited = article.last_updated > file.imported_at
    if record.exported is not None:
        digest = compute_digest(record)
        return Comparison(record, digest, digest != file.digest, is_edited)
    given = record
    if record.is_undated and (article.status, record.status) == ("published", "draft"):
        # The article was published with --publish-undated or in this blog, and stays public.
        record = replace(record, status="published")
    dated = keep_date(record, article.published_at, (article.created, file.imported_at), now)
    kept = dated
    if has_unread_rules and article.status not in READABLE_STATUSES and record.status in READABLE_STATUSES:
        kept = replace(dated, status=article.status)
    equal = [given, record, dated, kept]
    if is_edited and not {article.status, record.status} & {*READABLE_STATUSES}:
        # The article was made a draft in this blog because the former blog hides it.
        equal += [replace(one, status=status) for one in (record, dated) for status in READABLE_STATUSES]
    stored = next((one for one in equal if compute_digest(one) == file.digest), None)
    if stored is None:
        # Readers know the address of an article that was public.
        has_readers = article.was_public or is_readable(article, now)
        changed = kept if has_readers else replace(kept, published_at=record.published_at)
        return Comparison(changed, compute_digest(record), is_changed=True, is_edited=is_edited)
    # Only rules that could not be read make a draft of the record of a public text. Now they hide nothing.
    is_released = article.status == Status.DRAFT and {stored.status, kept.status} <= {*READABLE_STATUSES}
    digest = compute_digest(replace(record, status=stored.status))
    return Comparison(kept, digest, is_changed=is_released and not is_edited, is_edited=is_edited)


def keep_date(
    record: ArticleRecord, date: datetime | None, import_times: Iterable[datetime], now: datetime
) -> ArticleRecord:
    """Return the record with the date that its article has, unless its own date says something else.

    A date that only has another time zone says the same. Every date replaces the time of an import, which an
    article has whose record had no date, and an article that is not public yet can wait for a later date.
    """
    if record.exported is not None or date is None:
        return record
    if record.published_at is not None:
        is_other = abs(record.published_at - date) > MAX_SHIFT
        was_unknown = any(abs(date - time) < _IMPORT_TIME for time in import_times)
        if is_other or was_unknown or now < date < record.published_at:
            return record
    return replace(record, published_at=date)


def find_hidden_there(
    record: ArticleRecord, article: Dated, content: tuple[str, str], now: datetime
) -> tuple[str, ...]:
    """Return sentences if the edited article shows a text that the former blog hides; else nothing.

    `content` is the text of the article, and its type.
    """
    here, there = get_readable_from(article), get_readable_from(record)
    if here is None:
        return ()
    is_later_there = there is not None and there > max(here, now)
    if record.status not in READABLE_STATUSES or is_later_there:
        return (HIDDEN_THERE, *(note.replace(_DRAFT, ".") for note in record.notes))
    return (PART_HIDDEN_THERE,) if _shows_hidden_part(record, *content) else ()


def _shows_hidden_part(record: ArticleRecord, content: str, content_type: str) -> bool:
    """Return whether the text contains a line that was left out of the record."""
    words = f" {list_words(content, content_type)} "
    lines = (line for part in record.left_out for line in part.splitlines())
    return any(
        f" {line} " in words for line in (list_words(one, record.content_type) for one in lines) if line
    )
