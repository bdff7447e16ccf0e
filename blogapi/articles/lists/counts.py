"""The numbers of articles by status, category, tag and author; each write adds its changes to them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, delete, func, insert, literal, select, union_all
from sqlalchemy.orm import Session

from blogapi.articles.content import ArticleContent
from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication.visibility import LISTED_STATUSES, NOW, Status, is_article, listed_later
from blogapi.storage.database import Base, chunk, current_time, db, table_of
from blogapi.storage.expressions import insert_or_update
from blogapi.tags.models import Tag
from blogapi.taxonomies.models import ALL_ARTICLES, ArticleCount

# The primary key of a row of ArticleCount: the uuid of a term or ALL_ARTICLES, and the status.
Key = tuple[UUID, str]


_TERM: ColumnElement[UUID] = bindparam("term")
_TERMS: ColumnElement[UUID] = bindparam("terms", expanding=True)

_count = table_of(ArticleCount)
_SELECT_NUMBERS = select(_count).where(_count.c.term_id.in_(_TERMS))
_NOW_OR_LATER = _count.c.status.in_(LISTED_STATUSES)
_article, _tag, _author = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c


@dataclass(frozen=True, slots=True)
class ArticleCounter:
    """The statements that return the numbers of public articles of one term, and of all terms.

    `later` returns the numbers of scheduled articles of the terms `terms`.
    """

    one: Select[*tuple[Any, ...]]
    all: Select[*tuple[Any, ...]]
    later: Select[*tuple[Any, ...]]

    def __call__(self, uuid: UUID | None) -> Mapping[UUID, int]:
        """Return the number of articles of this term, or of all terms that have articles (None), by term."""
        statement = self.all if uuid is None else self.one
        rows = db.session.connection().execute(statement, {"now": current_time(), "term": uuid})
        return {term: int(number) for term, number in rows}

    def count_by_status(self, terms: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
        """Return the numbers of articles of these terms by status; statuses without articles are left out."""
        numbers = defaultdict[UUID, dict[str, int]](dict)
        for batch in chunk(terms):
            for row in db.session.execute(_SELECT_NUMBERS, {"terms": batch}):
                numbers[row.term_id][row.status] = row.number
            for term, later in db.session.execute(self.later, {"terms": batch, "now": current_time()}):
                numbers[term][SCHEDULED] = later
                numbers[term][Status.PUBLISHED] -= later
        return {
            term: {status: number for status, number in of_term.items() if number}
            for term, of_term in numbers.items()
        }


def list_rows(article: Article | ArticleContent) -> list[Key]:
    """Return the keys of the rows that count the article."""
    if isinstance(article, Article):
        category = article.category_id
        tags: Iterable[UUID] = (link.tag_id for link in article.tag_links)
        authors: Iterable[UUID] = (link.author_id for link in article.author_links)
    else:
        category, tags, authors = article.category, article.tags, article.authors
    if category is None:
        # Pages are not counted.
        return []
    return [(uuid, article.status) for uuid in (ALL_ARTICLES, category, *tags, *authors)]


def add_changes(session: Session, before: Iterable[list[Key]], after: Iterable[list[Key]]) -> None:
    """Store the changes of the numbers; each list has the rows that count one written article."""
    changes = Counter(key for keys in after for key in keys)
    changes.subtract(key for keys in before for key in keys)
    add_numbers(session, changes)


def add_numbers(session: Session, changes: Mapping[Key, int]) -> None:
    """Add numbers to the stored ones."""
    rows = [
        {"term_id": term, "status": status, "number": number}
        for (term, status), number in sorted(changes.items())
        if number
    ]
    if rows:
        session.connection().execute(_make_upsert(session.get_bind().dialect.name), rows)


def count_all() -> dict[Key, int]:
    """Return the numbers that the rows of ArticleCount should contain; rows with 0 are left out."""
    return {(row.term_id, row.status): row.number for row in db.session.execute(_COUNT_ALL)}


def read_all() -> dict[Key, int]:
    """Return the stored numbers; those that are 0 are left out."""
    rows = db.session.execute(select(_count).where(_count.c.number != 0))
    return {(row.term_id, row.status): row.number for row in rows}


def are_statuses_counted() -> bool:
    """Return whether the numbers of all articles in each status are right, which is a quick check."""
    numbers = select(_count.c.status, _count.c.number).where(_count.c.term_id == ALL_ARTICLES)
    counted, stored = (
        {(status, number) for status, number in db.session.execute(statement) if number}
        for statement in (_COUNT_STATUSES, numbers)
    )
    return counted == stored


def count_again() -> None:
    """Replace the stored numbers."""
    db.session.execute(delete(_count))
    db.session.execute(insert(_count).from_select(["term_id", "status", "number"], _COUNT_ALL))


def select_public_number(term: ColumnElement[UUID], *later: ColumnElement[bool]) -> Select[int]:
    """Return the statement for the number of public articles of a term or, with ALL_ARTICLES, of the blog.

    The stored number includes the articles that will be listed later. `later` is the condition under which
    a link or an article is one of them.
    """
    return select_number(term, LISTED_STATUSES, *later)


def select_number(
    term: ColumnElement[UUID], statuses: Sequence[str], *without: ColumnElement[bool]
) -> Select[int]:
    """Return the statement for the number of articles in these statuses, less those of the conditions."""
    is_wanted = (_count.c.term_id == term, _count.c.status.in_(statuses))
    stored = select(func.coalesce(func.sum(_count.c.number), 0)).where(*is_wanted)
    if not without:
        return stored
    return select(stored.scalar_subquery() - select(func.count()).where(*without).scalar_subquery())


def _make_counter(
    model: type[Base],
    term: ColumnElement[UUID],
    later: ColumnElement[bool],
    later_of_one: ColumnElement[bool],
) -> ArticleCounter:
    def build(is_wanted: ColumnElement[bool], *conditions: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
        parts = union_all(
            select(_count.c.term_id, _count.c.number).where(_NOW_OR_LATER, is_wanted),
            select(term, -func.count()).where(*conditions).group_by(term),
        ).subquery()
        return select(parts.c.term_id, func.sum(parts.c.number)).group_by(parts.c.term_id)

    of_any = _count.c.term_id.in_(select(table_of(model).c.uuid))
    return ArticleCounter(
        build(_count.c.term_id == _TERM, term == _TERM, later_of_one),
        build(of_any, later),
        select(term, func.count()).where(later, term.in_(_TERMS)).group_by(term),
    )


@cache
def _make_upsert(dialect: str) -> Any:
    statement = insert_or_update(dialect, _count)
    return statement.on_conflict_do_update(
        index_elements=list(_count.primary_key),
        set_={"number": _count.c.number + statement.excluded.number},
    )


def _count_links(term: ColumnElement[UUID], article: ColumnElement[UUID]) -> Select[UUID, str, int]:
    return (
        select(term.label("term_id"), _article.status, func.count().label("number"))
        .join(table_of(Article), _article.uuid == article)
        .where(is_article(_article))
        .group_by(term, _article.status)
    )


_scheduled = select(_article.uuid).where(listed_later(_article))
count_in_categories = _make_counter(
    Category, _article.category_id, listed_later(_article), listed_later(_article)
)
count_with_tags = _make_counter(Tag, _tag.tag_id, _tag.article_id.in_(_scheduled), _tag.listed_from > NOW)
count_by_authors = _make_counter(
    Author, _author.author_id, _author.article_id.in_(_scheduled), _author.listed_from > NOW
)
_COUNT_STATUSES = (
    select(_article.status, func.count().label("number"))
    .where(is_article(_article))
    .group_by(_article.status)
)
_COUNT_ALL = union_all(
    _COUNT_STATUSES.with_only_columns(
        literal(ALL_ARTICLES).label("term_id"), *_COUNT_STATUSES.selected_columns
    ),
    select(_article.category_id, _article.status, func.count())
    .where(is_article(_article))
    .group_by(_article.category_id, _article.status),
    _count_links(_tag.tag_id, _tag.article_id),
    _count_links(_author.author_id, _author.article_id),
)
