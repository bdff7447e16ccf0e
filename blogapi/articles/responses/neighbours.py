"""The fields of a single article that show other public articles: `previous`, `next` and `related`.

They are read with the article, because they depend on other articles. In a blog with several languages, they
are in the language of the article. Each statement reads a limited number of rows from an index.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CursorResult,
    Executable,
    Row,
    Select,
    and_,
    bindparam,
    case,
    desc,
    func,
    literal,
    select,
    true,
    union,
    union_all,
)

from blogapi.articles.models import Article, ArticleJson, ArticleTag
from blogapi.articles.schemas import ArticleLinkSchema
from blogapi.categories.models import Category
from blogapi.publication.visibility import NOW, can_be_listed, listed
from blogapi.site.addresses import make_row_url
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import UtcDateTime, current_time, db, table_of
from blogapi.storage.expressions import unindexed
from blogapi.web import json as web_json
from blogapi.web.fields import WithAttributes

FIELDS = ("previous", "next", "related")

MAX_RELATED = 5
# The most similar of so many articles are shown. They are the newest ones of each tag of the article.
MAX_CANDIDATES = 300

_article, _json, _tag = table_of(Article).c, table_of(ArticleJson).c, table_of(ArticleTag).c
_category = table_of(Category).c
_LINK_COLUMNS = (
    *(_article.uuid, _article.title, _article.slug, _article.published_at, _article.cover_image),
    *(_article.category_id, _article.language),
)
_SCHEMA = ArticleLinkSchema()

_UUID: BindParameter[UUID] = bindparam("uuid")
_TAGS: BindParameter[Any] = bindparam("tags", expanding=True)
_TIME = bindparam("time", type_=UtcDateTime())
# The parameter of an `IN` that must find nothing: SQLite reads a whole index for an empty `IN`.
_NO_UUIDS = (None,)

# With `>` too, SQLite seeks the first row of the index of languages.
_has_languages = (
    select(literal(1)).where(_article.language != "", _article.language > "").exists().correlate(None)
)
_SELECT_STATE = (
    select(_json.published_at, _json.category_id, _article.language, _has_languages.label("has_languages"))
    .join(Article.__table__, _article.uuid == _json.article_id)
    .where(_json.article_id == _UUID)
)
_SELECT_TAGS = select(_tag.tag_id).where(_tag.article_id == _UUID)


class _Languages(StrEnum):
    """The languages of the articles that can be neighbours."""

    ANY = "any"
    OWN = "own"  #: those in the language of the site
    NAMED = "named"


def find_json(uuid: UUID, names: Collection[str]) -> dict[str, bytes]:
    """Return the requested FIELDS of an article as JSON, by name."""
    now = current_time()
    state = _execute(_SELECT_STATE, {"uuid": uuid}).one()
    site, links = get_site(), dict[str, Any]()
    languages = _Languages.NAMED if state.language else _Languages.OWN
    languages = languages if state.has_languages else _Languages.ANY
    values = {"uuid": uuid, "now": now, "language": state.language}
    if "previous" in names or "next" in names:
        neighbours = _find_neighbours(languages, values, state.published_at)
        links |= {name: row and _to_link(row, site) for name, row in neighbours.items()}
    if "related" in names:
        links["related"] = [
            _to_link(row, site) for row in _find_related(languages, values, state.category_id)
        ]
    return {name: web_json.to_json_bytes(links[name]) for name in names}


def _to_link(row: Any, site: Site) -> dict[str, Any]:
    url = make_row_url(site, row)
    link: dict[str, Any] = _SCHEMA.dump(WithAttributes(row, url=url))
    return link


def _find_neighbours(
    languages: _Languages, values: Mapping[str, Any], time: datetime | None
) -> dict[str, Any]:
    """Return the rows of the public articles before and after this time, by name, or None.

    A draft may have no time.
    """
    neighbours: dict[str, Any] = {"previous": None, "next": None}
    if time is not None:
        # A scheduled article comes after all public articles.
        values = {**values, "time": min(time, values["now"] + timedelta(microseconds=1))}
        rows = _execute(_select_neighbours(languages), values).all()
        # Articles with the same publication time are the nearest neighbours.
        for row in sorted(rows, key=lambda row: row.distance, reverse=True):
            neighbours[row.name] = row
    return neighbours


def _find_related(
    languages: _Languages, values: Mapping[str, Any], category_id: UUID
) -> Sequence[Row[*tuple[Any, ...]]]:
    """Return the public articles with the most common tags, then those of the category, then the newest."""
    tags = db.session.connection().scalars(_SELECT_TAGS, {"uuid": values["uuid"]}).all()
    values = {**values, "category": category_id, "tags": tags or _NO_UUIDS}
    values |= {f"tag_{place}": tag for place, tag in enumerate(tags)}
    return _execute(_select_related(languages, len(tags)), values).all()


def _is_in(languages: _Languages) -> ColumnElement[bool]:
    """Return the condition that an article has one of these languages."""
    named = and_(_article.language != "", _article.language == bindparam("language"))
    conditions = {_Languages.ANY: true(), _Languages.OWN: _article.language == "", _Languages.NAMED: named}
    return conditions[languages]


def _execute(statement: Executable, values: Mapping[str, Any]) -> CursorResult[Any]:
    return db.session.connection().execute(statement, values)


def _select_nearest(
    name: str, distance: int, condition: ColumnElement[bool], *order: ColumnElement[Any]
) -> Select[*tuple[Any, ...]]:
    """Return the statement for the nearest article in one direction.

    One statement for equal and another one for other times let the database read a single index row for each.
    """
    nearest = (
        select(literal(name).label("name"), literal(distance).label("distance"), *_LINK_COLUMNS)
        .where(condition)
        .order_by(*order)
        .limit(1)
        .subquery()
    )
    # The category is joined to the only row.
    return _add_category_slug(select(nearest), nearest.c.category_id)


def _add_category_slug(
    statement: Select[*tuple[Any, ...]], category_id: ColumnElement[UUID]
) -> Select[*tuple[Any, ...]]:
    slug = _category.slug.label("category_slug")
    return statement.add_columns(slug).join(Category.__table__, _category.uuid == category_id)


@lru_cache(maxsize=100)
def _select_related(languages: _Languages, tag_count: int) -> Select[*tuple[Any, ...]]:
    """Return the statement for the related articles of an article with this number of tags."""
    in_category = (
        select(_article.uuid, _article.published_at)
        .where(listed(_article), _article.category_id == bindparam("category"), _is_in(languages))
        .order_by(desc(_article.published_at), _article.uuid)
        .limit(MAX_RELATED + 1)
    )
    # The index of the tags has the articles of a tag in this order.
    with_tags = [
        select(_tag.article_id, _tag.listed_from)
        .where(_tag.tag_id == bindparam(f"tag_{place}"), _tag.listed_from <= NOW)
        .order_by(desc(_tag.listed_from), _tag.article_id)
        .limit(MAX_CANDIDATES // tag_count)
        for place in range(tag_count)
    ]
    candidates = union(*(select(one.subquery()) for one in (in_category, *with_tags))).subquery()
    # The candidates are not read, because the rows of their tags have the category too; SQLite reads these
    # rows of an article at once. A common tag counts twice and the category once; an article without a common
    # tag is one of the category.
    same_category = case((_tag.category_id == bindparam("category"), 1), else_=0)
    of_tags = select(2 * func.count() + func.max(same_category)).where(
        _tag.article_id == candidates.c.uuid, unindexed(_tag.tag_id).in_(_TAGS)
    )
    score = func.coalesce(of_tags.scalar_subquery(), 1).label("score")
    scored = select(candidates.c.uuid, score).where(candidates.c.uuid != _UUID)
    if languages != _Languages.ANY:
        scored = scored.join(Article.__table__, _article.uuid == candidates.c.uuid).where(_is_in(languages))
    related = (
        scored.order_by(desc(score), desc(candidates.c.published_at), candidates.c.uuid)
        .limit(MAX_RELATED)
        .subquery()
    )
    links = select(*_LINK_COLUMNS).join(related, related.c.uuid == _article.uuid)
    order = (desc(related.c.score), desc(_article.published_at), _article.uuid)
    return _add_category_slug(links, _article.category_id).order_by(*order)


# The order of the lists, newest first and then by uuid, is also the order of the neighbours.
_NEWER = (_article.published_at, desc(_article.uuid))
_OLDER = (desc(_article.published_at), _article.uuid)
_SAME_TIME = and_(listed(_article), _article.published_at == _TIME)


@cache
def _select_neighbours(languages: _Languages) -> Executable:
    is_in = _is_in(languages)
    return union_all(
        _select_nearest("previous", 0, and_(_SAME_TIME, _article.uuid > _UUID, is_in), *_OLDER),
        # The condition on `now` is left out, because the time is at most one microsecond later, and because
        # SQLite would read all rows between the time and now.
        _select_nearest(
            "previous", 1, and_(can_be_listed(_article), _article.published_at < _TIME, is_in), *_OLDER
        ),
        _select_nearest("next", 0, and_(_SAME_TIME, _article.uuid < _UUID, is_in), *_NEWER),
        _select_nearest("next", 1, and_(listed(_article), _article.published_at > _TIME, is_in), *_NEWER),
    )
