"""The numbers of public articles of categories, tags and authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, func, select, union_all

from blogapi.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.categories.models import Category
from blogapi.publication.visibility import UNLISTED_STATUSES, listed, listed_later
from blogapi.storage.database import current_time, db, table_of

_article, _tag, _author = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c
_TERM: ColumnElement[UUID] = bindparam("term")


@dataclass(frozen=True, slots=True)
class ArticleCounter:
    """The statements that count the public articles of one term, and of all terms."""

    one: Select[*tuple[Any, ...]]
    all: Select[*tuple[Any, ...]]

    def __call__(self, uuid: UUID | None) -> Mapping[UUID, int]:
        """Return the number of articles of this term, or of all terms that have articles (None), by term."""
        statement = self.all if uuid is None else self.one
        rows = db.session.connection().execute(statement, {"now": current_time(), "term": uuid})
        return {term: int(number) for term, number in rows}


def count_links(term: ColumnElement[UUID], article: ColumnElement[UUID]) -> ArticleCounter:
    """Return the counter for a table with a row for each term of an article.

    All rows are counted, and the rows of articles that are not public are subtracted. Few articles are not
    public, so this is ten times faster than looking up the state of each article.
    """
    hidden = union_all(
        select(_article.uuid).where(_article.status.in_(UNLISTED_STATUSES)),
        select(_article.uuid).where(listed_later(_article)),
    )

    def build(*conditions: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
        parts = union_all(
            select(term.label("term"), func.count().label("number")).where(*conditions).group_by(term),
            select(term, -func.count()).where(article.in_(hidden), *conditions).group_by(term),
        ).subquery()
        return select(parts.c.term, func.sum(parts.c.number)).group_by(parts.c.term)

    return ArticleCounter(build(term == _TERM), build())


def _count_in_categories() -> ArticleCounter:
    statement = (
        select(_article.category_id, func.count()).where(listed(_article)).group_by(_article.category_id)
    )
    # With the condition, SQLite reads only the index of the categories.
    of_any = _article.category_id.in_(select(table_of(Category).c.uuid))
    return ArticleCounter(statement.where(_article.category_id == _TERM), statement.where(of_any))


count_in_categories = _count_in_categories()
count_with_tags = count_links(_tag.tag_id, _tag.article_id)
count_by_authors = count_links(_author.author_id, _author.article_id)
