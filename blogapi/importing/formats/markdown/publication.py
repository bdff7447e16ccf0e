"""Decide whether and when an article was published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from blogapi.importing.format_api import privacy
from blogapi.importing.format_api.custom_fields import NO_CUSTOM_FIELDS, CustomFields
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.privacy_signs import (
    ARCHIVING_FIELDS,
    DATE_FIELDS,
    EXPIRY_FIELDS,
    FIELD_RULES,
    MAPPING_PREFIXES,
    PLANNING_WORDS,
)
from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.formats.markdown.paths import PathInfo
from blogapi.importing.texts import dates
from blogapi.importing.texts.dates import UTC_ZONES, Zones
from blogapi.importing.texts.keys import is_empty
from blogapi.importing.texts.lines import to_bool, to_line
from blogapi.importing.texts.messages import IMPORT_TIME

_ARCHIVED_STATUSES = ("archived", "archive")
_WORD_BORDER = re.compile(r"[^A-Za-z]|(?<=[a-z])(?=[A-Z])")


def decide_publication(
    fields: Fields,
    path: PathInfo,
    reasons: list[DraftReason],
    now: datetime,
    *,
    publish_undated: bool,
    zones: Zones = UTC_ZONES,
    custom_fields: CustomFields = NO_CUSTOM_FIELDS,
) -> tuple[str, datetime | None]:
    """Return the status and the time of publication (aware, UTC; None if unknown), and add notes.

    An article with an unreadable value becomes a draft, because publishing a private article is worse than
    publishing an article late. A date that is also one of the `custom_fields` remains one.
    """
    published_at, is_certain = _find_date(fields, path, zones, custom_fields)
    is_certain = is_certain and not _is_planned(fields, max(published_at or now, now), zones)
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
    status = _decide_by_expiry(fields, now, zones, custom_fields)
    if not published_at and status == "published":
        fields.add_note(IMPORT_TIME)
    return status, published_at


def _is_archived(fields: Fields) -> bool:
    name = next((name for name in ARCHIVING_FIELDS if to_bool(fields.find(name))), "")
    if name:
        fields.add_note(f"It has `{name}: {to_line(fields.take(name))}`; the article was archived.")
    return bool(name) or fields.take_line("status").casefold() in _ARCHIVED_STATUSES


@dataclass(frozen=True, slots=True)
class _FoundDate:
    """A field of DATE_FIELDS that is not empty."""

    name: str  #: as in `Fields.find`
    value: object
    time: datetime | None  #: None if the value is no date
    is_first: bool  #: see `DateSign`
    is_strict: bool


def _find_date(
    fields: Fields, path: PathInfo, zones: Zones, custom_fields: CustomFields
) -> tuple[datetime | None, bool]:
    """Return the time of publication, and whether it is certain."""
    found = list(_list_dates(fields, zones))
    for name in (name for name, sign in DATE_FIELDS.items() if sign.is_first):
        fields.take(name)
    first = [one.time for one in found if one.is_first and one.time]
    unreadable = next((one for one in found if one.is_strict and not one.time), None)
    day = dates.parse_date(path.day, zones)
    if unreadable:
        problem = f"The date “{to_line(unreadable.value)[:100]}” could not be read"
        if unreadable.is_first and day and not first:
            fields.add_note(f"{problem}; the date in the file's path, {path.day}, was used.")
            return day, True
        fields.add_note(f"{problem}; the article became a draft.")
        return next(iter(first), None), False
    time = max(first) if first else day or _find_date_in_address(fields, zones)
    later = next((one for one in found if one.time and not time), None)
    if later:
        _use(fields, later.name, custom_fields)
    return later.time if later else time, True


def _list_dates(fields: Fields, zones: Zones) -> Iterator[_FoundDate]:
    """Yield the fields of DATE_FIELDS in their order, then those in mappings, which no generator reads."""
    for table in ("", *(f"{name}." for name, prefix in MAPPING_PREFIXES.items() if not prefix)):
        for name, sign in DATE_FIELDS.items():
            value = fields.find(f"{table}{name}")
            # Material for MkDocs: `date: {created: …, updated: …}`.
            if name == "date" and isinstance(value, dict):
                value = fields.find("date.created")
            if dates.is_missing(value):
                continue
            time = dates.parse_date(value, Zones(zones.days) if name.endswith("gmt") else zones)
            # `published` and `publish` are either dates or booleans.
            if time or not (name in FIELD_RULES or (to_bool(value) is False and not sign.is_first)):
                is_first = sign.is_first and not table
                is_strict = is_first or (sign.is_strict and not sign.is_first)
                yield _FoundDate(f"{table}{name}", value, time, is_first, is_strict)


def _use(fields: Fields, name: str, custom_fields: CustomFields) -> object:
    """Return the value of a field and mark it as used; a custom field is not, so that it keeps its value."""
    return fields.find(name) if custom_fields.find(name.rpartition(".")[2]) else fields.take(name)


def _find_date_in_address(fields: Fields, zones: Zones) -> datetime | None:
    addresses = (fields.take_line(name) for name in ("path", "url", "permalink"))
    day = next(filter(None, map(dates.find_in_path, addresses)), None)
    return dates.parse_date(day, zones)


def _is_planned(fields: Fields, published_at: datetime, zones: Zones) -> bool:
    """Return whether a field has a later time of publication than `published_at`, and add a note."""
    for key, name, value in privacy.flatten(fields.all_entries):
        is_unknown = name not in DATE_FIELDS and name not in EXPIRY_FIELDS
        if is_unknown and PLANNING_WORDS.isdisjoint(_WORD_BORDER.sub(" ", key).casefold().split()):
            continue
        time = name not in EXPIRY_FIELDS and dates.parse_date(value, zones)
        if time and time > published_at:
            what = f"`{to_line(key)[:60]}` is in the future ({to_line(value)})"
            fields.add_note(f"Its {what}; the article became a draft.")
            return True
    return False


def _decide_by_expiry(fields: Fields, now: datetime, zones: Zones, custom_fields: CustomFields) -> str:
    name = next((name for name in EXPIRY_FIELDS if not is_empty(fields.find(name))), "")
    value = _use(fields, name, custom_fields)
    if dates.is_missing(value) or to_bool(value) is False:
        return "published"
    expires_at, text = dates.parse_date(value, zones), to_line(value)[:100]
    if not expires_at:
        fields.add_note(f"The expiry date “{text}” could not be read; the article became a draft.")
        return "draft"
    if expires_at <= now:
        fields.add_note(f"It expired on {dates.format_day(expires_at, zones)}; the article was archived.")
        return "archived"
    fields.add_note(f"The expiry date “{text}” was ignored; the article will not expire.")
    return "published"
