"""Compares a record with the article that an earlier import has made, and a text with its HTML."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from datetime import datetime, timedelta
from typing import Any

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.hidden_parts import remove_hidden_text
from blogapi.importing.models import ImportedFile
from blogapi.importing.texts.lines import split_words
from blogapi.publication.visibility import READABLE_STATUSES, get_readable_from
from blogapi.rendering import plain_text

_MAX_LOST_SHARE = 0.1
# Words are counted roughly, so a difference of a few words means nothing.
_MIN_LOST_WORDS = 5
# The text between these marks is not shown.
_HIDDEN_PARTS = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"))
# Tags within a word are removed; all other markup separates words.
_INLINE_TAG = re.compile(rf"</?(?:{plain_text.INLINE_ELEMENTS})(?:\s[^<>]*+)?>", re.IGNORECASE)
_MARKUP = re.compile(
    # Tags, pictures, the addresses of links, and references to definitions of links.
    r"</?[a-z][^<>]*+>|!\[[^\]\[]*+\](?:\([^()]*+\))?|\]\([^()]*+(?:\([^()]*+\)[^()]*+)?\)|\]\[[^\]\[]*+\]"
    # Definitions of links, the first lines of code blocks, bare addresses, entities, and ids of headings.
    r"|^[ >]*+(?:\[[^\]\[]++\]:|`{3,}+|~{3,}+)[^\n]*+|https?://[^\s<>()]*+|&#?\w{1,32};|\{#[^{}\n]*+\}",
    re.IGNORECASE | re.MULTILINE,
)
_NON_WORD = re.compile(r"\W++")

# The fields of a record that do not change its article. A new wording of a note is not a change either.
_FIELDS_WITHOUT_DIGEST = split_words("""key former_key notes is_undated path source cover_alt addresses names
    has_templates is_mdx media_folder former_paths other_fields categories_above left_out unread_rules
    guesses open_status unlifted generator uuid body created last_updated was_public slug_derived former_times
    media_paths""")
# Older versions had these fields in an object of their own, whose text is a part of the digest.
_EXPORT_NAMES = split_words("uuid body created last_updated was_public slug_derived former_slugs media_paths")
_NEW_FIELDS = split_words("featured robots language translation_key custom is_page parent_key position")
# Before blogs had pages, imports made articles with the tag `page` from the pages in these formats.
_TAGGED_FORMATS = ("blogger:", "ghost:", "substack:", "wordpress:")
PAGE_TAG = "page"
#: The largest difference between two time zones. If a date moves by less, the article keeps its date.
MAX_ZONE_SHIFT = timedelta(hours=26)
# The maximum time that one import takes from setting `created` of an article to `imported_at` of its file.
_MAX_IMPORT_TIME = timedelta(minutes=1)
HIDDEN_NOTE = (
    "The former blog hides it. It was edited here after the import, so it stays public; make it a draft "
    "if it should be hidden."
)
HIDDEN_PART_NOTE = (
    "The former blog hides a part of its text. It was edited here after the import, so the part stays; "
    "remove it if it should be hidden."
)


def describe_lost_words(content: str, content_type: str, shown: str) -> str | None:
    """Return a note if `shown`, the text of the HTML, lacks more than a tenth of the words in `content`."""
    texts = (_strip_markup(content, content_type), shown)
    expected, actual = (plain_text.measure_text(_NON_WORD.sub(" ", text)).word_count for text in texts)
    if expected - actual < max(_MIN_LOST_WORDS, expected * _MAX_LOST_SHARE):
        return None
    return (
        f"Its HTML shows {actual:,} of about {expected:,} words; look for elements in the text that are not "
        "closed or not allowed."
    )


def _strip_markup(content: str, content_type: str) -> str:
    if content_type == "text":
        return content
    for start, end in _HIDDEN_PARTS:
        first, *parts = content.split(start)
        content = " ".join([first, *(part.partition(end)[2] if end in part else part for part in parts)])
    return _MARKUP.sub(" ", _INLINE_TAG.sub("", content))


def extract_words_as_text(content: str, content_type: str) -> str:
    """Return the words of a text without its markup, separated by spaces."""
    return " ".join(_NON_WORD.sub(" ", _strip_markup(content, content_type)).split())


def add_page_tag(record: ArticleRecord) -> ArticleRecord:
    """Return the record with the tag that earlier imports gave to pages, so that its digest is the same."""
    is_tagged = PAGE_TAG in map(str.casefold, record.tags)
    is_due = record.is_page and record.key.startswith(_TAGGED_FORMATS) and not is_tagged
    return replace(record, tags=(*record.tags, PAGE_TAG)) if is_due else record


def get_former_status(record: ArticleRecord) -> str:
    """Return the status that older versions, which had no guesses, gave a record."""
    if record.open_status not in READABLE_STATUSES:
        return record.open_status or record.status
    return record.open_status if all(guess.is_new for guess in record.guesses) else "draft"


def compute_digest(record: ArticleRecord, status: str = "") -> str:
    """Return the digest of everything in a record that can change its article.

    Without a `status`, return the digest that older versions computed; see `get_former_status`.
    """
    record = replace(record, status=status or get_former_status(record))
    if record.status == "draft" and record.key.startswith("wordpress:"):
        record = replace(record, former_slugs=())
    names = [field.name for field in fields(record) if field.name not in _FIELDS_WITHOUT_DIGEST]
    content = {name: getattr(record, name) for name in names}
    # Older versions did not have these fields, and their digests must stay valid.
    content = {name: value for name, value in content.items() if value or name not in _NEW_FIELDS}
    content["authors"] = [asdict(author) for author in record.authors]
    content["exported"] = None
    if record.uuid is not None:
        slugs = {slug: record.former_times.get(slug) for slug in record.former_slugs}
        values = {name: getattr(record, name) for name in _EXPORT_NAMES} | {"former_slugs": slugs}
        text = ", ".join(f"{name}={value!r}" for name, value in values.items())
        content |= {"former_slugs": (), "exported": f"ExportedFields({text})"}
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode("utf-8")).hexdigest()


# The parameter `article` is an Article, or a row with its columns.


def is_article_edited(article: Any, file: ImportedFile) -> bool:
    """Return whether the article was changed in this blog after its last import."""
    return bool(article.last_updated > file.imported_at)


def keep_status_and_date(
    record: ArticleRecord, article: Any, file: ImportedFile, now: datetime
) -> ArticleRecord:
    """Return the record with the status and the date that its article keeps."""
    status = record.status
    if record.is_undated and (article.status, status) == ("published", "draft"):
        # The article was published with --publish-undated or in this blog, and stays public.
        status = "published"
    if record.unread_rules and status in READABLE_STATUSES and article.status not in READABLE_STATUSES:
        status = article.status
    record = replace(record, status=status)
    return keep_date(record, article.published_at, (article.created, file.imported_at), now)


def keep_date(
    record: ArticleRecord, date: datetime | None, import_times: Iterable[datetime], now: datetime
) -> ArticleRecord:
    """Return the record with the date of its article, unless the dates differ by more than a time zone.

    The record also keeps its own date if the date of the article is the time of an import, or if the record
    is scheduled for a later time than the article.
    """
    if record.uuid is not None or date is None:
        return record
    if record.published_at is not None:
        was_unknown = any(abs(date - time) < _MAX_IMPORT_TIME for time in import_times)
        is_other = abs(record.published_at - date) > MAX_ZONE_SHIFT
        if was_unknown or is_other or record.published_at > max(date, now):
            return record
    return replace(record, published_at=date)


def is_record_changed(record: ArticleRecord, kept: ArticleRecord, article: Any, file: ImportedFile) -> bool:
    """Return whether a record differs from its last import.

    `kept` is the record with the status and the date of its article, from `keep_status_and_date`.
    """
    edited, stored = is_article_edited(article, file), file.get_guess_names()
    statuses = {record.status, kept.status}
    if record.guesses:
        # A digest with another status counts only if the last import saw each guess that is not lifted.
        is_known = {*record.unlifted} <= (stored or set())
        statuses = {get_former_status(record), *({"draft", record.open_status} if is_known else ())}
    if edited and not {record.status, article.status} & {*READABLE_STATUSES}:
        # A user made the article a draft, as the report of an earlier import advised; guesses change nothing.
        statuses, stored = statuses | {*READABLE_STATUSES}, None
    digests = {compute_digest(variant, status) for variant in (record, kept) for status in statuses}
    if file.digest not in digests or (stored is not None and not {*record.unlifted} <= stored):
        return True
    # A guess does not take down an article whose file has not changed.
    if edited or (record.unlifted and record.open_status in READABLE_STATUSES):
        return False
    # If an article became a draft only because of unread rules or guesses, its digest was computed from the
    # public record. An import that lifts the guesses publishes the article.
    return bool(article.status != kept.status)


def keeps_public_text(record: ArticleRecord, article: Any, file: ImportedFile) -> bool:
    """Return whether a changed record must not change its public article, which was not edited.

    The last import must have seen all unlifted guesses of the record, and left the article public.
    """
    stored = file.get_guess_names()
    if stored is None:
        stored = {guess.name.casefold() for guess in record.guesses if guess.is_new}
    is_marked = bool(record.unlifted) and record.open_status in READABLE_STATUSES
    return is_marked and {*record.unlifted} <= stored and article.status in READABLE_STATUSES


def describe_exposed_text(
    record: ArticleRecord, article: Any, content: str, content_type: str, now: datetime
) -> tuple[str, ...]:
    """Return sentences if the edited article shows a text that the former blog hides; else ()."""
    here, there = get_readable_from(article), get_readable_from(record)
    if here is None:
        return ()
    if there is None or there > max(here, now):
        return (HIDDEN_NOTE, *(note.replace("; the article became a draft.", ".") for note in record.notes))
    words = f" {extract_words_as_text(content, content_type)} "
    lines = (line for part in record.left_out for line in part.splitlines())
    hidden = (extract_words_as_text(line, record.content_type) for line in lines)
    shows_part = any(line and f" {line} " in words for line in hidden)
    return (HIDDEN_PART_NOTE,) if shows_part or remove_hidden_text(content, content_type)[1] else ()


def store_guesses(file: ImportedFile, record: ArticleRecord) -> None:
    """Store the names of the guesses of a record beside its digest."""
    file.guesses = "\n".join(sorted({guess.name.casefold() for guess in record.guesses}))
