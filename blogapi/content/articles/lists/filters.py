"""The filters of article lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from blogapi.content.custom_fields.filters import FieldFilter
from blogapi.publication.visibility import ItemType


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilters:
    """The filters of an article list; a filter with an empty value is not applied.

    `category`, `tag`, `tags_all`, `not_category` and `not_tag` contain uuids or slugs. An article matches if
    it has any of the categories, any of the tags, each tag of `tags_all`, and none of the categories and tags
    to exclude. A category includes the categories below it, unless the filters are `exact`.
    `author` is the uuid of a user, or the uuid or slug of an author. `featured` is whether the article is
    featured, and `working_copy` whether it has a working copy. `language` is a normalized tag.
    `published_after` and `updated_after` are inclusive, `published_before` is exclusive. A page matches if
    its parent is the page `parent`, or, with `top`, if it has no parent. `custom` filters by custom fields.
    """

    q: str = ""
    category: Sequence[str] = ()
    tag: Sequence[str] = ()
    tags_all: Sequence[str] = ()
    not_category: Sequence[str] = ()
    not_tag: Sequence[str] = ()
    exact: bool = False
    uuid: Sequence[UUID] = ()
    author: str = ""
    slug: str = ""
    status: str = ""
    type: str = ItemType.ARTICLE.value
    featured: bool | None = None
    language: str = ""
    translation_key: str = ""
    working_copy: bool | None = None
    published_after: datetime | None = None
    published_before: datetime | None = None
    updated_after: datetime | None = None
    ordering: str = ""
    parent: UUID | None = None
    top: bool = False
    custom: Sequence[FieldFilter] = ()

    @property
    def need_draft_access(self) -> bool:
        """Whether only callers who see drafts may use these filters."""
        return bool(self.status) or self.working_copy is not None


NO_FILTERS = ArticleFilters()
