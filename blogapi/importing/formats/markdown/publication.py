"""Decide whether and when an article was published."""

from __future__ import annotations

import re
from datetime import datetime

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown.front_matter import Fields
from blogapi.importing.formats.markdown.paths import PathInfo
from blogapi.importing.texts import dates
from blogapi.importing.texts.dates import Zones
from blogapi.importing.texts.lines import is_empty, to_bool, to_line
from blogapi.importing.texts.messages import IMPORT_TIME

_ARCHIVED_STATUSES = ("archived", "archive")
_WORD_BORDER = re.compile(r"[^A-Za-z]|(?<=[a-z])(?=[A-Z])")


def decide_publication(
    fields: Fields, path: PathInfo, reasons: list[DraftReason], options: ImportOptions, zones: Zones
) -> tuple[str, datetime | None]:
    """Return the status and the time of publication (aware, UTC; None if unknown), and add notes.

    An article with an unreadable value becomes a draft, because publishing a private article is worse than
    publishing an article late. A date field that is also a custom field stays a custom field.
    """
    published_at = _find_date(fields, path, options, zones)
    is_certain = not _has_unclear_date(fields, path, published_at, options.now, zones)
    is_unlisted = bool(reasons) and all(reason.is_unlisted for reason in reasons)
    if is_unlisted and is_certain:
        fields.take("build")
        return "unlisted", published_at
    for note in filter(None, dict.fromkeys(reason.note for reason in reasons)):
        fields.add_note(note)
    if reasons or not is_certain:
        return "draft", published_at
    archiving = next((name for name in privacy_signs.ARCHIVING_FIELDS if to_bool(fields.find(name))), "")
    if archiving:
        fields.add_note(f"It has `{archiving}: {to_line(fields.take(archiving))}`; the article was archived.")
    if archiving or fields.take_line("status").casefold() in _ARCHIVED_STATUSES:
        return "archived", published_at
    if not published_at and not fields.all_entries and not options.publish_undated:
        fields.add_note(
            "It has no front matter and no date; the article became a draft (--publish-undated publishes it)."
        )
        return "draft", None
    status = _decide_by_expiry(fields, options, zones)
    if not published_at and status == "published":
        fields.add_note(IMPORT_TIME)
    return status, published_at


def _find_date(fields: Fields, path: PathInfo, options: ImportOptions, zones: Zones) -> datetime | None:
    # Material for MkDocs: `date: {created: …, updated: …}`.
    values = [
        *map(fields.take, privacy_signs.FIRST_DATES),
        *map(fields.find, ("date.created", "date.published")),
    ]
    times = filter(None, (_parse("", value, zones) for value in values))
    if found := max(times, default=None) or dates.parse_date(path.day, zones):
        return found
    addresses = (fields.take_line(name) for name in ("path", "url", "permalink"))
    if day := next(filter(None, map(dates.find_in_path, addresses)), None):
        return dates.parse_date(day, zones)
    outer = ("", *(f"{name}." for name, prefix in privacy_signs.MAPPING_PREFIXES.items() if not prefix))
    names = (f"{table}{name}" for table in outer for name in privacy_signs.DATE_FIELDS)
    name = next((name for name in names if _parse(name, fields.find(name), zones)), "")
    return _parse(name, _take_value(fields, name, options), zones)


def _parse(name: str, value: object, zones: Zones) -> datetime | None:
    if dates.is_missing(value):
        return None
    return dates.parse_date(value, Zones(zones.days) if name.endswith("gmt") else zones)


def _take_value(fields: Fields, name: str, options: ImportOptions) -> object:
    """Return the value of a field; mark it as used, unless it is a custom field."""
    is_custom = options.custom_fields.find(name.rpartition(".")[2])
    return fields.find(name) if is_custom else fields.take(name)


def _has_unclear_date(
    fields: Fields, path: PathInfo, published_at: datetime | None, now: datetime, zones: Zones
) -> bool:
    """Return whether a field has a later date of publication, or an unreadable date; if so, add a note."""
    day = dates.parse_date(path.day, zones)
    for key, name, value in privacy.flatten(fields.all_entries):
        words = set(_WORD_BORDER.sub(" ", key).casefold().split())
        if name in privacy_signs.EXPIRY_FIELDS or not (
            name in privacy_signs.DATE_FIELDS or words & privacy_signs.PUBLICATION_DATE_WORDS
        ):
            continue
        time = _parse(name, value, zones)
        if time and time > max(published_at or now, now):
            problem = f"`{to_line(key)[:60]}` is in the future ({to_line(value)})"
            fields.add_note(f"Its {problem}; the article became a draft.")
            return True
        years = re.findall(
            r"(?<!\d)2\d{3}(?!\d)", to_line(value)[:100] if name in privacy_signs.DATE_FIELDS else ""
        )
        if time or not (max(years, default="") > str(now.year) or _is_unreadable(key, name, value)):
            continue
        problem = f"The date “{to_line(value)[:100]}” could not be read"
        if not (day and day == published_at and name in privacy_signs.FIRST_DATES):
            fields.add_note(f"{problem}; the article became a draft.")
            return True
        fields.add_note(f"{problem}; the date in the file's path, {path.day}, was used.")
    return False


def _is_unreadable(key: str, name: str, value: object) -> bool:
    """Return whether a value that is no date makes a draft; `published` can also be true or false."""
    if (
        not privacy_signs.DATE_FIELDS.get(name)
        or name in privacy_signs.FIELD_RULES
        or dates.is_missing(value)
        or is_empty(value)
    ):
        return False
    if name in privacy_signs.FIRST_DATES:
        return "." not in key and not (name == "date" and isinstance(value, dict))
    return to_bool(value) is not False


def _decide_by_expiry(fields: Fields, options: ImportOptions, zones: Zones) -> str:
    name = next((name for name in privacy_signs.EXPIRY_FIELDS if not is_empty(fields.find(name))), "")
    value = _take_value(fields, name, options)
    if dates.is_missing(value) or to_bool(value) is False:
        return "published"
    expires_at, text = dates.parse_date(value, zones), to_line(value)[:100]
    if not expires_at:
        fields.add_note(f"The expiry date “{text}” could not be read; the article became a draft.")
        return "draft"
    if expires_at <= options.now:
        fields.add_note(f"It expired on {text}; the article was archived.")
        return "archived"
    fields.add_note(f"The expiry date “{text}” was ignored; the article will not expire.")
    return "published"
