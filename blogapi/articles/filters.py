"""Filters and orderings of article lists; the statements for each combination are built once and cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, Select, String, and_, bindparam, false, func, or_, select

from blogapi.articles.lifecycle import SCHEDULED, Status
from blogapi.articles.models import Article, ArticleStats, ArticleTag, FormerSlug
from blogapi.categories.models import Category
from blogapi.search import engines as search
from blogapi.search.tokenizer import parse_query
from blogapi.storage.database import UtcDateTime, bytewise, current_time, db
from blogapi.tags.models import Tag
from blogapi.web.fields import parse_uuid

NEWEST = "-published_at"

# The filters of a statement as pairs of a name and a variant, sorted by name. The variant determines the SQL
# of the filter; its value is a bound parameter.
Variants = tuple[tuple[str, str], ...]
# The statements that select the ordered uuids and count them.
Statements = tuple[Select[*tuple[Any, ...]], Select[int]]

_article = Article.__table__.c
_tag = ArticleTag.__table__.c
_former = FormerSlug.__table__.c
_stats = ArticleStats.__table__.c

# Each ordering is a sequence of pairs: a column, and whether it is descending.
_ORDERINGS: dict[str, tuple[tuple[ColumnElement[Any], bool], ...]] = {
    "-published_at": ((_article.published_at, True), (_article.uuid, False)),
    "published_at": ((_article.published_at, False), (_article.uuid, False)),
    "title": ((func.lower(bytewise(_article.title)), False), (_article.uuid, False)),
    "-title": ((func.lower(bytewise(_article.title)), True), (_article.uuid, False)),
}
# An article without a date is a draft in progress. In lists it is sorted as if it were newer than all other
# articles.
_UNDATED = {
    "-published_at": (_article.published_at.is_not(None), False),
    "published_at": (_article.published_at.is_(None), False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilters:
    """The filters of an article list; a filter with an empty value is not applied.

    `category` and `tag` contain uuids or slugs; an article matches if it has any of these categories and any
    of these tags. `published_after` is inclusive, and `published_before` is exclusive.
    """

    q: str = ""
    category: Sequence[str] = ()
    tag: Sequence[str] = ()
    author: UUID | None = None
    slug: str = ""
    status: str = ""
    published_after: datetime | None = None
    published_before: datetime | None = None
    ordering: str = ""


NO_FILTERS = ArticleFilters()


@dataclass(frozen=True, slots=True)
class Selection:
    """The statements that select and count the matching articles, with the values of their parameters.

    `uuids` selects the uuid and then the columns of the ordering; `descending` has one flag for each of these
    columns.
    """

    uuids: Select[*tuple[Any, ...]]
    descending: tuple[bool, ...]
    count: Select[int]
    values: Mapping[str, Any]


def select_public(filters: ArticleFilters) -> Selection:
    """Return the selection of the public articles that match the filters."""
    return _select({"public": True}, filters)


def select_by_author(author_id: UUID, filters: ArticleFilters) -> Selection:
    """Return the selection of the author's articles, in any status, that match the filters."""
    return _select({"own": author_id}, filters)


def select_matching(author_id: UUID | None, filters: ArticleFilters) -> Select[UUID] | None:
    """Return an unordered statement that selects the uuids of the matching articles; None if all match.

    With `author_id`, only articles of that author match.
    """
    scope = {"own": author_id} if author_id else {}
    if not scope and filters == NO_FILTERS:
        return None
    selection = _select(scope, filters)
    return selection.uuids.with_only_columns(_article.uuid).order_by(None).params(selection.values)


def _select(scope: Mapping[str, Any], filters: ArticleFilters) -> Selection:
    given = {name: value for name, value in asdict(filters).items() if value}
    ordering = given.pop("ordering", NEWEST)
    values: dict[str, Any] = {"now": current_time(), **scope, **given}
    for name, model in (("category", Category), ("tag", Tag)):
        if name in given:
            values[name] = _resolve(model, given[name])
    if "q" in given:
        query = parse_query(given["q"])
        values["q"] = search.make_match(db.session(), query) if query else ""
    variants = tuple(sorted((name, _variant(name, values[name])) for name in (*scope, *given)))
    # A single uuid is compared with `=`, so that the database reads sorted rows from an index. Several uuids
    # need `IN`.
    values |= {name: value[0] for name, value in values.items() if _has_one_item(value)}
    uuids, count = _build_statements(variants, ordering)
    descending = tuple(is_descending for _, is_descending in _order(variants, ordering))
    return Selection(uuids, descending, count, values)


