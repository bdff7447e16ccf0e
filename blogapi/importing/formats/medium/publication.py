"""Decide whether a story is published."""

from __future__ import annotations

from datetime import datetime

from blogapi.importing.format_api.privacy_signs import MEDIUM_DRAFT_PREFIX
from blogapi.importing.texts.messages import NO_DATE


def decide_status(
    file_name: str, published_at: datetime | None, *, may_be_response: bool
) -> tuple[str, tuple[str, ...]]:
    """Return the status of a story, and why it is not public."""
    if is_named_draft(file_name):
        return "draft", ()
    if published_at is None:
        return "draft", (NO_DATE,)
    if may_be_response:
        return "draft", ("It has no title of its own and may be a response; the article became a draft.",)
    return "published", ()


def is_named_draft(file_name: str) -> bool:
    """Return whether the archive names the file as a draft."""
    return file_name.lower().startswith(MEDIUM_DRAFT_PREFIX)
