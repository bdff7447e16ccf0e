"""What an article is made of, its states, and what follows from a change."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from blogapi.web.errors import Conflict, Invalid

# All that is written of an article: title, subtitle, slug, cover_image, content, content_type, status,
# published_at (aware or None), category (UUID), tags (list of UUIDs), seo (a dict of four texts).
ArticleContent = dict[str, Any]


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
API_STATUSES = (*(status.value for status in Status), SCHEDULED)

DEFAULTS: ArticleContent = {
    "subtitle": "",
    "cover_image": "",
    "content": "",
    "content_type": ContentType.HTML.value,
    "status": Status.DRAFT.value,
    "tags": [],
    "seo": {},
}

_NEXT = {
    Status.DRAFT: {Status.PUBLISHED, Status.ARCHIVED},
    Status.PUBLISHED: {Status.DRAFT, Status.ARCHIVED},
    Status.ARCHIVED: {Status.DRAFT},
}
# What an SEO field says while nobody has written it.
_SEO_FROM = {"title": "title", "description": "subtitle", "og_image": "cover_image", "canonical_url": ""}


def api_status(status: str, published_at: datetime | None, now: datetime) -> str:
    """Return the status as the wire shows it: `scheduled` is published with a time ahead."""
    if status == Status.PUBLISHED and published_at is not None and published_at > now:
        return SCHEDULED
    return status


def revise(former: ArticleContent | None, named: ArticleContent, now: datetime) -> ArticleContent:
    """Return the whole content after a change of what is `named`; None: a new article.

    Raises Conflict for a transition that does not exist, Invalid for a schedule without a time ahead.
    The slug is not decided here: whether one is free only the database knows.
    """
    whole = (former or DEFAULTS) | {name: value for name, value in named.items() if name != "slug"}
    whole["status"], whole["published_at"] = _state(former, named, now)
    whole["seo"] = _seo(former, named.get("seo", {}), whole)
    return whole


def is_public(content: ArticleContent, now: datetime) -> bool:
    """Tell whether everybody may see an article of this content."""
    at = content["published_at"]
    return content["status"] == Status.PUBLISHED and at is not None and at <= now


def default_seo(content: ArticleContent) -> dict[str, str]:
    """Return the SEO texts of an article for which nobody wrote any."""
    return {name: content.get(source, "") for name, source in _SEO_FROM.items()}


def compare(before: ArticleContent, after: ArticleContent) -> list[dict[str, Any]]:
    """Return each field that differs, with its value before and after; `seo` field by field."""
    left, right = _flat(before), _flat(after)
    return [
        {"field": name, "before": left.get(name), "after": right.get(name)}
        for name in sorted(left | right)
        if left.get(name) != right.get(name)
    ]


def _state(
    former: ArticleContent | None, named: ArticleContent, now: datetime
) -> tuple[str, datetime | None]:
    was = former["status"] if former else None
    wished: str = named.get("status") or was or Status.DRAFT.value
    status = Status.PUBLISHED if wished == SCHEDULED else Status(wished)
    if was is not None and status != was and status not in _NEXT[Status(was)]:
        raise Conflict(f"An article that is {was} cannot become {wished}.", code="impossible_transition")
    stored = former["published_at"] if former else None
    if named.get("published_at", now) is None and was == status == Status.PUBLISHED:
        raise Invalid("A published article has a time.", errors={"published_at": ["Must not be null."]})
    at = named.get("published_at") or stored
    if status != Status.PUBLISHED:
        return status.value, named.get("published_at", stored)
    if wished == SCHEDULED and was != Status.PUBLISHED and (at is None or at <= now):
        raise Invalid(
            "A scheduled article needs a time.", errors={"published_at": ["Must lie ahead to schedule."]}
        )
    return status.value, _publication(named, at, now)


def _publication(named: ArticleContent, at: datetime | None, now: datetime) -> datetime:
    """Return since when: as named or stored; now, where `published` is said of what has no time or waits."""
    waits = at is not None and at > now and not named.get("published_at")
    if at is None or (named.get("status") == Status.PUBLISHED and waits):
        return now
    return at


def _seo(former: ArticleContent | None, named: dict[str, str], whole: ArticleContent) -> dict[str, str]:
    """Return the SEO texts: as named; else as written before; else, as long as unwritten, the article's."""
    seo = default_seo(whole)
    if former is not None:
        before = default_seo(former)
        seo |= {name: text for name, text in former["seo"].items() if text != before[name]}
    return seo | named


def _flat(content: ArticleContent) -> dict[str, Any]:
    seo = {f"seo.{name}": text for name, text in content["seo"].items()}
    return {name: value for name, value in content.items() if name != "seo"} | seo
