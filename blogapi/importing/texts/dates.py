"""Parse dates and times from front matter, file names and paths."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from blogapi.importing.texts.lines import to_line

_NUMERIC_DATE = re.compile(
    r"""(?P<year>[0-9]{4})(?P<separator>[-/.])(?P<month>[0-9]{1,2})(?P=separator)(?P<day>[0-9]{1,2})
    (?:(?:[Tt]|\ +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2})
      (?: :(?P<second>[0-9]{1,2}) (?:[.,](?P<fraction>[0-9]+))? )? )?
    \ *(?P<zone>Z|z|UTC|GMT
      |(?:UTC|GMT)?(?P<sign>[-+])(?P<offset_hours>[0-9]{1,2}):?(?P<offset_minutes>[0-9]{2})?)?""",
    re.VERBOSE,
)
_EMAIL_DATE = re.compile(r"(?:[A-Za-z]{3,9},? +)?[0-9]{1,2} [A-Za-z]{3} [0-9]{4} [0-9]{1,2}:[0-9]{2}")
_MONTH_NAME_FORMATS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y")
_DATE_PREFIX = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[-_ ]|$)")
_DATE_IN_PATH = re.compile(r"(?:^|/)([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?:/|$)")
# Go's zero time, which Hugo writes, and the zero date of MySQL stand for "no date".
_ZERO_DATES = ("0001-01-01", "0000-00-00")
# Eleventy's names for the times of the file itself.
_FILE_TIMES = {"last modified", "created", "git last modified", "git created"}


@dataclass(frozen=True, slots=True)
class Zones:
    """The time zones of values without an offset."""

    days: tzinfo = UTC  #: the zone of dates without a time, which mean midnight
    times: tzinfo = UTC  #: the zone of times without an offset


UTC_ZONES = Zones()


@lru_cache(8)
def find_zone(name: str) -> ZoneInfo | None:
    """Return the time zone of the IANA database with this name, or None."""
    # Names from a file can be anything, for example a folder of the time zone database.
    with suppress(KeyError, OSError, ValueError):
        return ZoneInfo(name) if name else None
    return None


def is_missing_date(value: object) -> bool:
    """Return whether a date value is null, a zero date or the name of a time of the file."""
    line = to_line(value)
    return value is None or line.startswith(_ZERO_DATES) or line.casefold() in _FILE_TIMES


def parse_date(value: object, zones: Zones = UTC_ZONES) -> datetime | None:
    """Return a date, datetime or text as a time (aware, UTC), or None if it cannot be parsed.

    `zones` apply to values without an offset. A local time that does not exist is moved forward by the gap; a
    local time that occurs twice is the first. Ambiguous dates such as `1/2/2015` are not parsed.
    """
    with suppress(ValueError, OverflowError, TypeError, IndexError):
        found = value if isinstance(value, datetime) else _parse_date_text(to_line(value))
        if not isinstance(found, datetime):
            return datetime.combine(found, time(), zones.days).astimezone(UTC)
        return (found if found.tzinfo else found.replace(tzinfo=zones.times)).astimezone(UTC)
    return None


def _parse_date_text(text: str) -> date:
    """Return a datetime, or a date if the text contains no time. Raises ValueError for another text."""
    match = _NUMERIC_DATE.fullmatch(text)
    if match:
        names = ("year", "month", "day", "hour", "minute", "second")
        year, month, day, hour, minute, second = (int(match[name] or 0) for name in names)
        if not (match["hour"] or match["zone"]):
            return date(year, month, day)
        microsecond = int((match["fraction"] or "")[:6].ljust(6, "0"))
        offset = timedelta(hours=int(match["offset_hours"] or 0), minutes=int(match["offset_minutes"] or 0))
        zone = timezone(-offset if match["sign"] == "-" else offset) if match["zone"] else None
        return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=zone)
    if _EMAIL_DATE.match(text):
        parsed = parsedate_to_datetime(text)
        # Python returns a time without an offset for `-0000`, which is UTC.
        return parsed.replace(tzinfo=UTC) if text.endswith("-0000") else parsed
    # `strptime` is slow, and most values that this function gets are words such as `true`.
    for form in _MONTH_NAME_FORMATS if any(map(str.isdigit, text)) else ():
        with suppress(ValueError):
            return datetime.strptime(f"{text} +0000", f"{form} %z").date()
    raise ValueError(text)


def split_date_prefix(name: str) -> tuple[date | None, str]:
    """Return the date at the start of a file name, and the rest: `2017-2-5-x` gives 5 February 2017 and "x".

    If the name is only a date, the rest is the whole name. Without a date, the result is (None, name).
    """
    match = _DATE_PREFIX.match(name)
    day = _parse_day(match[1], match[2], match[3]) if match else None
    if not match or not day:
        return None, name
    return day, name[match.end() :] or name


def find_date_in_path(path: str) -> date | None:
    """Return the date in the folder names of a path (`2021/05/06/x`, `notes/2021-05-06/x`), or None."""
    match = _DATE_IN_PATH.search(path)
    return _parse_day(match[1], match[3], match[4]) if match else None


def _parse_day(year: str, month: str, day: str) -> date | None:
    with suppress(ValueError):
        return date(int(year), int(month), int(day))
    return None
