"""The conditions of article lists, by name; their parameters have the names of the filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    Integer,
    String,
    and_,
    bindparam,
    false,
    func,
    or_,
    select,
)

from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import Article, ArticleAuthor, ArticleTag, FormerSlug, WorkingCopy
from blogapi.custom_fields.filters import MAX_FILTERS
from blogapi.publication.visibility import (
    NOW,
    ItemType,
    Status,
    has_status,
    is_article,
    is_page,
    listed,
    listed_pages,
    scheduled,
)
from blogapi.search import engines as search
from blogapi.storage.database import UtcDateTime, table_of
from blogapi.storage.expressions import has_json_value

# The names of the conditions; `public` is the first one in lists for readers.
Names = tuple[str, ...]
Conditions = Mapping[str, ColumnElement[bool]]

# The names of the conditions for custom fields.
CUSTOM = tuple(f"custom {place}" for place in range(MAX_FILTERS))
PAGE = ItemType.PAGE.value
STATUSES = tuple(status.value for status in Status)

_article, _former, _copy = table_of(Article).c, table_of(FormerSlug).c, table_of(WorkingCopy).c
_tag, _byline = table_of(ArticleTag).c, table_of(ArticleAuthor).c
_own, _other = table_of(Article).alias("own").c, table_of(ArticleTag).alias("other")
TAG: ColumnElement[UUID] = bindparam("tag")
_AUTHOR: ColumnElement[UUID] = bindparam("author")
CATEGORY: ColumnElement[UUID] = bindparam("category")
_NUMBER: ColumnElement[int] = bindparam("all_tags_number", type_=Integer())
_AFTER = bindparam("published_after", type_=UtcDateTime())
_BEFORE = bindparam("published_before", type_=UtcDateTime())


def list_conditions(
    names: Names, columns: Any, engine: search.Engine | None = None
) -> list[ColumnElement[bool]]:
    """Return the conditions; `columns` are the status, the two times and the category of articles.

    They select articles or, if PAGE is one of the names, pages.
    """
    conditions = {
        **CONDITIONS,
        "category": columns.category_id == CATEGORY,
        "any category": columns.category_id.in_(_list_parameter("category")),
        "updated_after": columns.last_updated >= bindparam("updated_after", type_=UtcDateTime()),
        "public": listed(columns),
        SCHEDULED: scheduled(columns),
        **{status: has_status(columns, status) for status in STATUSES},
    }
    if "words" in names:
        assert engine is not None, "the statement has a search engine"
        found = search.select_articles(engine, bindparam("words", type_=String()))
        conditions["words"] = _article.uuid.in_(found)
    if PAGE in names:
        conditions["public"] = listed_pages(columns)
    type_ = [] if {PAGE, "public"} & {*names} else [is_article(_article)]
    return [*(conditions[name] for name in names), *type_]


def _list_parameter(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


def _count_tags(article: ColumnElement[UUID], tags: str) -> ColumnElement[int]:
    """Return the number of those of the tags that the article has."""
    is_wanted = _other.c.article_id == article, _other.c.tag_id.in_(_list_parameter(tags))
    count = select(func.count()).select_from(_other).where(*is_wanted)
    return count.correlate(article.table).scalar_subquery()


def _has_tag(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return _article.uuid.in_(select(_tag.article_id).where(condition))


def _has_value(place: int) -> ColumnElement[bool]:
    """Return the condition that the article has one of the values of a filter by a custom field."""
    name, values = (bindparam(f"custom_{part}_{place}", type_=String()) for part in ("name", "values"))
    is_list = bindparam(f"custom_is_list_{place}", type_=Boolean())
    return has_json_value(_article.custom, name, values, is_list)


_by_author = select(_byline.article_id).where(_byline.author_id == _AUTHOR)
_by_user = select(_own.uuid).where(_own.author_id == bindparam("user"))
_has_copy = _article.uuid.in_(select(_copy.article_id))


def _has_author(link: Any) -> ColumnElement[bool]:
    """Return the condition that the article of a link has the author."""
    is_wanted = _byline.article_id == link.article_id, _byline.author_id == _AUTHOR
    return select(_byline.author_id).where(*is_wanted).correlate(link.article_id.table).exists()


# The conditions of the filters on articles and, for readers, on the links to tags and authors, by name.
CONDITIONS: dict[str, ColumnElement[bool]] = {
    "own": _article.author_id == bindparam("own"),
    "uuid": _article.uuid.in_(_list_parameter("uuid")),
    "tag": _has_tag(_tag.tag_id == TAG),
    "any tag": _has_tag(_tag.tag_id.in_(_list_parameter("tag"))),
    "all tags": _count_tags(_article.uuid, "all_tags") == _NUMBER,
    "author": _article.uuid.in_(_by_author),
    "user": _article.author_id == bindparam("user"),
    "author or user": _article.uuid.in_(_by_author.union(_by_user)),
    "featured": _article.featured,
    "not featured": ~_article.featured,
    # The index of languages has only articles that name their language.
    "language": and_(_article.language != "", _article.language == bindparam("language")),
    "own language": _article.language == "",
    "other language": _article.language != "",
    "own or named language": _article.language.in_(["", bindparam("language")]),
    "translation_key": and_(
        _article.translation_key != "", _article.translation_key == bindparam("translation_key")
    ),
    "edited": _has_copy,
    "not edited": ~_has_copy,
    "slug": or_(
        _article.slug == bindparam("slug"),
        _article.uuid.in_(select(_former.article_id).where(_former.slug == bindparam("slug"))),
    ),
    "published_after": _article.published_at >= _AFTER,
    "published_before": _article.published_at < _BEFORE,
    PAGE: is_page(_article),
    "parent": _article.parent_id == bindparam("parent"),
    "top": _article.parent_id.is_(None),
    "nothing": false(),
    "not category": _article.category_id.not_in(_list_parameter("not_category")),
    "not tag": _count_tags(_article.uuid, "not_tag") == 0,
    # The opposites, which count the articles that a list lacks.
    "in not_category": _article.category_id.in_(_list_parameter("not_category")),
    "with not_tag": _has_tag(_tag.tag_id.in_(_list_parameter("not_tag"))),
}
# The conditions of filters by custom fields; the filters are numbered.
CONDITIONS |= {name: _has_value(place) for place, name in enumerate(CUSTOM)}
OF_TAG: Conditions = {
    "public": _tag.listed_from <= NOW,
    "tag": _tag.tag_id == TAG,
    "category": _tag.category_id == CATEGORY,
    "any category": _tag.category_id.in_(_list_parameter("category")),
    "all tags": _count_tags(_tag.article_id, "all_tags") == _NUMBER,
    "author": _has_author(_tag),
    "published_after": _tag.listed_from >= _AFTER,
    "published_before": _tag.listed_from < _BEFORE,
    "not category": _tag.category_id.not_in(_list_parameter("not_category")),
    "not tag": _count_tags(_tag.article_id, "not_tag") == 0,
    "with not_tag": _tag.tag_id.in_(_list_parameter("not_tag")),
}
OF_AUTHOR: Conditions = {
    "public": _byline.listed_from <= NOW,
    "author": _byline.author_id == _AUTHOR,
    "published_after": _byline.listed_from >= _AFTER,
    "published_before": _byline.listed_from < _BEFORE,
    "not tag": _count_tags(_byline.article_id, "not_tag") == 0,
}
