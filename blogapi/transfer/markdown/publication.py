"""Whether and when an article was published."""

from __future__ import annotations

from datetime import datetime

from blogapi.transfer.markdown import dates
from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.paths import Place
from blogapi.transfer.markdown.privacy import Reason
from blogapi.transfer.markdown.text import line

_ARCHIVED = ("archived", "archive")
_DATES = ("date", "publishdate", "pubdate", "pubdatetime", "publishedat", "published", "publish")
_EXPIRY = ("expirydate", "unpublishdate", "expires")


def publication(
    fields: Fields, place: Place, private: list[Reason], now: datetime, *, publish_undated: bool
) -> tuple[str, datetime | None]:
    """Return status and time of publication (aware, UTC; None = not dated).

    What cannot be read makes a draft: to publish what was not meant for it is worse than to wait.
    """
    moment, certain = _moment(fields, place)
    for reason in filter(None, dict.fromkeys(reason.note for reason in private)):
        fields.note(reason)
    if private or not certain:
        return "draft", moment
    if fields.text("status").casefold() in _ARCHIVED:
        return "archived", moment
    if not moment and not fields.written and not publish_undated:
        fields.note(
            "It has no front matter and no date; the article became a draft (--publish-undated publishes it)."
        )
        return "draft", None
    status = _status_by_expiry(fields, now)
    if not moment and status == "published":
        fields.note("No date was found; the article will carry the time of the import.")
    return status, moment


def _moment(fields: Fields, place: Place) -> tuple[datetime | None, bool]:
    """Return the time of publication, and whether it is certain."""
    given = [value for value in _written(fields) if not dates.missing(value)]
    read = [moment for moment in map(dates.parse, given) if moment]
    if len(read) < len(given):
        return _unreadable(fields, place, next(value for value in given if not dates.parse(value)), read)
    # Hugo: `date` is the day on the page, a later `publishDate` (or one of its other names) the day from
    # which the page exists.
    return (max(read) if read else place.date or _in_address(fields)), True


def _unreadable(
    fields: Fields, place: Place, value: object, read: list[datetime]
) -> tuple[datetime | None, bool]:
    found = f"The date “{line(value)[:100]}” could not be read"
    if place.date and not read:
        fields.note(f"{found}; {dates.day(place.date)} of the file's name was taken.")
        return place.date, True
    fields.note(f"{found}; the article became a draft.")
    return next(iter(read), None), False


def _written(fields: Fields) -> list[object]:
    values = {name: fields.take(name) for name in _DATES}
    # These two are dates, or words for true and false.
    for name in ("published", "publish"):
        if not dates.parse(values[name]):
            values[name] = None
    return list(values.values())


def _in_address(fields: Fields) -> datetime | None:
    addresses = (fields.text(name) for name in ("path", "url", "permalink"))
    return next((moment for moment in map(dates.in_path, addresses) if moment), None)


def _status_by_expiry(fields: Fields, now: datetime) -> str:
    value = fields.take(*_EXPIRY)
    if dates.missing(value):
        return "published"
    moment = dates.parse(value)
    if not moment:
        fields.note(
            f"Its date of expiry “{line(value)[:100]}” could not be read; the article became a draft."
        )
        return "draft"
    if moment <= now:
        fields.note(f"It expired on {dates.day(moment)}: the article is archived.")
        return "archived"
    fields.note(f"Its date of expiry “{line(value)[:100]}” was left behind.")
    return "published"
