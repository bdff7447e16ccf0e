"""Decide which items are taken, since when, and whether they become public."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from blogapi.importing.format_api.privacy_signs import POST_FIELD_SIGNS, UNREAD_RULES, PostFieldSign
from blogapi.importing.formats.wordpress.php_values import Value, read_value
from blogapi.importing.texts.dates import format_day, parse_date
from blogapi.importing.texts.messages import NO_DATE, PAST_SCHEDULE, describe_status
from blogapi.importing.texts.xml_elements import Element

# The names in the report of items that are left behind, by their status.
LEFT_BEHIND = {"trash": "items in the trash", "auto-draft": "auto-drafts", "inherit": "revisions"}
_FIELDS = {name: sign for sign in POST_FIELD_SIGNS for name in sign.names}
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(?:\.[0-9]{1,9})?Z?)?"
)


def decide_status(
    item: Element, metas: Mapping[str, str], date: datetime | None, now: datetime, hidden: str
) -> tuple[str, str]:
    """Return the status of the article ("published", "draft" or "archived"), and a note about it or "".

    An article that is published in the future is scheduled. `now` is aware, and `hidden` is the sentence why
    the text of the article makes it a draft, or "".
    """
    # Of several values in a damaged file, each can be the true one.
    statuses = dict.fromkeys(child.text.strip() for child in item.list_children("wp:status")) or [""]
    if "draft" in statuses:
        return "draft", ""
    reason = next(filter(None, (_find_reason_for_draft(status, date, now) for status in statuses)), "")
    if not reason and any(child.text.strip() for child in item.list_children("wp:post_password")):
        reason = "It was protected with a password; the article became a draft."
    field = "" if reason else _find_hiding_field(item)
    if field:
        reason = f"It was only for members or subscribers (`{field}`); the article became a draft."
    reason = reason or hidden
    return ("draft", reason) if reason else _decide_by_expiry(metas, now)


def _decide_by_expiry(metas: Mapping[str, str], now: datetime) -> tuple[str, str]:
    """Return the status by the expiry of the plugin PublishPress Future, and a note about it."""
    if metas.get("_expiration-date-status") != "saved":
        return "published", ""
    try:
        expiry = datetime.fromtimestamp(int(metas.get("_expiration-date", "")[:20]), UTC)
    except (ValueError, OverflowError, OSError):
        return "draft", "The date on which it expires is not understood; the article became a draft."
    if expiry <= now:
        return "archived", f"It expired on {format_day(expiry)}; the article was archived."
    return "published", f"It was to expire on {format_day(expiry)}; here it stays public."


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


def _find_hiding_field(item: Element) -> str:
    """Return the name of a custom field that hides an item from visitors; "" = there is none."""
    for child in item.list_children("wp:postmeta"):
        sign = _FIELDS.get(name := child.get_text("wp:meta_key").strip())
        if sign and _is_hidden(sign, child.get_text("wp:meta_value")):
            return name
    return ""


def _is_hidden(sign: PostFieldSign, text: str) -> bool:
    try:
        value = read_value(text)
    except ValueError:
        return True
    if isinstance(value, dict) and sign.switch and value.get(sign.switch, "") in ("", "0"):
        return False
    if isinstance(value, dict) and sign.entry:
        value = value.get(sign.entry, "")
    return any(one.strip().casefold() not in sign.public for one in _list_texts(value))


def _list_texts(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for child in value.values():
            yield from _list_texts(child)


def find_unread_rules(item: Element) -> Iterator[str]:
    """Yield each plugin of which an item is a trace, and whose rules about visitors are outside of posts."""
    names = {child.get_text("wp:meta_key") for child in item.list_children("wp:postmeta")}
    names.add(item.get_text("wp:post_type"))
    is_page = item.get_text("wp:post_type") == "page" and item.get_text("wp:status") == "publish"
    content = item.get_text("content:encoded").replace("[[", "") if is_page else ""
    for sign in UNREAD_RULES:
        if not names.isdisjoint(sign.names) or any(f"[{name}" in content for name in sign.shortcodes):
            yield sign.source


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
