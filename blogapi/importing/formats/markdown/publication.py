"""Decide whether and when an article was published."""

from __future__ import annotations

from datetime import datetime

from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.privacy_signs import ARCHIVING_FIELDS
from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.formats.markdown.paths import PathInfo
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import to_bool, to_line
from blogapi.importing.texts.messages import IMPORT_TIME

_ARCHIVED_STATUSES = ("archived", "archive")
_DATE_FIELDS = ("date", "publishdate", "pubdate", "pubdatetime", "publishedat", "published", "publish")
# Notes of Obsidian often have only the time at which they were written.
_CREATION_FIELDS = ("created", "datecreated", "createdat", "creationdate", "creationtime", "filecreated")
_EXPIRY_FIELDS = ("expirydate", "unpublishdate", "expires")


def decide_publication(
    fields: Fields, path: PathInfo, reasons: list[DraftReason], now: datetime, *, publish_undated: bool
) -> tuple[str, datetime | None]:
    """Return the status and the time of publication (aware, UTC; None if unknown), and add notes.

    An article with an unreadable value becomes a draft, because publishing a private article is worse than
    publishing an article late.
    """
    published_at, is_certain = _find_date(fields, path)
    is_unlisted = bool(reasons) and all(reason.is_unlisted for reason in reasons)
    if is_unlisted and is_certain:
        fields.take("build")
        return "unlisted", published_at
    for note in filter(None, dict.fromkeys(reason.note for reason in reasons)):
        fields.add_note(note)
    if reasons or not is_certain:
        return "draft", published_at
    if _is_archived(fields):
        return "archived", published_at
    if not published_at and not fields.all_entries and not publish_undated:
        fields.add_note(
            "It has no front matter and no date; the article became a draft (--publish-undated publishes it)."
        )
        return "draft", None
    status = _decide_by_expiry(fields, now)
    if not published_at and status == "published":
        fields.add_note(IMPORT_TIME)
    return status, published_at


def _is_archived(fields: Fields) -> bool:
    name = next((name for name in ARCHIVING_FIELDS if to_bool(fields.find(name))), "")
    if name:
        fields.add_note(f"It has `{name}: {to_line(fields.take(name))}`; the article was archived.")
    return bool(name) or fields.take_line("status").casefold() in _ARCHIVED_STATUSES


def _find_date(fields: Fields, path: PathInfo) -> tuple[datetime | None, bool]:
    """Return the time of publication, and whether it is certain."""
    values = [value for value in _take_dates(fields) if not dates.is_missing(value)]
    parsed = [time for time in map(dates.parse_date, values) if time]
    if len(parsed) < len(values):
        unreadable = next(value for value in values if not dates.parse_date(value))
        return _replace_unreadable_date(fields, path, unreadable, parsed)
    # Hugo displays `date`, but publishes the page at `publishDate` (or one of its aliases) if that is later.
    return (
        max(parsed) if parsed else path.date or _find_date_in_address(fields) or _find_creation_date(fields)
    ), True


def _replace_unreadable_date(
    fields: Fields, path: PathInfo, value: object, parsed: list[datetime]
) -> tuple[datetime | None, bool]:
    problem = f"The date “{to_line(value)[:100]}” could not be read"
    if path.date and not parsed:
        fields.add_note(f"{problem}; the date in the file's path, {dates.format_day(path.date)}, was used.")
        return path.date, True
    fields.add_note(f"{problem}; the article became a draft.")
    return next(iter(parsed), None), False


def _take_dates(fields: Fields) -> list[object]:
    values = {name: fields.take(name) for name in _DATE_FIELDS}
    # Material for MkDocs: `date: {created: …, updated: …}`.
    if isinstance(values["date"], dict):
        values["date"] = fields.find("date.created")
    # `published` and `publish` are either dates or booleans.
    for name in ("published", "publish"):
        if not dates.parse_date(values[name]):
            values[name] = None
    return list(values.values())


def _find_date_in_address(fields: Fields) -> datetime | None:
    addresses = (fields.take_line(name) for name in ("path", "url", "permalink"))
    return next(filter(None, map(dates.find_in_path, addresses)), None)


def _find_creation_date(fields: Fields) -> datetime | None:
    dates_by_name = ((name, dates.parse_date(fields.find(name))) for name in _CREATION_FIELDS)
    name, time = next(((name, time) for name, time in dates_by_name if time), ("", None))
    fields.take(name)
    return time


def _decide_by_expiry(fields: Fields, now: datetime) -> str:
    value = fields.take(*_EXPIRY_FIELDS)
    if dates.is_missing(value):
        return "published"
    expires_at, text = dates.parse_date(value), to_line(value)[:100]
    if not expires_at:
        fields.add_note(f"The expiry date “{text}” could not be read; the article became a draft.")
        return "draft"
    if expires_at <= now:
        fields.add_note(f"It expired on {dates.format_day(expires_at)}; the article was archived.")
        return "archived"
    fields.add_note(f"The expiry date “{text}” was ignored; the article will not expire.")
    return "published"
