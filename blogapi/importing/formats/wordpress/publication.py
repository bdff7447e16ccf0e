"""Decide which items are imported, and their status and date of publication."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.article_record import Guess
from blogapi.importing.format_api.privacy import decide, make_guess
from blogapi.importing.texts import dates
from blogapi.importing.texts.dates import Zones
from blogapi.importing.texts.xml_elements import Element

# The names in the report of items that are not imported, by their status.
LEFT_BEHIND = {"trash": "items in the trash", "auto-draft": "auto-drafts", "inherit": "revisions"}
_STATUSES = {"publish": "published", "future": "scheduled"}
_DRAFT_STATUSES, _BECAME_DRAFT = ("pending", "private", *LEFT_BEHIND), "the article became a draft."


def decide_status(
    item: Element, metas: Mapping[str, str], date: datetime | None, now: datetime, hidden: str
) -> tuple[str, str]:
    """Return the status of the article ("published", "draft" or "archived"), and a note about it or "".

    A "published" article with a future date is scheduled. `now` is aware; `hidden` is as in `Conversion`.
    """
    # If a damaged file has several values, it is unknown which one is right.
    statuses = dict.fromkeys(child.text.strip() for child in item.list_children("wp:status")) or [""]
    if "draft" in statuses:
        return "draft", ""
    reason = next((f"Its status was “{it}”; {_BECAME_DRAFT}" for it in statuses if it in _DRAFT_STATUSES), "")
    if not reason and any(child.text.strip() for child in item.list_children("wp:post_password")):
        reason = f"It was protected with a password; {_BECAME_DRAFT}"
    fields = item.list_children("wp:postmeta")
    lines = [f"{it.get_text('wp:meta_key').strip()}={it.get_text('wp:meta_value').strip()}" for it in fields]
    if not reason and (found := next(privacy_signs.find_signs(lines, privacy_signs.POST_FIELDS), None)):
        reason = f"It was only for members or subscribers (`{found[1]}`); {_BECAME_DRAFT}"
    reason = reason or hidden
    for status in statuses:
        # WordPress shows published posts without a date.
        _, reasons = decide(status, now if status == "publish" else date, now, reason, _STATUSES)
        if reasons:
            return "draft", reasons[0]
    # The plugin PublishPress Future.
    if metas.get("_expiration-date-status") != "saved":
        return "published", ""
    seconds = metas.get("_expiration-date", "")
    if not re.fullmatch("[0-9]{1,10}", seconds):
        return "draft", f"The date on which it expires is not understood; {_BECAME_DRAFT}"
    expiry = datetime.fromtimestamp(int(seconds), UTC)
    if expiry <= now:
        return "archived", f"It expired on {expiry:%Y-%m-%d}; the article was archived."
    return "published", f"It was to expire on {expiry:%Y-%m-%d}; here it stays public."


def guess_from_fields(item: Element) -> Iterator[Guess]:
    """Yield a guess for each custom field of an item that no table knows, and that seems to hide it."""
    for field in item.list_children("wp:postmeta"):
        name, value = field.get_text("wp:meta_key").strip(), field.get_text("wp:meta_value").strip()
        if name in privacy_signs.BUILDER_FIELDS:
            found = {it["name"] for it in privacy_signs.BUILDER_CONDITION.finditer(value)}
            found |= {"hide_desktop"} if privacy_signs.BUILDER_HIDDEN.search(value) else set()
            settings = {
                (it["name"], it["text"] or it["word"] or "")
                for it in privacy_signs.BUILDER_SETTING.finditer(value)
            }
            found |= {key for key, text in settings if privacy.is_private_field(key, text)}
            for setting in sorted(found):
                yield make_guess("builder", setting, f"The setting “{setting}” of its page builder")
        elif name not in privacy_signs.POST_FIELDS and privacy.is_private_field(name, value):
            note = f"It has the custom field `{name[:60]}`; the article became a draft."
            yield Guess(f"meta:{name[:60]}", note)


def find_unread_rules(item: Element) -> Iterator[str]:
    """Yield each plugin that has left traces in an item and whose rules about visitors are outside of
    posts.
    """
    traces = {child.get_text("wp:meta_key") for child in item.list_children("wp:postmeta")}
    traces.add(item.get_text("wp:post_type"))
    is_page = item.get_text("wp:post_type") == "page" and item.get_text("wp:status") == "publish"
    content = item.get_text("content:encoded").replace("[[", "") if is_page else ""
    for sign in privacy_signs.UNREAD_RULES:
        if any(name in traces or (name[0] == "[" and name in content) for name in sign.names):
            yield sign.source


def find_date(item: Element, offset: timedelta | None, zones: Zones) -> datetime | None:
    """Return when an item was published (UTC), or None if it has no date.

    A draft has only a local date; `offset` is the difference between local time and UTC. If it is None,
    `zones` are used.
    """
    utc = dates.parse_date(item.get_text("wp:post_date_gmt"))
    local = dates.parse_date(item.get_text("wp:post_date"))
    if utc is None and local is not None:
        try:
            return dates.parse_date(local.replace(tzinfo=None), zones) if offset is None else local - offset
        except OverflowError:
            return None
    # WordPress writes `Mon, 30 Nov -0001 00:00:00 +0000` for items without a date.
    rss_date = item.get_text("pubDate")
    return utc or (None if "-0001" in rss_date else dates.parse_date(rss_date))
