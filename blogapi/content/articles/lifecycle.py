"""The states of an article and the transitions between them."""

from __future__ import annotations

from datetime import datetime
from enum import Enum, StrEnum
from typing import Final

from blogapi.publication.visibility import READABLE_STATUSES, SCHEDULED, Status
from blogapi.web.errors import Conflict, Invalid


class ContentType(StrEnum):
    """The markup language in which the content of an article is written."""

    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"


class Unset(Enum):
    """The type of UNSET, which marks an omitted field if null is a valid value of this field."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET

TRANSITIONS = {
    Status.DRAFT: {Status.PUBLISHED, Status.UNLISTED, Status.ARCHIVED},
    Status.PUBLISHED: {Status.UNLISTED, Status.DRAFT, Status.ARCHIVED},
    Status.UNLISTED: {Status.PUBLISHED, Status.DRAFT, Status.ARCHIVED},
    Status.ARCHIVED: {Status.DRAFT},
}


def compute_next_state(
    old_state: tuple[str, datetime | None] | None,
    status: str | None,
    published_at: datetime | Unset | None,
    now: datetime,
) -> tuple[str, datetime | None]:
    """Return the status and publication time after a change; `old_state` is None for a new article.

    A field that the request omits is None (`status`) or UNSET (`published_at`). Raises Conflict if the
    transition is not allowed, and Invalid if the publication time does not fit the status.
    """
    former_status, former_time = old_state or (None, None)
    requested = status or former_status or Status.DRAFT.value
    was_readable = former_status in READABLE_STATUSES
    status_if_scheduled = former_status if former_status in READABLE_STATUSES else Status.PUBLISHED
    new_status = Status(status_if_scheduled if requested == SCHEDULED else requested)
    if former_status not in (None, new_status) and new_status not in TRANSITIONS[Status(former_status)]:
        raise Conflict(
            f"An article in the status {former_status} cannot become {requested}; change it to draft first.",
            code="impossible_transition",
        )
    if new_status not in READABLE_STATUSES:
        return new_status.value, former_time if published_at is UNSET else published_at
    if published_at is None and was_readable:
        raise Invalid(
            "A published article needs a publication time; send a time, or change the status to draft first.",
            errors={"published_at": ["Must not be null."]},
        )
    given_time = None if published_at is UNSET else published_at
    time = given_time or former_time
    if requested == SCHEDULED and not was_readable and (time is None or time <= now):
        raise Invalid(
            "A scheduled article needs a future publication time; send one in `published_at`.",
            errors={"published_at": ["Must lie in the future."]},
        )
    # A request with a readable status and no time publishes now, even if the stored time is in the future.
    publishes_now = status in READABLE_STATUSES and given_time is None and time is not None and time > now
    return new_status.value, now if time is None or publishes_now else time
