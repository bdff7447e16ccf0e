"""Strict parsing of texts: UUIDs, times, web addresses and language tags."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import urlsplit
from uuid import UUID

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


_TIMESTAMP = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)([T ](?P<time>\d\d:\d\d(:\d\d(\.\d{1,6})?)?)(?P<zone>Z|[+-]\d\d:\d\d)?)?",
    re.ASCII,
)


def parse_uuid(text: str) -> UUID | None:
    """Return the UUID if the text is a UUID in its canonical form other than the nil UUID, otherwise None."""
    return UUID(text) if _UUID.fullmatch(text) and text.strip("0-") else None


def parse_timestamp(text: str) -> datetime | None:
    """Return the time (aware, UTC) of an ISO 8601 date-time or date, or None if the text is neither.

    A date-time without an offset is read as UTC, and a date as midnight UTC.
    """
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    zone = (match["zone"] or "Z").replace("Z", "+00:00")
    try:
        # The conversion to UTC can move a time in the year 1 or 9999 out of the range of datetime.
        return datetime.fromisoformat(f"{match['date']}T{match['time'] or '00:00'}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_web_address(address: str) -> bool:
    """Return whether the text is empty, an http(s) URL without credentials, or a relative URL."""
    # Browsers remove tabs and line breaks from a URL, and treat a backslash as a slash.
    if re.search(r"[\s\\\x00-\x20<>\"]", address):
        return False
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc
    return not parts.netloc


MAX_LANGUAGE_TAG_LENGTH = 35


# A well-formed tag consists of a language, a script, a region, variants, extensions and a private-use part.
_LANGUAGE_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z\d]{5,8}|\d[a-z\d]{3}))*"
    r"(-[a-wyz\d](-[a-z\d]{2,8})+)*(-x(-[a-z\d]{1,8})+)?",
    re.ASCII | re.IGNORECASE,
)


def is_language_tag(tag: str) -> bool:
    """Return whether the text is a well-formed language tag."""
    return 2 <= len(tag) <= MAX_LANGUAGE_TAG_LENGTH and _LANGUAGE_TAG.fullmatch(tag) is not None


def normalize_language(tag: str) -> str:
    """Return the tag with its parts in the usual case, such as `zh-Hant-TW`."""
    language, *others = tag.lower().split("-")
    cases = {2: str.upper, 4: str.title}
    is_extension = False
    for index, part in enumerate(others):
        is_extension = is_extension or len(part) == 1
        others[index] = part if is_extension else cases.get(len(part), str)(part)
    return "-".join([language, *others])
