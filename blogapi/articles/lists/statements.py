"""The statements of article lists; those of a combination of conditions and an ordering are built once.

The plain lists (of all public articles, of a tag, an author or a category, of all articles or those in a
status) are read from an index in their order. SQLite chooses this index, with and without statistics,
because the expressions of other indexes are `unindexed` in these statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Executable,
    Select,
    and_,
    bindparam,
    case,
    false,
    func,
    not_,
    select,
    union_all,
)

from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.lists.conditions import (
    OF_AUTHOR,
    OF_TAG,
    STATUSES,
    Conditions,
    Names,
    list_conditions,
)
from blogapi.articles.models import Article, ArticleAuthor, ArticleTag, WorkingCopy
from blogapi.publication.visibility import (
    LISTED_STATUSES,
    READABLE_STATUSES,
    scheduled,
)
from blogapi.search import engines as search
from blogapi.storage.database import bytewise, table_of
from blogapi.storage.expressions import unindexed

# The expressions of an ordering, each with whether it is descending.
Order = Sequence[tuple[ColumnElement[Any], bool]]
OrderedSelect = Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]]

_article, _copy = table_of(Article).c, table_of(WorkingCopy).c
_tag, _byline = table_of(ArticleTag).c, table_of(ArticleAuthor).c

_BY_DATE = ("published_at", "-published_at")
_BY_CHANGE = ("last_updated", "-last_updated")
FEATURED_FIRST = "-featured"
_ORDERED_BY = {
    "published_at": _article.published_at,
    "position": _article.position,
    "title": func.lower(bytewise(_article.title)),
    "last_updated": _article.last_updated,
}
# The conditions of the plain lists, and those with which all articles have a date.
_PLAIN = {(), ("public",), *((status,) for status in STATUSES)}
_DATED = {"public", SCHEDULED, *READABLE_STATUSES}

# In lists that contain drafts, saving a working copy is a change of the article.
_LAST_CHANGE: ColumnElement[Any] = case(
    (_copy.last_updated > _article.last_updated, _copy.last_updated), else_=_article.last_updated
)
_COLUMNS = ("status", "published_at", "category_id", "last_updated", "type")
_UNINDEXED = SimpleNamespace(**{name: unindexed(_article[name]) for name in _COLUMNS})
_UNINDEXED_DATE = SimpleNamespace(
    **{name: _article[name] for name in _COLUMNS} | {"published_at": _UNINDEXED.published_at}
)
# The conditions that an index decides before all others; the articles that it finds are then sorted.
_SELECTIVE = {"uuid", "updated_after"}
# The lists of the articles of several categories that are read from one index range for each category.
_IN_CATEGORIES = {"public", "any category"}
_MERGED = {*_IN_CATEGORIES, "published_after", "published_before"}
_MAX_MERGED = 50
# The conditions that leave out articles, and those that find these articles.
_LEFT_OUT = {
    "not category": "in not_category",
    "not tag": "with not_tag",
    "own language": "other language",
}


# The links whose index has the public articles with a tag or an author in the order of the lists.
_LINKS: Sequence[tuple[str, Any, Conditions]] = (
    ("tag", _tag, OF_TAG),
    ("author", _byline, OF_AUTHOR),
)


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
def build_list(names: Names, ordering: str, engine: search.Engine, categories: int = 0) -> Statements:
    """Return the statements of the list of the articles that meet all conditions, in this ordering.

    `categories` is the number of categories in the condition "any category".
    """
    if ordering in _BY_DATE:
        # The articles in the listed status are the public ones; only lists by title or last change differ.
        public = tuple("public" if (name,) == LISTED_STATUSES else name for name in names)
        for term, link, conditions in _LINKS:
            if {"public", term} <= set(public) <= conditions.keys():
                return _build_links(public, ordering, link, conditions)
    if names in _PLAIN:
        return _build_plain(names, ordering)
    if ordering in _BY_DATE and 1 < categories <= _MAX_MERGED and _IN_CATEGORIES <= {*names} <= _MERGED:
        return _build_in_categories(names, ordering, categories)
    return _build_filtered(names, ordering, engine)


def name_category(place: int) -> str:
    """Return the name of the parameter with one of the categories of the condition "any category"."""
    return f"category_{place}"


@lru_cache(maxsize=512)
def build_matching(names: Names, engine: search.Engine) -> Select[UUID]:
    """Return the statement that selects the uuids of the articles that meet all conditions, in any order."""
    return select(_article.uuid).where(*list_conditions(names, _article, engine))


@lru_cache(maxsize=512)
def build_status_counts(names: Names, engine: search.Engine) -> Executable:
    """Return the statement that counts the articles that meet all conditions, by status.

    Its columns are a status as the API shows it, the number of articles, and the number of those that have a
    working copy. The numbers of several rows with the same status are added up.
    """
    status = case((scheduled(_article), SCHEDULED), else_=_article.status).label("status")
    copy = select(_copy.article_id).where(_copy.article_id == _article.uuid).scalar_subquery()
    numbers = build_matching(names, engine).with_only_columns(status, func.count(), func.count(copy))
    return numbers.group_by(status)


def _build_links(names: Names, ordering: str, link: Any, conditions: Conditions) -> Statements:
    """Return the statements of the list of the public articles of a link, newest or oldest first.

    They read the links alone, in the order of their index.
    """
    wanted = [conditions[name] for name in names]
    order = ((link.listed_from, ordering.startswith("-")), (link.article_id, False))
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
    wanted = list_conditions(names, _article if is_by_date else _UNINDEXED_DATE)
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
        (_article.uuid, orders[0], [*list_conditions(names, _UNINDEXED_DATE), unedited]),
        (_copy.article_id, orders[1], [*list_conditions(names, _UNINDEXED), edited]),
    )


def _build_in_categories(names: Names, ordering: str, categories: int) -> Statements:
    """Return the statements of the list of the public articles of several categories, by date.

    They merge the articles of the categories, which they read in the order of an index.
    """
    order = _make_order(names, ordering, is_indexed=True)
    others = list_conditions(tuple(name for name in names if name != "any category"), _article)
    parts = [
        (_article.uuid, order, [*others, _article.category_id == bindparam(name_category(place))])
        for place in range(categories)
    ]
    return _make_statements(order, _count_plain(names), *parts)


def _build_filtered(names: Names, ordering: str, engine: search.Engine) -> Statements:
    """Return the statements of a list with other conditions, whose articles are sorted if necessary."""
    # SQLite would otherwise look up all public articles among those of the tag or the author.
    columns, is_indexed, is_by_date = _choose_columns(names), False, ordering in _BY_DATE
    others = tuple(name for name in names if name not in _LEFT_OUT)
    if others in _PLAIN and (ordering not in _BY_CHANGE or others == ("public",)):
        # Most articles of the plain list are in this list too, so it is read in the same order.
        columns, is_indexed = _article if is_by_date else _UNINDEXED_DATE, not (is_by_date and others)
    wanted = list_conditions(names, columns, engine)
    order = _make_order(names, ordering, is_indexed=is_indexed)
    return _make_statements(order, _count_matching(names, engine), (_article.uuid, order, wanted))


def _choose_columns(names: Names) -> Any:
    """Return the columns for the conditions of a list; SQLite uses no index of the unindexed ones."""
    # SQLite would otherwise look up all public articles among those of the tag or the author.
    has_links = not {"tag", "with not_tag", "author"}.isdisjoint(names) and "category" not in names
    if has_links or "uuid" in names:
        return _UNINDEXED
    return _UNINDEXED_DATE if "updated_after" in names else _article


def _count_matching(names: Names, engine: search.Engine) -> Select[int]:
    """Return the statement that counts the articles that meet all conditions."""
    if names == ("public", "with not_tag"):
        is_wanted = [OF_TAG[name] for name in names]
        return select(func.count(_tag.article_id.distinct())).where(*is_wanted)
    wanted = list_conditions(names, _choose_columns(names), engine)
    return select(func.count()).select_from(table_of(Article)).where(*wanted)


def _count_plain(names: Names) -> Select[int]:
    return select(func.count()).select_from(table_of(Article)).where(*list_conditions(names, _article))


def _make_order(names: Names, ordering: str, *, is_indexed: bool) -> Order:
    if ordering == FEATURED_FIRST:
        return ((_article.featured, True), *_make_order(names, "-published_at", is_indexed=is_indexed))
    column, is_descending = _ORDERED_BY[ordering.removeprefix("-")], ordering.startswith("-")
    if ordering in _BY_CHANGE and "public" not in names:
        column = _LAST_CHANGE
    elif not is_indexed and (ordering not in _BY_DATE or not _SELECTIVE.isdisjoint(names)):
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
