"""The statements of article lists: a select of uuids, to which each filter adds a condition.

A public list of the articles of one tag or author, ordered by date, is read from the index of the links to
this term, because the index has the same order. Every other list is read from an index of the articles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Executable, Select, case, exists, false, func, select, union_all

from blogapi.content.articles.lists.conditions import (
    NO_FILTERS,
    PAGE,
    ArticleCondition,
    ArticleFilters,
    find_filter_terms,
    is_author_of_all_articles,
    list_filter_conditions,
    list_period_conditions,
    list_status_conditions,
)
from blogapi.content.articles.models import Article, ArticleTag, UnindexedColumns, WorkingCopy
from blogapi.content.search.models import SearchEntry
from blogapi.parsing import parse_uuid
from blogapi.publication.visibility import (
    LISTED_STATUSES,
    READABLE_STATUSES,
    SCHEDULED,
    match_pages,
    match_scheduled_items,
)
from blogapi.storage.database import current_time, db, table_of
from blogapi.storage.expressions import unindexed

# The SQL expressions of an order, each with a boolean that is true if its direction is descending.
Order = Sequence[tuple[ColumnElement[Any], bool]]

NEWEST_FIRST, FEATURED_FIRST = "-published_at", "-featured"

_article, _copy = table_of(Article).c, table_of(WorkingCopy).c
_tag, _entry = table_of(ArticleTag).c, table_of(SearchEntry).c

_DATE_ORDERINGS = ("published_at", NEWEST_FIRST)
_ORDER_COLUMNS: dict[str, ColumnElement[Any]] = {
    "published_at": _article.published_at,
    "position": _article.position,
    "title": _article.sort_key,
    "last_updated": _article.last_updated,
}
# The statuses whose articles all have a date.
_DATED_STATUSES = {SCHEDULED, *READABLE_STATUSES}


class _ColumnsWithoutDateIndex:
    """Columns of articles for a list that is not ordered by date: SQLite must not use an index of dates."""

    status, type, published_at = _article.status, _article.type, unindexed(_article.published_at)


class ListStatements(NamedTuple):
    """Statements that select the uuids of a list, the uuids in reverse order, and their number."""

    uuids: Any
    backwards: Any
    total: Select[int]


def build_list_statements(
    filters: ArticleFilters, *, public: bool, author_id: UUID | None = None
) -> ListStatements:
    """Return the statements of the list of matching articles.

    With `public`, only public articles are listed; with `author_id`, only articles of this user.
    """
    ordering, now = filters.ordering or NEWEST_FIRST, current_time()
    conditions = _list_all_conditions(filters, author_id)
    total = _select_total_count(conditions, filters, now, public=public)
    is_listed = public or filters.status in LISTED_STATUSES
    driver = next((condition for condition in conditions if condition.drives), None)
    if driver is not None and is_listed and ordering in _DATE_ORDERINGS and filters.type != PAGE:
        link = driver.link
        uuids = _select_links(link.article_id, driver, conditions, filters, now)
        order = (link.listed_from, ordering.startswith("-")), (link.article_id, False)
        return _make_list_statements(uuids, order, total)
    columns: Any = _article if ordering in _DATE_ORDERINGS else _ColumnsWithoutDateIndex
    # Only few articles are scheduled, and an index of dates finds them.
    skips_index = filters.status == SCHEDULED or any(condition.is_selective for condition in conditions)
    if skips_index:
        columns = _article if filters.status == SCHEDULED else UnindexedColumns
    uuids = _select_articles(_article.uuid, columns, conditions, filters, now, public=public)
    if ordering.endswith("last_updated") and not public:
        edited = _select_articles(_article.uuid, UnindexedColumns, conditions, filters, now)
        return _make_statements_by_change(uuids, edited, ordering, total, skips_index=skips_index)
    sorting = _make_order(filters, ordering, is_listed=is_listed, skips_index=skips_index)
    return _make_list_statements(uuids, sorting, total)


def select_matching_articles(
    author_id: UUID | None, filters: ArticleFilters, *, public: bool
) -> Select[UUID] | None:
    """Return an unordered statement that selects the uuids of the matching articles; None if all match.

    With `public`, the statement can also select articles that are not public: the search excludes them.
    With `author_id`, only articles of this author match.
    """
    if (user_id := parse_uuid(filters.author)) and is_author_of_all_articles(user_id):
        filters = replace(filters, author="")
    if author_id and is_author_of_all_articles(author_id):
        author_id = None
    has_pages = not public and db.session.scalar(select(exists().where(match_pages(_article))))
    if author_id is None and not has_pages:
        if filters == NO_FILTERS:
            return None
        if filters == ArticleFilters(tag=filters.tag):
            # The links contain the uuids of the articles, so the table of articles is not read.
            tags, _ = find_filter_terms(filters)
            return select(_tag.article_id).where(_tag.tag_id.in_(chain(*tags.values())))
    conditions = _list_all_conditions(filters, author_id)
    return _select_articles(_article.uuid, _article, conditions, filters, current_time(), reads_all=True)


def select_status_counts(author_id: UUID | None, filters: ArticleFilters) -> Executable:
    """Return the statement that counts the author's articles (None: all) by status.

    Its columns are a status of the API, the number of articles, and how many of them have a working copy.
    """
    now, conditions = current_time(), _list_all_conditions(filters, author_id)
    status = case((match_scheduled_items(_article, now), SCHEDULED), else_=_article.status).label("status")
    copy = case((_article.uuid.in_(select(_copy.article_id)), 1))
    numbers = _select_articles(status, _article, conditions, filters, now, reads_all=True)
    return numbers.add_columns(func.count(), func.count(copy)).group_by(status)


def list_search_entry_conditions(filters: ArticleFilters) -> list[ColumnElement[bool]]:
    """Return the conditions that a search entry belongs to a public article in the period of the filters."""
    return [_entry.listed_from <= current_time(), *list_period_conditions(_entry.listed_from, filters)]


def _list_all_conditions(filters: ArticleFilters, author_id: UUID | None) -> list[ArticleCondition]:
    conditions = list(list_filter_conditions(filters))
    if author_id is not None and not is_author_of_all_articles(author_id):
        conditions.append(ArticleCondition(_article.author_id == author_id))
    return conditions


def _select_articles(
    column: ColumnElement[Any],
    columns: Any,
    conditions: Sequence[ArticleCondition],
    filters: ArticleFilters,
    now: datetime,
    *,
    public: bool = False,
    reads_all: bool = False,
) -> Select[*tuple[Any, ...]]:
    """Select `column` of the matching articles; `columns` are used in conditions on status, type and time."""
    wanted = [condition.get_sql(reads_all=reads_all) for condition in conditions]
    wanted += list_period_conditions(_article.published_at, filters)
    wanted += list_status_conditions(filters, columns, now, public=public)
    return select(column).select_from(table_of(Article)).where(*wanted)


def _select_links(
    column: ColumnElement[Any],
    driver: ArticleCondition,
    conditions: Sequence[ArticleCondition],
    filters: ArticleFilters,
    now: datetime,
    *,
    reads_all: bool = False,
) -> Select[*tuple[Any, ...]]:
    """Select `column` of the links of `driver` whose articles are public and meet all conditions."""
    link = driver.link
    wanted = [driver.of_link, link.listed_from <= now, *list_period_conditions(link.listed_from, filters)]
    source = link.article_id.table
    for condition in conditions:
        if link is _tag and condition.of_any_tag is not None:
            wanted.append(condition.of_any_tag)
        elif condition is not driver:
            wanted.append(condition.get_sql(reads_all=reads_all))
            source = link.article_id.table.join(table_of(Article), _article.uuid == link.article_id)
    return select(column).select_from(source).where(*wanted)


def _select_total_count(
    conditions: Sequence[ArticleCondition], filters: ArticleFilters, now: datetime, *, public: bool
) -> Select[int]:
    linked = [condition for condition in conditions if condition.link is not None]
    if public and linked and filters.type != PAGE:
        driver = next((condition for condition in linked if condition.drives), linked[0])
        article_id = driver.link.article_id
        number = func.count() if driver.drives else func.count(article_id.distinct())
        return _select_links(number, driver, conditions, filters, now, reads_all=True)
    is_selective = any(condition.is_selective for condition in conditions)
    columns: Any = UnindexedColumns if is_selective else _article
    return _select_articles(func.count(), columns, conditions, filters, now, public=public, reads_all=True)


def _make_order(filters: ArticleFilters, ordering: str, *, is_listed: bool, skips_index: bool) -> Order:
    """Return the SQL expressions of the order. With `skips_index`, the database sorts without an index."""
    if ordering == FEATURED_FIRST:
        by_date = _make_order(filters, NEWEST_FIRST, is_listed=is_listed, skips_index=skips_index)
        return ((unindexed(_article.featured) if skips_index else _article.featured, True), *by_date)
    column, is_descending = _ORDER_COLUMNS[ordering.removeprefix("-")], ordering.startswith("-")
    column = unindexed(column) if skips_index else column
    order = ((column, is_descending), (_article.uuid, False))
    if ordering not in _DATE_ORDERINGS or is_listed or filters.status in _DATED_STATUSES:
        return order
    # An article without a date is a draft in progress; it is sorted as if it were newer than all others.
    has_date = _article.published_at.is_not(None)
    return ((unindexed(has_date) if skips_index else has_date, not is_descending), *order)


def _make_list_statements(uuids: Any, order: Order, total: Select[int]) -> ListStatements:
    forwards, backwards = (
        uuids.order_by(*_apply_directions(order, is_reversed=is_reversed)) for is_reversed in (False, True)
    )
    return ListStatements(forwards, backwards, total)


def _make_statements_by_change(
    uuids: Any, edited: Any, ordering: str, total: Select[int], *, skips_index: bool
) -> ListStatements:
    """Return a list ordered by the time of the last change of the article or of its working copy.

    `edited` selects the same articles as `uuids`.
    """
    is_later = _copy.article_id == _article.uuid, _copy.last_updated > _article.last_updated
    # With EXISTS, PostgreSQL would join all articles instead of reading one page of them in order.
    later_copy = select(is_later[1]).where(is_later[0]).correlate(table_of(Article)).scalar_subquery()
    changed = _article.last_updated
    parts = (
        (uuids.where(~func.coalesce(later_copy, false())), unindexed(changed) if skips_index else changed),
        (edited.join(table_of(WorkingCopy), is_later[0]).where(is_later[1]), _copy.last_updated),
    )
    is_descending = ordering.startswith("-")

    def build_statement(*, is_reversed: bool) -> Executable:
        def make_order(changed: ColumnElement[Any], uuid: ColumnElement[UUID]) -> list[ColumnElement[Any]]:
            return _apply_directions(((changed, is_descending), (uuid, False)), is_reversed=is_reversed)

        # The two statements are ordered too, so that the database can merge their rows.
        merged = union_all(
            *(
                select(part.add_columns(changed).order_by(*make_order(changed, _article.uuid)).subquery())
                for part, changed in parts
            )
        )
        uuid, changed = merged.selected_columns
        return merged.order_by(*make_order(changed, uuid))

    return ListStatements(build_statement(is_reversed=False), build_statement(is_reversed=True), total)


def _apply_directions(order: Order, *, is_reversed: bool) -> list[ColumnElement[Any]]:
    return [column.desc() if is_descending != is_reversed else column for column, is_descending in order]
