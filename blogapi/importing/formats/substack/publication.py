"""Decide whether a post is published."""

from __future__ import annotations

from collections.abc import Mapping

from blogapi.importing.format_api.privacy_signs import SUBSTACK_AUDIENCES
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import to_bool
from blogapi.importing.texts.messages import NO_DATE


def decide_status(row: Mapping[str, str] | None, *, has_paywall: bool) -> tuple[str, list[str]]:
    """Return the status of a post, and why a published one is not public here."""
    if row is None:
        return "draft", ["`posts.csv` does not contain it; the article became a draft."]
    if not to_bool(row.get("is_published")):
        return "draft", []
    audience = row.get("audience") or "unknown"
    if audience != "everyone" or has_paywall:
        readers = SUBSTACK_AUDIENCES.get(audience, "some readers")
        return "draft", [f"It is for {readers} only; the article became a draft."]
    return ("published", []) if dates.parse_date(row.get("post_date")) else ("draft", [NO_DATE])
