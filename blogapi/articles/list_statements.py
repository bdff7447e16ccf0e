"""The statements of article lists; those of a combination of conditions and an ordering are built once.

The plain lists (of all public articles, of a tag, an author or a category, of all articles or those in a
status) are read from an index in their order. SQLite chooses this index, with and without statistics,
because the expressions of other indexes are `unindexed` in these statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Executable,
    Select,
    String,
    and_,
    bindparam,
    case,
    false,
    func,
    literal,
    not_,
    or_,
    select,
    union_all,
)

from blogapi.articles.counts import select_number, select_public_number
from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import Article, ArticleAuthor, ArticleTag, FormerSlug, WorkingCopy
from blogapi.publication.visibility import (
    NOW,
    READABLE_STATUSES,
    Status,
    has_status,
    listed,
    listed_later,
    scheduled,
)
from blogapi.search import engines as search
from blogapi.storage.database import UtcDateTime, bytewise, table_of
from blogapi.storage.expressions import unindexed
from blogapi.taxonomies.models import ALL_ARTICLES, ArticleCount

# The names of the conditions; `public` is the first one in lists for readers.
Names = tuple[str, ...]
# The expressions of an ordering, each with whether it is descending.
Order = Sequence[tuple[ColumnElement[Any], bool]]
Conditions = Mapping[str, ColumnElement[bool]]
OrderedSelect = Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]]

_article, _former, _copy = table_of(Article).c, table_of(FormerSlug).c, table_of(WorkingCopy).c
_tag, _byline, _count = table_of(ArticleTag).c, table_of(ArticleAuthor).c, table_of(ArticleCount).c
_own = table_of(Article).alias("own").c
# The parameters have the names of the filters.
_TAG: ColumnElement[UUID] = bindparam("tag")
_AUTHOR: ColumnElement[UUID] = bindparam("author")
_CATEGORY: ColumnElement[UUID] = bindparam("category")
_AFTER = bindparam("published_after", type_=UtcDateTime())
_BEFORE = bindparam("published_before", type_=UtcDateTime())

_BY_DATE = ("published_at", "-published_at")
_BY_CHANGE = ("last_updated", "-last_updated")
_ORDERED_BY = {
    "published_at": _article.published_at,
    "title": func.lower(bytewise(_article.title)),
    "last_updated": _article.last_updated,
}
_STATUSES = tuple(status.value for status in Status)
# The conditions of the plain lists, and those with which all articles have a date.
_PLAIN = {(), ("public",), *((status,) for status in _STATUSES)}
_DATED = {"public", SCHEDULED, *READABLE_STATUSES}

# In lists that contain drafts, saving a working copy is a change of the article.
_LAST_CHANGE: ColumnElement[Any] = case(
    (_copy.last_updated > _article.last_updated, _copy.last_updated), else_=_article.last_updated
)
_UNINDEXED = SimpleNamespace(status=unindexed(_article.status), published_at=unindexed(_article.published_at))
_UNINDEXED_DATE = SimpleNamespace(status=_article.status, published_at=_UNINDEXED.published_at)


class Statements(NamedTuple):
    """The statements of a list.

    `uuids` selects the uuids in the order of the list, followed by the columns of the ordering, and
    `backwards` selects the same in the reverse order. `descending` has one flag for each of these columns.
    `total` counts the articles.
    """

    uuids: OrderedSelect
    backwards: OrderedSelect
    descending: tuple[bool, ...]
    total: Select[int]


@lru_cache(maxsize=512)
def build_list(names: Names, ordering: str, engine: search.Engine) -> Statements:
    """Return the statements of the list of the articles that meet all conditions, in this ordering."""
    if ordering in _BY_DATE:
        for term, link, conditions in (("tag", _tag, _OF_TAG), ("author", _byline, _OF_AUTHOR)):
            if {"public", term} <= set(names) <= conditions.keys():
                return _build_links(names, ordering, term, link, conditions)
    if names in _PLAIN:
        return _build_plain(names, ordering)
    return _build_filtered(names, ordering, engine)


@lru_cache(maxsize=512)
def build_matching(names: Names, engine: search.Engine) -> Select[UUID]:
    """Return the statement that selects the uuids of the articles that meet all conditions, in any order."""
    return select(_article.uuid).where(*_list_conditions(names, _article, engine))


@lru_cache(maxsize=512)
def build_status_counts(names: Names, engine: search.Engine) -> Executable:
    """Return the statement that counts the articles that meet all conditions, by status.

    Its columns are a status as the API shows it, the number of articles, and the number of those that have a
    working copy. The numbers of several rows with the same status are added up.
    """
    is_scheduled = scheduled(_article)
    if names:
        status = case((is_scheduled, SCHEDULED), else_=_article.status).label("status")
        copy = select(_copy.article_id).where(_copy.article_id == _article.uuid).scalar_subquery()
        numbers = build_matching(names, engine).with_only_columns(status, func.count(), func.count(copy))
        return numbers.group_by(status)
    stored = select(_count.status, _count.number, literal(0)).where(_count.term_id == ALL_ARTICLES)
    copies = select(func.count()).select_from(WorkingCopy).scalar_subquery()
    return union_all(
        stored,
        select(literal(SCHEDULED), func.count(), copies).where(is_scheduled),
        select(_article.status, -func.count(), literal(0)).where(is_scheduled).group_by(_article.status),
    )


def _build_links(names: Names, ordering: str, term: str, link: Any, conditions: Conditions) -> Statements:
    """Return the statements of the list of the public articles of a tag or an author, newest or oldest first.

    They read the links alone, in the order of their index.
    """
    wanted = [conditions[name] for name in names]
    order = ((link.listed_from, ordering.startswith("-")), (link.article_id, False))
    if len(names) == 2:
        count = select_public_number(bindparam(term), conditions[term], link.listed_from > NOW)
    else:
        count = select(func.count()).select_from(link.article_id.table).where(*wanted)
    return _make_statements(order, count, (link.article_id, order, wanted))


def _build_plain(names: Names, ordering: str) -> Statements:
    """Return the statements of a list of all articles, of the public ones, or of those in a status.

    They read the articles in the order of an index.
    """
    count = _count_plain(names)
    if ordering in _BY_CHANGE and names != ("public",):
        return _build_by_change(names, ordering, count)
    is_by_date = ordering in _BY_DATE
    wanted = _list_conditions(names, _article if is_by_date else _UNINDEXED_DATE)
    # The only index with undated articles at the beginning is that of all articles.
    order = _make_order(names, ordering, is_indexed=not (is_by_date and names))
    return _make_statements(order, count, (_article.uuid, order, wanted))


def _build_by_change(names: Names, ordering: str, count: Select[int]) -> Statements:
    """Return the statements of a list that is ordered by the last change of the article or its working copy.

    They merge the articles without a later working copy with those that have one.
    """
    is_descending = ordering.startswith("-")
    is_later = select(_copy.last_updated > _article.last_updated).where(_copy.article_id == _article.uuid)
    unedited = not_(func.coalesce(is_later.correlate(table_of(Article)).scalar_subquery(), false()))
    edited = and_(_article.uuid == _copy.article_id, _copy.last_updated > _article.last_updated)
    orders = (
        ((_article.last_updated, is_descending), (_article.uuid, False)),
        ((_copy.last_updated, is_descending), (_copy.article_id, False)),
    )
    return _make_statements(
        orders[0],
        count,
        (_article.uuid, orders[0], [*_list_conditions(names, _UNINDEXED_DATE), unedited]),
        (_copy.article_id, orders[1], [*_list_conditions(names, _UNINDEXED), edited]),
    )


def _build_filtered(names: Names, ordering: str, engine: search.Engine) -> Statements:
    """Return the statements of a list with other conditions, whose articles are sorted if necessary."""
    # SQLite would otherwise look up all public articles among those of the tag or the author.
    has_links = not {"tag", "author"}.isdisjoint(names) and "category" not in names
    wanted = _list_conditions(names, _UNINDEXED if has_links else _article, engine)
    order = _make_order(names, ordering, is_indexed=False)
    if names == ("public", "category"):
        count = select_public_number(_CATEGORY, _article.category_id == _CATEGORY, listed_later(_article))
    else:
        count = select(func.count()).select_from(table_of(Article)).where(*wanted)
    return _make_statements(order, count, (_article.uuid, order, wanted))


def _count_plain(names: Names) -> Select[int]:
    if names == ("public",):
        return select_public_number(literal(ALL_ARTICLES), listed_later(_article))
    statuses = names or _STATUSES
    later = [_article.status.in_(names), scheduled(_article)] if names and names[0] in _DATED else []
    return select_number(literal(ALL_ARTICLES), statuses, *later)


def _make_order(names: Names, ordering: str, *, is_indexed: bool) -> Order:
    column, is_descending = _ORDERED_BY[ordering.removeprefix("-")], ordering.startswith("-")
    if ordering in _BY_CHANGE and "public" not in names:
        column = _LAST_CHANGE
    elif ordering not in _BY_DATE and not is_indexed:
        column = unindexed(column)
    order = ((column, is_descending), (_article.uuid, False))
    if ordering not in _BY_DATE or not _DATED.isdisjoint(names):
        return order
    # An article without a date is a draft in progress; it is sorted as if it were newer than all others.
    has_date = _article.published_at.is_not(None)
    return ((has_date if is_indexed else unindexed(has_date), not is_descending), *order)


def _make_statements(
    order: Order,
    count: Select[int],
    *parts: tuple[ColumnElement[UUID], Order, Sequence[ColumnElement[bool]]],
) -> Statements:
    """Return the statements; each part has the column of the uuid, its ordering and its conditions."""
    forwards, backwards = (
        _merge([_select(*part, is_reversed=is_reversed) for part in parts], order, is_reversed=is_reversed)
        for is_reversed in (False, True)
    )
    return Statements(forwards, backwards, tuple(is_descending for _, is_descending in order), count)


def _select(
    uuid: ColumnElement[UUID],
    order: Order,
    conditions: Sequence[ColumnElement[bool]],
    *,
    is_reversed: bool,
) -> Select[*tuple[Any, ...]]:
    columns = [column.label(f"order_{place}") for place, (column, _) in enumerate(order)]
    statement = select(uuid.label("uuid"), *columns).where(*conditions)
    if any(column is _LAST_CHANGE for column, _ in order):
        statement = statement.outerjoin(WorkingCopy, _copy.article_id == _article.uuid)
    return statement.order_by(*_direct(order, is_reversed=is_reversed))


def _merge(parts: list[Select[*tuple[Any, ...]]], order: Order, *, is_reversed: bool) -> OrderedSelect:
    if len(parts) == 1:
        return parts[0]
    # The parts are ordered too, so that the database merges them.
    merged = union_all(*(select(part.subquery()) for part in parts))
    columns = list(merged.selected_columns)[1:]
    labels = [(column, is_descending) for column, (_, is_descending) in zip(columns, order, strict=True)]
    return merged.order_by(*_direct(labels, is_reversed=is_reversed))


def _direct(order: Order, *, is_reversed: bool) -> list[ColumnElement[Any]]:
    return [column.desc() if is_descending != is_reversed else column for column, is_descending in order]


def _list_conditions(
    names: Names, columns: Any, engine: search.Engine | None = None
) -> list[ColumnElement[bool]]:
    """Return the conditions; `columns` are the columns of the status and the date."""
    conditions = {
        **_CONDITIONS,
        "public": listed(columns),
        SCHEDULED: scheduled(columns),
        **{status: has_status(columns, status) for status in _STATUSES},
    }
    if "words" in names:
        assert engine is not None, "the statement has a search engine"
        found = search.select_articles(engine, bindparam("words", type_=String()))
        conditions["words"] = _article.uuid.in_(found)
    return [conditions[name] for name in names]


def _list_parameter(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


def _has_tag(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return _article.uuid.in_(select(_tag.article_id).where(condition))


_by_author = select(_byline.article_id).where(_byline.author_id == _AUTHOR)
_by_user = select(_own.uuid).where(_own.author_id == bindparam("user"))
_has_copy = _article.uuid.in_(select(_copy.article_id))
_has_author = select(_byline.author_id).where(
    _byline.article_id == _tag.article_id, _byline.author_id == _AUTHOR
)

# The conditions of the filters on articles and, for readers, on the links to tags and authors, by name.
_CONDITIONS: Conditions = {
    "own": _article.author_id == bindparam("own"),
    "category": _article.category_id == _CATEGORY,
    "any category": _article.category_id.in_(_list_parameter("category")),
    "tag": _has_tag(_tag.tag_id == _TAG),
    "any tag": _has_tag(_tag.tag_id.in_(_list_parameter("tag"))),
    "author": _article.uuid.in_(_by_author),
    "user": _article.author_id == bindparam("user"),
    "author or user": _article.uuid.in_(_by_author.union(_by_user)),
    "edited": _has_copy,
    "not edited": ~_has_copy,
    "slug": or_(
        _article.slug == bindparam("slug"),
        _article.uuid.in_(select(_former.article_id).where(_former.slug == bindparam("slug"))),
    ),
    "published_after": _article.published_at >= _AFTER,
    "published_before": _article.published_at < _BEFORE,
    "nothing": false(),
}
_OF_TAG: Conditions = {
    "public": _tag.listed_from <= NOW,
    "tag": _tag.tag_id == _TAG,
    "category": _tag.category_id == _CATEGORY,
    "any category": _tag.category_id.in_(_list_parameter("category")),
    "author": _has_author.correlate(table_of(ArticleTag)).exists(),
    "published_after": _tag.listed_from >= _AFTER,
    "published_before": _tag.listed_from < _BEFORE,
}
_OF_AUTHOR: Conditions = {
    "public": _byline.listed_from <= NOW,
    "author": _byline.author_id == _AUTHOR,
    "published_after": _byline.listed_from >= _AFTER,
    "published_before": _byline.listed_from < _BEFORE,
}
