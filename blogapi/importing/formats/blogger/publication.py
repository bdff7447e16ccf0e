"""Decide whether a post is published."""

from __future__ import annotations

from datetime import datetime

from blogapi.importing.format_api.privacy_signs import BLOGGER_PUBLIC_STATUSES
from blogapi.importing.texts.lines import to_line
from blogapi.importing.texts.messages import NO_DATE, PAST_SCHEDULE, describe_status


def decide_status(
    given: str, published_at: datetime | None, now: datetime, *, is_private: bool
) -> tuple[str, tuple[str, ...]]:
    """Return the status of a post with the status `given`, and why it is not public.

    `is_private` says that the whole blog was private.
    """
    if given == "DRAFT":
        return "draft", ()
    if is_private:
        return "draft", ("The blog was private; the article became a draft.",)
    if given == "SOFT_TRASHED":
        return "draft", ("It was in the trash; the article became a draft.",)
    if given not in BLOGGER_PUBLIC_STATUSES:
        return "draft", (describe_status(to_line(given)),)
    if published_at is None:
        return "draft", (NO_DATE,)
    if given == "SCHEDULED" and published_at <= now:
        return "draft", (PAST_SCHEDULE,)
    return "published", ()
