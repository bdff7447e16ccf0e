"""Which articles, in which order: each combination of filters is made into a statement once and then kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, Select, String, and_, bindparam, false, func, or_, select

from blogapi import clock
from blogapi.articles.lifecycle import SCHEDULED, Status
from blogapi.articles.models import Article, ArticleStats, ArticleTag, FormerSlug
from blogapi.categories.models import Category
from blogapi.search import engines as search
from blogapi.search.tokenizer import split_query
from blogapi.storage.database import UtcDateTime, bytewise, db
from blogapi.tags.models import Tag
from blogapi.web.fields import parse_uuid

NEWEST = "-published_at"

# Which filters stand in a statement, each with what of it is part of the statement.
Kinds = tuple[tuple[str, str], ...]
# The uuids in their order, and their number.
Statements = tuple[Select[*tuple[Any, ...]], Select[int]]

_article = Article.__table__.c
_tag = ArticleTag.__table__.c
_former = FormerSlug.__table__.c
_tally = ArticleStats.__table__.c

# A column and whether it falls. An article without a date is a draft at work: where the newest come first,
# it comes before them.
_ORDERINGS: dict[str, tuple[tuple[ColumnElement[Any], bool], ...]] = {
    "-published_at": ((_article.published_at, True), (_article.uuid, False)),
    "published_at": ((_article.published_at, False), (_article.uuid, False)),
    "title": ((func.lower(bytewise(_article.title)), False), (_article.uuid, False)),
    "-title": ((func.lower(bytewise(_article.title)), True), (_article.uuid, False)),
}
_UNDATED = {
    "-published_at": (_article.published_at.is_not(None), False),
    "published_at": (_article.published_at.is_(None), False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilters:
    """What a list is narrowed to; an empty value narrows nothing.

    `category` and `tag` hold uuids or slugs, of which an article has any; `published_after` is inclusive,
    `published_before` exclusive.
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
    """Statements of the articles' uuids in their order, of their number, and the values of both.

    The columns after the uuid give the order; `descending` tells which of them fall.
    """

    uuids: Select[*tuple[Any, ...]]
    descending: tuple[bool, ...]
    count: Select[int]
    values: Mapping[str, Any]


def select_public(filters: ArticleFilters) -> Selection:
    """Return the selection of the articles that everybody may see; see `queries.published`."""
    return _selection({"public": True}, filters)


def select_by_author(author_id: UUID, filters: ArticleFilters) -> Selection:
    """Return the selection of all articles of the author."""
    return _selection({"mine": author_id}, filters)


def select_matching(author_id: UUID | None, filters: ArticleFilters) -> Select[UUID] | None:
    """Return the statement of the articles that fit the filters, in no order; None: all do."""
    scope = {"mine": author_id} if author_id else {}
    if not scope and filters == NO_FILTERS:
        return None
    chosen = _selection(scope, filters)
    return chosen.uuids.with_only_columns(_article.uuid).order_by(None).params(chosen.values)


def _selection(scope: Mapping[str, Any], filters: ArticleFilters) -> Selection:
    given = {name: value for name, value in asdict(filters).items() if value}
    ordering = given.pop("ordering", NEWEST)
    values: dict[str, Any] = {"now": clock.now(), **scope, **given}
    for name, model in (("category", Category), ("tag", Tag)):
        if name in given:
            values[name] = _named(model, given[name])
    if "q" in given:
        words = split_query(given["q"])
        values["q"] = search.get_engine(db.session()).anywhere(words) if words else ""
    kinds = tuple(sorted((name, _kind(name, values[name])) for name in (*scope, *given)))
    # One uuid is compared, so that an index also gives the order; several are looked for in a list.
    values |= {name: value[0] for name, value in values.items() if _is_one(value)}
    uuids, count = _made(kinds, ordering)
    return Selection(uuids, _descending(kinds, ordering), count, values)


def _kind(name: str, value: Any) -> str:
    if name == "status":
        return str(value)
    if name == "q":
        return db.engine.dialect.name if value else "nothing"
    return "several" if isinstance(value, list) and not _is_one(value) else ""


def _is_one(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


@lru_cache(maxsize=512)
def _made(kinds: Kinds, ordering: str) -> Statements:
    conditions = [_condition(name, kind) for name, kind in kinds]
    order = _order(kinds, ordering)
    columns = [column.label(f"order_{place}") for place, (column, _) in enumerate(order)]
    uuids = (
        select(_article.uuid, *columns)
        .where(*conditions)
        .order_by(*(column.desc() if falls else column for column, falls in order))
    )
    if kinds == (("public", ""),):
        return uuids, _tallied()
    return uuids, select(func.count()).select_from(Article.__table__).where(*conditions)


def _order(kinds: Kinds, ordering: str) -> tuple[tuple[ColumnElement[Any], bool], ...]:
    undated = ordering in _UNDATED and any(name == "mine" for name, _ in kinds)
    return (_UNDATED[ordering], *_ORDERINGS[ordering]) if undated else _ORDERINGS[ordering]


def _descending(kinds: Kinds, ordering: str) -> tuple[bool, ...]:
    return tuple(falls for _, falls in _order(kinds, ordering))


def _condition(name: str, kind: str) -> ColumnElement[bool]:
    if name == "status":
        return _in_status(kind)
    if name == "q":
        return _found(kind)
    several = kind == "several"
    value: BindParameter[Any] = bindparam(name, expanding=several)
    if name == "category":
        return _article.category_id.in_(value) if several else _article.category_id == value
    if name == "tag":
        worn = _tag.tag_id.in_(value) if several else _tag.tag_id == value
        return _article.uuid.in_(select(_tag.article_id).where(worn))
    return _CONDITIONS[name]


def _found(kind: str) -> ColumnElement[bool]:
    query = bindparam("q", type_=String())
    return false() if kind == "nothing" else _article.uuid.in_(search.hits(db.session(), query))


def _in_status(status: str) -> ColumnElement[bool]:
    if status == SCHEDULED:
        return and_(_article.status == Status.PUBLISHED, _article.published_at > _NOW)
    return _PUBLIC if status == Status.PUBLISHED else _article.status == status


def _tallied() -> Select[int]:
    """Count what everybody may see by the tally of all published, less those still ahead."""
    ahead = select(func.count()).select_from(Article.__table__).where(_in_status(SCHEDULED))
    return select(_tally.published - ahead.scalar_subquery())


def _named(model: type[Category | Tag], references: Sequence[str]) -> list[UUID]:
    """Return the uuids of those that the references name; one that names nothing names nothing."""
    uuids = [uuid for reference in references if (uuid := parse_uuid(reference))]
    return list(
        db.session.scalars(select(model.uuid).where(or_(model.uuid.in_(uuids), model.slug.in_(references))))
    )


_NOW: ColumnElement[datetime] = bindparam("now", type_=UtcDateTime())
_PUBLIC = and_(_article.status == Status.PUBLISHED, _article.published_at <= _NOW)
_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "public": _PUBLIC,
    "mine": _article.author_id == bindparam("mine"),
    "author": _article.author_id == bindparam("author"),
    "slug": or_(
        _article.slug == bindparam("slug"),
        _article.uuid.in_(select(_former.article_id).where(_former.slug == bindparam("slug"))),
    ),
    "published_after": _article.published_at >= bindparam("published_after", type_=UtcDateTime()),
    "published_before": _article.published_at < bindparam("published_before", type_=UtcDateTime()),
}
