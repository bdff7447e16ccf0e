"""The states of an article and what follows from them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum


class Status(StrEnum):
    """What is stored; a published article whose time lies ahead shows as scheduled."""

    DRAFT = "draft"
    PUBLISHED = "published"
    ARCHIVED = "archived"


class ContentType(StrEnum):
    """How the content is written."""

    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"


SCHEDULED = "scheduled"
SHOWN = (*(status.value for status in Status), SCHEDULED)


def shown_status(status: str, published_at: datetime | None, now: datetime) -> str:
    """Return the status as the wire shows it: `scheduled` is published with a time ahead."""
    if status == Status.PUBLISHED and published_at is not None and published_at > now:
        return SCHEDULED
    return status


def publication(status: str, published_at: datetime | None, now: datetime) -> datetime | None:
    """Return when an article is public from: what is given, or now for one that is published undated."""
    return now if status == Status.PUBLISHED and published_at is None else published_at
