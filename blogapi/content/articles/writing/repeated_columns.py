"""Finds and repairs wrong copies of article columns, in links to tags and authors and in search entries.

See `Article.update_link_columns` and `writing.loaded_articles`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_, select, update

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.search.models import SearchEntry
from blogapi.publication.visibility import make_listed_from_expression
from blogapi.storage.database import db


def count_differing_rows() -> int:
    """Return the number of links and search entries whose repeated columns differ from their article."""
    return sum(db.session.scalar(statement) or 0 for statement in _build_count_statements())


def repair_differing_rows() -> None:
    """Copy the columns of the articles into the links and search entries that differ from their article."""
    for link, repeated, differs in _list_repeated_columns():
        is_wrong = select(Article.uuid).where(Article.uuid == link.article_id, differs).exists()
        article = select(*repeated.values()).where(Article.uuid == link.article_id)
        values = {
            name: article.with_only_columns(value).scalar_subquery() for name, value in repeated.items()
        }
        statement = update(link).where(is_wrong).values(values)
        db.session.execute(statement, execution_options={"synchronize_session": False})


@cache
def _build_count_statements() -> list[Select[int]]:
    return [
        select(func.count()).join_from(link, Article, Article.uuid == link.article_id).where(differs)
        for link, _, differs in _list_repeated_columns()
    ]


def _list_repeated_columns() -> Iterator[tuple[Any, dict[str, ColumnElement[Any]], ColumnElement[bool]]]:
    """Yield each model, the correct values of its repeated columns, and the condition for wrong values."""
    repeated: dict[str, Any] = {"listed_from": make_listed_from_expression(Article)}
    of_tag = {**repeated, "category_id": Article.category_id}
    for link, columns in ((ArticleAuthor, repeated), (SearchEntry, repeated), (ArticleTag, of_tag)):
        differs = [getattr(link, name).is_distinct_from(value) for name, value in columns.items()]
        yield link, columns, or_(*differs)
