"""The dates of WordPress items."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from blogapi.transfer.markdown.dates import parse_date
from blogapi.transfer.xml_elements import Element

_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(?:\.[0-9]{1,9})?Z?)?"
)


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


def find_date(item: Element, offset: timedelta) -> datetime | None:
    """Return when an item was published (UTC), or None if it has no date.

    A draft has only a local date; `offset` is the difference between local time and UTC.
    """
    utc = parse_time(item.get_text("wp:post_date_gmt"))
    local = parse_time(item.get_text("wp:post_date"))
    if utc is None and local is not None:
        try:
            return local - offset
        except OverflowError:
            return None
    return utc or _parse_rss_date(item.get_text("pubDate"))


def _parse_rss_date(text: str) -> datetime | None:
    # WordPress writes `Mon, 30 Nov -0001 00:00:00 +0000` for items without a date.
    return None if "-0001" in text else parse_date(text)
