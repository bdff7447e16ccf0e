"""Decide whether an article of another blog is published here: one rule for the statuses of all formats."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from blogapi.importing.texts.lines import to_line

STATUSES = {"published": "published", "scheduled": "scheduled", "draft": "draft"}
NO_DATE = "It has no date of publication; the article became a draft."
PAST_SCHEDULE = "It was scheduled for a time that has passed; the article became a draft."


def decide(
    status: str,
    date: datetime | None,
    now: datetime,
    reason: str = "",
    names: Mapping[str, str] = STATUSES,
) -> tuple[str, tuple[str, ...]]:
    """Return "published" or "draft", and why an article that the source does not call a draft became one.

    `names` maps the statuses of the source to those of STATUSES; a status without a name is unknown. `reason`
    says why visitors could not read the article; "" = they could. The times are aware, and a published
    article with a future date is scheduled.
    """
    kind = names.get(status)
    if kind == "draft":
        return "draft", ()
    if not reason and kind is None:
        problem = f"Its status “{to_line(status)[:40]}” is unknown" if status else "It has no status"
        reason = f"{problem}; the article became a draft."
    elif not reason and date is None:
        reason = NO_DATE
    elif not reason and date and kind == "scheduled" and date <= now:
        reason = PAST_SCHEDULE
    return ("draft", (reason,)) if reason else ("published", ())
