"""Decide which items are taken, since when, and whether they become public."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from blogapi.importing.format_api.privacy_signs import WORDPRESS_ACCESS_FIELDS, WORDPRESS_MEMBERS_ONLY
from blogapi.importing.texts import dates
from blogapi.importing.texts.dates import Zones
from blogapi.importing.texts.messages import NO_DATE, PAST_SCHEDULE, describe_status
from blogapi.importing.texts.xml_elements import Element

# The names in the report of items that are left behind, by their status.
LEFT_BEHIND = {"trash": "items in the trash", "auto-draft": "auto-drafts", "inherit": "revisions"}
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(?:\.[0-9]{1,9})?Z?)?"
)


def decide_status(
    item: Element, metas: Mapping[str, str], date: datetime | None, now: datetime
) -> tuple[str, str]:
    """Return the status of the article ("published" or "draft"), and why it changed ("" = it did not).

    An article that is published in the future is scheduled. `now` is aware.
    """
    # Of several values in a damaged file, each can be the true one.
    statuses = dict.fromkeys(child.text.strip() for child in item.list_children("wp:status")) or [""]
    if "draft" in statuses:
        return "draft", ""
    reason = next(filter(None, (_find_reason_for_draft(status, date, now) for status in statuses)), "")
    if not reason and any(child.text.strip() for child in item.list_children("wp:post_password")):
        reason = "It was protected with a password; the article became a draft."
    if not reason and _is_restricted(item.get_text("content:encoded"), metas):
        reason = "It was, or parts of it were, only for members or subscribers; the article became a draft."
    return ("draft", reason) if reason else ("published", "")


def _find_reason_for_draft(status: str, date: datetime | None, now: datetime) -> str:
    if status == "publish":
        return ""
    if status == "future":
        if date is None:
            return NO_DATE
        return "" if date > now else PAST_SCHEDULE
    if status in ("pending", "private"):
        return f"Its status was “{status}”; the article became a draft."
    return describe_status(status)


def _is_restricted(content: str, metas: Mapping[str, str]) -> bool:
    hidden = (
        name for name, values in WORDPRESS_ACCESS_FIELDS.items() if metas.get(name, "").strip() not in values
    )
    return any(name in metas for name in hidden) or WORDPRESS_MEMBERS_ONLY.search(content) is not None


def parse_time(text: str) -> datetime | None:
    """Return a time of MySQL as if it were UTC; None for `0000-00-00 00:00:00` and invalid times."""
    match = _TIME.fullmatch(text.strip())
    if not match:
        return None
    try:
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def find_date(item: Element, offset: timedelta | None, zones: Zones) -> datetime | None:
    """Return when an item was published (UTC), or None if it has no date.

    A draft has only a local date; `offset` is the difference between local time and UTC. If it is unknown,
    `zones` are used.
    """
    utc = parse_time(item.get_text("wp:post_date_gmt"))
    local = parse_time(item.get_text("wp:post_date"))
    if utc is None and local is not None:
        try:
            return dates.parse_date(local.replace(tzinfo=None), zones) if offset is None else local - offset
        except OverflowError:
            return None
    return utc or _parse_rss_date(item.get_text("pubDate"))


def _parse_rss_date(text: str) -> datetime | None:
    # WordPress writes `Mon, 30 Nov -0001 00:00:00 +0000` for items without a date.
    return None if "-0001" in text else dates.parse_date(text)
