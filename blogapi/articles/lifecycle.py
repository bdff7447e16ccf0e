"""The states of an article and the transitions between them."""

from __future__ import annotations

from datetime import datetime
from enum import Enum, StrEnum
from typing import Final

from blogapi.web.errors import Conflict, Invalid


class Status(StrEnum):
    """The stored status; the API shows a published article whose time lies ahead as scheduled."""

    DRAFT = "draft"
    PUBLISHED = "published"
    ARCHIVED = "archived"


class ContentType(StrEnum):
    """The markup of the content."""

    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"


class Unset(Enum):
    """The value of what a request does not name, where None is a value of its own."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
SCHEDULED = "scheduled"
API_STATUSES = (*(status.value for status in Status), SCHEDULED)

_TRANSITIONS = {
    Status.DRAFT: {Status.PUBLISHED, Status.ARCHIVED},
    Status.PUBLISHED: {Status.DRAFT, Status.ARCHIVED},
    Status.ARCHIVED: {Status.DRAFT},
}


def api_status(status: str, published_at: datetime | None, now: datetime) -> str:
    """Return the status as the API shows it."""
    if status == Status.PUBLISHED and published_at is not None and published_at > now:
        return SCHEDULED
    return status


def is_public(status: str, published_at: datetime | None, now: datetime) -> bool:
    """Return whether everybody may read an article in this state."""
    return status == Status.PUBLISHED and published_at is not None and published_at <= now


def next_state(
    former: tuple[str, datetime | None] | None,
    status: str | None,
    published_at: datetime | Unset | None,
    now: datetime,
) -> tuple[str, datetime | None]:
    """Return status and time of publication after a change; `former` is None for a new article.

    `status` None and `published_at` UNSET are not changed. Raises Conflict for a transition that does not
    exist, Invalid for a schedule without a time ahead.
    """
    was, stored = former or (None, None)
    requested = status or was or Status.DRAFT.value
    new = Status.PUBLISHED if requested == SCHEDULED else Status(requested)
    if was is not None and new != was and new not in _TRANSITIONS[Status(was)]:
        raise Conflict(f"An article that is {was} cannot become {requested}.", code="impossible_transition")
    if new != Status.PUBLISHED:
        return new.value, stored if published_at is UNSET else published_at
    if published_at is None and was == Status.PUBLISHED:
        raise Invalid("A published article has a time.", errors={"published_at": ["Must not be null."]})
    named = None if published_at is UNSET else published_at
    at = named or stored
    if requested == SCHEDULED and was != Status.PUBLISHED and (at is None or at <= now):
        raise Invalid(
            "A scheduled article needs a time.", errors={"published_at": ["Must lie ahead to schedule."]}
        )
    # "published" without a time publishes an article now that has no time, or one that lies ahead.
    publishes_now = status == Status.PUBLISHED and named is None and at is not None and at > now
    return new.value, now if at is None or publishes_now else at
