"""Moments as blogs write them: in front matter, in file names and in addresses."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from blogapi.transfer.markdown.text import line

_WRITTEN = re.compile(
    r"""(?P<year>[0-9]{4})(?P<sign>[-/.])(?P<month>[0-9]{1,2})(?P=sign)(?P<day>[0-9]{1,2})
    (?:(?:[Tt]|\ +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2})
      (?: :(?P<second>[0-9]{1,2}) (?:[.,](?P<part>[0-9]+))? )? )?
    \ *(?P<zone>Z|z|UTC|GMT|(?:UTC|GMT)?(?P<side>[-+])(?P<hours>[0-9]{1,2}):?(?P<minutes>[0-9]{2})?)?""",
    re.VERBOSE,
)
_MAIL = re.compile(r"(?:[A-Za-z]{3,9},? +)?[0-9]{1,2} [A-Za-z]{3} [0-9]{4} [0-9]{1,2}:[0-9]{2}")
_WORDS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y")
_IN_NAME = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[-_ ]|$)")
_IN_PATH = re.compile(r"(?:^|/)([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?:/|$)")
#: Hugo writes Go's zero time, and old databases write zeros, where there is no date.
_NEVER = ("0001-01-01", "0000-00-00")


def missing(value: object) -> bool:
    """Return whether nothing, or a zero date, stands where a date should be."""
    return value is None or line(value).startswith(_NEVER)


def parse(value: object) -> datetime | None:
    """Return the moment (aware, UTC) that a date, datetime or text means; None if it cannot be read.

    Without a zone it is UTC, without a time midnight. Figures such as `1/2/2015` are not guessed.
    """
    try:
        return _aware(value if isinstance(value, datetime) else _from_text(line(value)))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _from_text(text: str) -> datetime:
    written = _WRITTEN.fullmatch(text)
    if written:
        return _from_figures(written)
    return parsedate_to_datetime(text) if _MAIL.match(text) else _from_words(text)


def _from_figures(written: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second, hours, minutes = (
        int(written[name] or 0)
        for name in ("year", "month", "day", "hour", "minute", "second", "hours", "minutes")
    )
    micro = int((written["part"] or "")[:6].ljust(6, "0"))
    away = timedelta(hours=hours, minutes=minutes)
    zone = timezone(-away if written["side"] == "-" else away)
    return datetime(year, month, day, hour, minute, second, micro, tzinfo=zone)


def _from_words(text: str) -> datetime:
    for form in _WORDS:
        try:
            return datetime.strptime(f"{text} +0000", f"{form} %z")
        except ValueError:
            continue
    raise ValueError(text)


def in_name(name: str) -> tuple[datetime | None, str]:
    """Return the date at the start of a file name, and the rest: `2017-2-5-x` gives 5 February, "x".

    A name that is nothing but a date keeps itself as its rest; without a date it is (None, name).
    """
    found = _IN_NAME.match(name)
    moment = _midnight(found[1], found[2], found[3]) if found else None
    if not found or not moment:
        return None, name
    return moment, name[found.end() :] or name


def in_path(path: str) -> datetime | None:
    """Return the date that whole folders of a path say (`2021/05/06/x`, `notes/2021-05-06/x`), if any."""
    found = _IN_PATH.search(path)
    return _midnight(found[1], found[3], found[4]) if found else None


def _midnight(year: str, month: str, day: str) -> datetime | None:
    return parse(f"{year}-{month}-{day}")


def day(moment: datetime | date) -> str:
    """Return the day as `2021-05-06`, for sentences."""
    return moment.isoformat()[:10]
