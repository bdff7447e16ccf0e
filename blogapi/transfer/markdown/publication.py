"""Whether and when an article was published."""

from __future__ import annotations

from datetime import datetime

from blogapi.transfer.markdown import dates
from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.paths import Place
from blogapi.transfer.markdown.text import line, truth

_STATUSES = {
    **dict.fromkeys(("published", "publish", "public", "scheduled", "future"), "published"),
    **dict.fromkeys(("archived", "archive"), "archived"),
    **dict.fromkeys(("draft", "hidden", "private", "pending"), "draft"),
}


def publication(fields: Fields, place: Place, now: datetime) -> tuple[str, datetime | None]:
    """Return status and time of publication (aware, UTC; None = not dated).

    What cannot be read makes a draft: to publish what was not meant for it is worse than to wait.
    """
    moment, certain = _moment(fields, place)
    status = _status(fields, place)
    if not certain or status != "published":
        return (status if certain else "draft"), moment
    if _is_over(fields, now):
        return "archived", moment
    if not moment:
        fields.note("No date was found; the article will carry the time of the import.")
    return "published", moment


def _moment(fields: Fields, place: Place) -> tuple[datetime | None, bool]:
    """Return the time of publication, and whether it is certain."""
    given = [value for value in (_written(fields), fields.take("publishdate")) if not dates.missing(value)]
    read = [moment for moment in map(dates.parse, given) if moment]
    if len(read) < len(given):
        return _unreadable(fields, place, next(value for value in given if not dates.parse(value)), read)
    # Hugo: `date` is the day on the page, a later `publishDate` the day from which the page exists.
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


def _written(fields: Fields) -> object:
    value = fields.take("date", "pubdate", "pubdatetime", "publishedat")
    if value is not None:
        return value
    published = fields.take("published")
    return None if truth(published) is not None or not dates.parse(published) else published


def _in_address(fields: Fields) -> datetime | None:
    addresses = (fields.text(name) for name in ("path", "url", "permalink"))
    return next((moment for moment in map(dates.in_path, addresses) if moment), None)


def _status(fields: Fields, place: Place) -> str:
    if place.drafts or _flag(fields, "draft", False) or not _flag(fields, "published", True):
        return "draft"
    written = fields.text("status")
    status = _STATUSES.get(written.casefold(), "") if written else "published"
    if not status:
        fields.note(f"The status “{written[:100]}” is not known; the article became a draft.")
    elif status == "draft" and written.casefold() != "draft":
        fields.note(f"The status “{written}” became “draft”.")
    return status or "draft"


def _flag(fields: Fields, name: str, usual: bool) -> bool:
    value = fields.take(name)
    said = truth(value)
    if value is None or (name == "published" and dates.parse(value)):
        return usual
    if said is None:
        fields.note(
            f"The value “{line(value)[:100]}” of `{name}` is neither true nor false; it became a draft."
        )
        return not usual
    return said


def _is_over(fields: Fields, now: datetime) -> bool:
    value = fields.take("expirydate")
    if dates.missing(value):
        return False
    moment = dates.parse(value)
    if moment and moment <= now:
        fields.note(f"It expired on {dates.day(moment)}: the article is archived.")
        return True
    fields.note(f"Its date of expiry “{line(value)[:100]}” was left behind.")
    return False
