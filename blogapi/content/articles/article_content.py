"""The content of an article, which is everything that an author writes, and the rules for changing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from blogapi.content.articles.fields import TERM_LIST_NAMES
from blogapi.content.articles.lifecycle import UNSET, Unset, compute_next_state
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.models import NO_VALUES
from blogapi.publication.visibility import ItemType

# Maps each SEO field to the text field that provides its default value; "" stands for no default value.
_SEO_SOURCES = {"title": "title", "description": "subtitle", "og_image": "cover_image", "canonical_url": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleInput:
    """The fields of an article in a request; an omitted field is None (UNSET if None is a valid value).

    `texts` contains the text fields and `seo` contains the fields of the SEO record, both by name. `custom`
    contains changes of the custom fields, by name; None removes a value. With `replaces_custom`, `custom`
    replaces the values of all custom fields. With `is_imported`, an article without a required custom field
    may be published. A reference to a category, tag, author or parent is a uuid or a slug (a text).
    """

    uuid: UUID | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    slug: str | None = None
    status: str | None = None
    published_at: datetime | Unset | None = UNSET
    category: UUID | str | None = None
    tags: tuple[UUID | str, ...] | None = None
    authors: tuple[UUID | str, ...] | None = None
    seo: Mapping[str, str] = field(default_factory=dict)
    custom: custom_values.CustomValues = field(default_factory=dict)
    replaces_custom: bool = False
    is_imported: bool = False
    type: str = ItemType.ARTICLE.value
    parent: UUID | str | Unset | None = UNSET
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleContent:
    """The fields of an article that an author writes; `published_at` is aware and in UTC.

    `authors` is empty in a version that was stored before articles had several authors. `custom` contains the
    values of the custom fields as JSON; equal values have equal texts.
    """

    texts: Mapping[str, str]
    slug: str
    status: str
    published_at: datetime | None
    category: UUID | None
    tags: tuple[UUID, ...]
    authors: tuple[UUID, ...]
    seo: Mapping[str, str]
    custom: str = NO_VALUES
    type: str = ItemType.ARTICLE.value
    parent: UUID | None = None
    position: int = 0

    def to_flat_dict(self) -> dict[str, Any]:
        """Return all fields in one dictionary, text fields beside the others, as versions store them."""
        others = {name: getattr(self, name) for name in _NON_TEXT_FIELDS}
        lists = {name: list(getattr(self, name)) for name in TERM_LIST_NAMES}
        custom = {} if self.custom == NO_VALUES else custom_values.parse_stored_values(self.custom)
        json = {"seo": dict(self.seo), "custom": custom}
        return {**self.texts, **others, **lists, **json}

    def to_input(self) -> ArticleInput:
        """Return an input with this content, without slug, status, publication time, parent and position."""
        return ArticleInput(
            texts=self.texts,
            category=self.category,
            tags=self.tags,
            authors=self.authors or None,
            seo=self.seo,
            custom=custom_values.parse_stored_values(self.custom),
            replaces_custom=True,
            type=self.type,
        )


_NON_TEXT_FIELDS = tuple(field.name for field in fields(ArticleContent) if field.name != "texts")


@dataclass(frozen=True, slots=True)
class ContentDifference:
    """A field whose value differs between two versions of an article."""

    field: str
    before: Any
    after: Any


def revise_content(
    old_content: ArticleContent | None,
    article_input: ArticleInput,
    *,
    category: UUID | None,
    tags: tuple[UUID, ...] | None,
    authors: tuple[UUID, ...] | None,
    defaults: Mapping[str, str],
    now: datetime,
) -> ArticleContent:
    """Return the content after a change; `old_content` is None for a new article.

    `category`, `tags` and `authors` are the uuids to which the references in `article_input` resolve.
    `defaults` contains the default text fields of a new article. The slug does not change here, because
    choosing a slug requires a query. Raises Conflict if the transition is not allowed, and
    Invalid if the publication time does not fit the status.
    """
    state = (old_content.status, old_content.published_at) if old_content else None
    status, published_at = compute_next_state(state, article_input.status, article_input.published_at, now)
    placement: dict[str, Any] = {}
    if article_input.position is not None:
        placement["position"] = article_input.position
    if not isinstance(article_input.parent, Unset):
        placement["parent"] = article_input.parent
    custom = NO_VALUES if old_content is None or article_input.replaces_custom else old_content.custom
    if article_input.custom:
        custom = custom_values.merge_values(custom, article_input.custom)
    if old_content is None:
        texts = {**defaults, **article_input.texts}
        return ArticleContent(
            texts=texts,
            slug="",
            status=status,
            published_at=published_at,
            category=category,
            tags=tags or (),
            authors=authors or (),
            seo={**make_default_seo(texts), **article_input.seo},
            custom=custom,
            type=article_input.type,
            **placement,
        )
    texts = {**old_content.texts, **article_input.texts}
    # The SEO fields that an author wrote do not change with the texts.
    derived = make_default_seo(old_content.texts)
    written = {name: text for name, text in old_content.seo.items() if text != derived[name]}
    return replace(
        old_content,
        texts=texts,
        status=status,
        published_at=published_at,
        category=(category or old_content.category) if old_content.category else None,
        tags=old_content.tags if tags is None else tags,
        authors=old_content.authors if authors is None else authors,
        seo={**make_default_seo(texts), **written, **article_input.seo},
        custom=custom,
        **placement,
    )


def make_default_seo(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SEO fields of an article whose author wrote no SEO fields."""
    return {name: texts.get(source, "") for name, source in _SEO_SOURCES.items()}


def compare_contents(before: ArticleContent, after: ArticleContent) -> list[ContentDifference]:
    """Return the fields whose values differ between the two contents, ordered by field name.

    The fields of `seo` are named `seo.title` and so on, and the custom fields `custom.rating` and so on.
    """
    left, right = _make_comparable_fields(before), _make_comparable_fields(after)
    if not (before.authors and after.authors):
        del left["authors"], right["authors"]
    values = ((name, left.get(name), right.get(name)) for name in sorted(left | right))
    # True equals 1 in Python, but `true` and `1` are different values of a custom field.
    return [
        ContentDifference(name, old, new)
        for name, old, new in values
        if old != new or isinstance(old, bool) != isinstance(new, bool)
    ]


def _make_comparable_fields(content: ArticleContent) -> dict[str, Any]:
    flat = content.to_flat_dict()
    names = ("seo", "custom")
    nested = {f"{name}.{key}": value for name in names for key, value in flat.pop(name).items()}
    return flat | nested
