"""The content of an article: all that an author writes, and what follows from a change of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from blogapi.articles.lifecycle import UNSET, Unset, next_state

# The text that an SEO field has as long as nobody writes one.
_SEO_SOURCES = {"title": "title", "description": "subtitle", "og_image": "cover_image", "canonical_url": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class TermReference:
    """A category or tag as a request names it: by its uuid, or else by its slug."""

    uuid: UUID | None = None
    slug: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleInput:
    """The fields of an article that a request names; None (of `published_at` UNSET) is not named.

    `texts` are the fields that hold a text, `seo` the texts of the SEO record, by name.
    """

    uuid: UUID | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    slug: str | None = None
    status: str | None = None
    published_at: datetime | Unset | None = UNSET
    category: TermReference | None = None
    tags: tuple[TermReference, ...] | None = None
    seo: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleContent:
    """All that is written of an article; `published_at` is aware, UTC."""

    texts: Mapping[str, str]
    slug: str
    status: str
    published_at: datetime | None
    category: UUID
    tags: tuple[UUID, ...]
    seo: Mapping[str, str]

    def flatten(self) -> dict[str, Any]:
        """Return the content with its texts beside the other fields, as revisions store and show it."""
        fields = asdict(self)
        texts: dict[str, Any] = fields.pop("texts")
        return texts | fields | {"tags": list(self.tags)}


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that differs between two contents."""

    field: str
    before: Any
    after: Any


def revise(
    former: ArticleContent | None,
    given: ArticleInput,
    *,
    category: UUID | None,
    tags: tuple[UUID, ...] | None,
    defaults: Mapping[str, str],
    now: datetime,
) -> ArticleContent:
    """Return the content after a change; `former` is None for a new article.

    `category` and `tags` are those that the references in `given` name, `defaults` the texts of a new
    article. The slug is not changed here: only the database knows whether one is free. Raises Conflict for
    a transition that does not exist, Invalid for a schedule without a time ahead.
    """
    state = (former.status, former.published_at) if former else None
    status, published_at = next_state(state, given.status, given.published_at, now)
    if former is None:
        assert category is not None, "the schema demands the category of a new article"
        texts = {**defaults, **given.texts}
        return ArticleContent(
            texts=texts,
            slug="",
            status=status,
            published_at=published_at,
            category=category,
            tags=tags or (),
            seo={**default_seo(texts), **given.seo},
        )
    texts = {**former.texts, **given.texts}
    return replace(
        former,
        texts=texts,
        status=status,
        published_at=published_at,
        category=category or former.category,
        tags=former.tags if tags is None else tags,
        seo={**_revise_seo(former, texts), **given.seo},
    )


def default_seo(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SEO texts of an article for which nobody wrote any."""
    return {name: texts.get(source, "") for name, source in _SEO_SOURCES.items()}


def compare(before: ArticleContent, after: ArticleContent) -> list[Difference]:
    """Return each field that differs, by name; `seo` field by field."""
    left, right = _flat(before), _flat(after)
    return [
        Difference(name, left.get(name), right.get(name))
        for name in sorted(left | right)
        if left.get(name) != right.get(name)
    ]


def _revise_seo(former: ArticleContent, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SEO texts after a change of the article's: what somebody wrote stays."""
    before = default_seo(former.texts)
    written = {name: text for name, text in former.seo.items() if text != before[name]}
    return default_seo(texts) | written


def _flat(content: ArticleContent) -> dict[str, Any]:
    fields = content.flatten()
    seo = {f"seo.{name}": text for name, text in fields.pop("seo").items()}
    return fields | seo
