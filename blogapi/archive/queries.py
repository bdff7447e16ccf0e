"""The numbers of public articles by month, which the database counts in an index of their dates.

The application computes the months, because SQLite knows no time zones.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

from sqlalchemy import (
    Column,
    ColumnClause,
    ColumnElement,
    Executable,
    Integer,
    Select,
    column,
    func,
    select,
    text,
)

from blogapi.articles.lists.conditions import OF_AUTHOR, OF_TAG, list_conditions
from blogapi.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.categories.models import Category
from blogapi.publication import kinds
from blogapi.publication.visibility import NOW, can_be_listed
from blogapi.site import queries as site_queries
from blogapi.site.time_zones import get_time_zone, to_time_zone
from blogapi.storage.database import UtcDateTime, current_time, db, table_of
from blogapi.taxonomies import queries as taxonomies
from blogapi.taxonomies.hierarchy import find_descendants

_PERIODS = {
    "sqlite": "SELECT json_extract(value, '$.year') AS year, json_extract(value, '$.month') AS month, "
    "json_extract(value, '$.since') AS since, json_extract(value, '$.until') AS until "
    "FROM json_each(:periods)",
    "postgresql": "SELECT * FROM json_to_recordset(CAST(:periods AS json)) "
    "AS period(year integer, month integer, since timestamp, until timestamp)",
}
_COLUMNS: tuple[ColumnClause[Any], ...] = (
    *(column(name, Integer()) for name in ("year", "month")),
    *(column(name, UtcDateTime()) for name in ("since", "until")),
)
_article, _tag, _byline = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c
_has_author = (
    select(_byline.article_id)
    .where(_byline.article_id == _article.uuid, OF_AUTHOR["author"])
    .correlate(table_of(Article))
    .exists()
)


@dataclass(frozen=True, slots=True)
class Month:
    """A month in the time zone of the site, and the number of its public articles."""

    year: int
    month: int
    count: int


def list_months(filters: Mapping[str, str]) -> list[Month]:
    """Return the months with public articles, newest first.

    `filters` contains the uuid or slug of a category, a tag and an author; unknown ones have no articles.
    A category includes those below it. This executes three statements, one for each filter, and one more for
    a category.
    """
    terms = {name: taxonomies.find_by_reference(kinds.get_model(name), filters[name]) for name in filters}
    values: dict[str, Any] = {name: term and term.uuid for name, term in terms.items()}
    if None in values.values():
        return []
    names, connection, now = tuple(sorted(filters)), db.session.connection(), current_time()
    if "category" in values:
        categories = find_descendants(Category, [values["category"]])
        if len(categories) > 1:
            names = tuple("any category" if name == "category" else name for name in names)
            values["category"] = categories
    first = connection.scalar(_select_first(names), {**values, "now": now})
    if first is None:
        return []
    periods = _list_periods(first, now, site_queries.get_site().time_zone)
    statement = _select_counts(names, connection.dialect.name)
    rows = connection.execute(statement, {**values, "periods": json.dumps(periods)})
    return [Month(year, month, count) for year, month, count in rows if count][::-1]


def _list_periods(first: datetime, now: datetime, zone: str) -> list[dict[str, Any]]:
    """Return the months from the first time to the present one: `year`, `month`, `since` and `until` (UTC).

    The first and the last month are cut off; `until` is exclusive.
    """
    numbers = range(_number_month(first, zone), _number_month(now, zone) + 1)
    months = [divmod(number, 12) for number in numbers]
    starts = (datetime(year, month + 1, 1, tzinfo=get_time_zone(zone)) for year, month in months[1:])
    # An article is public at its time, and times have microseconds.
    bounds = (first, *(start.astimezone(UTC) for start in starts), now + timedelta(microseconds=1))
    stored = [bound.replace(tzinfo=None).isoformat(" ", "microseconds") for bound in bounds]
    return [
        {"year": year, "month": month + 1, "since": since, "until": until}
        for (year, month), (since, until) in zip(months, pairwise(stored), strict=True)
    ]


def _number_month(time: datetime, zone: str) -> int:
    local = to_time_zone(time, zone)
    return 12 * local.year + local.month - 1


@cache
def _select_first(names: tuple[str, ...]) -> Select[datetime]:
    date, conditions = _select_dates(names)
    return select(func.min(date)).where(*conditions, date <= NOW)


@cache
def _select_counts(names: tuple[str, ...], dialect: str) -> Executable:
    period = text(_PERIODS[dialect]).columns(*_COLUMNS).subquery("period")
    date, conditions = _select_dates(names)
    is_in_period = date >= period.c.since, date < period.c.until
    count = select(func.count()).select_from(date.table).where(*conditions, *is_in_period)
    return select(period.c.year, period.c.month, count.correlate(period).scalar_subquery().label("count"))


def _select_dates(names: Collection[str]) -> tuple[Column[datetime], list[ColumnElement[bool]]]:
    """Return the column with the dates of the articles that the terms select, and the conditions.

    An index has the dates of all articles, and those of each category, tag and author.
    """
    if "tag" in names:
        return _tag.listed_from, [OF_TAG[name] for name in names]
    in_category = list_conditions(
        tuple(name for name in names if name in ("category", "any category")), _article
    )
    if in_category:
        has_author = [_has_author] if "author" in names else []
        return _article.published_at, [can_be_listed(_article), *in_category, *has_author]
    if "author" in names:
        return _byline.listed_from, [OF_AUTHOR["author"]]
    return _article.published_at, [can_be_listed(_article)]
