"""Decides whether a post is published, and when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from blogapi.importing.format_api.privacy_signs import GHOST_AUDIENCES
from blogapi.importing.texts import dates
from blogapi.importing.texts.dates import UTC_ZONES, Zones
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.messages import NO_DATE, PAST_SCHEDULE, describe_status
from blogapi.parsing import parse_timestamp

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Smaller numbers are seconds: as milliseconds they would be before March 1973, and Ghost exists since 2013.
_MIN_MILLISECONDS = 100_000_000_000


def decide_publication(
    post: Mapping[str, object], now: datetime, zones: Zones = UTC_ZONES
) -> tuple[str, datetime | None, tuple[str, ...]]:
    """Return the status of a post, its date (aware, UTC) and notes.

    The status is "published" only if every visitor of the blog could read the post, or could read it after a
    scheduled time that is later than `now`.
    """
    status, date = to_line(post.get("status")).casefold(), read_date(post.get("published_at"), zones)
    notes = []
    if status == "published" and date is None:
        date = read_date(post.get("created_at"), zones) or read_date(post.get("updated_at"), zones)
        notes.append("It has no date of publication; the date of its creation was taken.")
    if status == "scheduled" and (date is None or date <= now):
        notes.append(PAST_SCHEDULE if date else NO_DATE)
    elif status == "sent":
        notes.append("It was sent as a newsletter and never published; the article became a draft.")
    elif status not in ("published", "scheduled", "draft"):
        notes.append(describe_status(status))
    elif _is_on(post.get("email_only")):
        notes.append("It is for newsletters only; the article became a draft.")
    elif reason := _find_audience(post):
        notes.append(reason)
    else:
        return "draft" if status == "draft" else "published", date, tuple(notes)
    return "draft", date, tuple(notes)


def _find_audience(post: Mapping[str, object]) -> str:
    """Return why a post is not for everyone, or ""; Ghost ignores a paywall in a public post."""
    given = post.get("visibility")
    # Old versions have no visibility. A list or an object cannot be shown as a line of text, and its meaning
    # is unknown.
    visibility = to_line(given).casefold() or ("unknown" if isinstance(given, (list, Mapping)) else "public")
    if visibility == "public":
        return ""
    audience = GHOST_AUDIENCES.get(visibility, f"readers with the visibility “{visibility[:50]}”")
    return f"Only {audience} could read it; the article became a draft."


def is_page(post: Mapping[str, object]) -> bool:
    """Return whether a row of posts is a page; versions before 3 have a field `page` with 0 or 1."""
    return to_line(post.get("type")).casefold() == "page" or _is_on(post.get("page"))


def _is_on(value: object) -> bool:
    return to_line(value).casefold() in ("1", "true")


def read_date(value: object, zones: Zones = UTC_ZONES) -> datetime | None:
    """Return the time (aware, UTC) of an ISO 8601 text, or of a number of milliseconds since 1970."""
    if isinstance(value, (int, float)) or (isinstance(value, str) and value.strip().isdecimal()):
        return _from_number(float(value))
    text = to_line(value)
    return dates.parse_date(text, zones) if parse_timestamp(text) else None


def _from_number(number: float) -> datetime | None:
    seconds = number / 1000 if abs(number) >= _MIN_MILLISECONDS else number
    try:
        return _EPOCH + timedelta(seconds=seconds) if number else None
    except (OverflowError, ValueError):
        return None