def _variant(name: str, value: Any) -> str:
    if name == "status":
        return str(value)
    if name == "q":
        return db.engine.dialect.name if value else "nothing"
    return "several" if isinstance(value, list) and not _has_one_item(value) else ""


def _has_one_item(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


@lru_cache(maxsize=512)
def _build_statements(variants: Variants, ordering: str) -> Statements:
    conditions = [_condition(name, variant) for name, variant in variants]
    order = _order(variants, ordering)
    columns = [column.label(f"order_{place}") for place, (column, _) in enumerate(order)]
    uuids = (
        select(_article.uuid, *columns)
        .where(*conditions)
        .order_by(*(column.desc() if descending else column for column, descending in order))
    )
    if variants == (("public", ""),):
        return uuids, _count_public()
    return uuids, select(func.count()).select_from(Article.__table__).where(*conditions)


def _order(variants: Variants, ordering: str) -> tuple[tuple[ColumnElement[Any], bool], ...]:
    has_drafts = any(name == "own" for name, _ in variants)
    if has_drafts and ordering in _UNDATED:
        return (_UNDATED[ordering], *_ORDERINGS[ordering])
    return _ORDERINGS[ordering]


def _condition(name: str, variant: str) -> ColumnElement[bool]:
    if name == "status":
        return _has_status(variant)
    if name == "q":
        return _matches_query(variant)
    several = variant == "several"
    value: BindParameter[Any] = bindparam(name, expanding=several)
    if name == "category":
        return _article.category_id.in_(value) if several else _article.category_id == value
    if name == "tag":
        has_tag = _tag.tag_id.in_(value) if several else _tag.tag_id == value
        return _article.uuid.in_(select(_tag.article_id).where(has_tag))
    return _CONDITIONS[name]


def _matches_query(variant: str) -> ColumnElement[bool]:
    query = bindparam("q", type_=String())
    return (
        false()
        if variant == "nothing"
        else _article.uuid.in_(search.select_matching_articles(db.session(), query))
    )


def _has_status(status: str) -> ColumnElement[bool]:
    if status == SCHEDULED:
        return and_(_article.status == Status.PUBLISHED, _article.published_at > _NOW)
    return _PUBLIC if status == Status.PUBLISHED else _article.status == status


def _count_public() -> Select[int]:
    """Return a statement that computes the number of public articles.

    The stored number of published articles includes the scheduled articles, so these are subtracted.
    """
    scheduled = select(func.count()).select_from(Article.__table__).where(_has_status(SCHEDULED))
    return select(_stats.published - scheduled.scalar_subquery())


def _resolve(model: type[Category | Tag], references: Sequence[str]) -> list[UUID]:
    """Return the uuids of the referenced rows; unknown references are ignored."""
    uuids = [uuid for reference in references if (uuid := parse_uuid(reference))]
    return list(
        db.session.scalars(select(model.uuid).where(or_(model.uuid.in_(uuids), model.slug.in_(references))))
    )


_NOW: ColumnElement[datetime] = bindparam("now", type_=UtcDateTime())
_PUBLIC = and_(_article.status == Status.PUBLISHED, _article.published_at <= _NOW)
_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "public": _PUBLIC,
    "own": _article.author_id == bindparam("own"),
    "author": _article.author_id == bindparam("author"),
    "slug": or_(
        _article.slug == bindparam("slug"),
        _article.uuid.in_(select(_former.article_id).where(_former.slug == bindparam("slug"))),
    ),
    "published_after": _article.published_at >= bindparam("published_after", type_=UtcDateTime()),
    "published_before": _article.published_at < bindparam("published_before", type_=UtcDateTime()),
}
