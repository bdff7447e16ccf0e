"""The number of articles of each term; the articles are counted at each read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, case, func, select, true

from blogapi.content.articles.lists.conditions import match_language
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.publication.visibility import (
    NOW,
    SCHEDULED,
    Status,
    match_articles,
    match_listed_articles,
    match_scheduled_items,
)
from blogapi.storage.database import current_time, db, split_values, table_of

_article = table_of(Article).c


@dataclass(frozen=True, slots=True)
class ArticleCounter:
    """Counts the articles of terms.

    `term` is the column with the uuids of the terms, and `link` is the column of articles or links that
    refers to the term. `article` is the column with the uuids of the articles. `is_public` is the condition
    that the article is in the lists. The statements `by_status` select a term, a status and a number;
    if several rows have the same status, their numbers are added up.
    """

    term: ColumnElement[UUID]
    link: ColumnElement[UUID]
    article: ColumnElement[UUID]
    is_public: ColumnElement[bool]
    by_status: Sequence[Select[*tuple[Any, ...]]]

    def __call__(self, uuid: UUID | None, language: str = "") -> Mapping[UUID, int]:
        """Return the numbers of public articles of this term, or of all terms (None), by term.

        With a language, only articles in this language are counted.
        """
        is_counted = [self.is_public, *([match_language(self.article, language)] if language else [])]
        # Each subquery counts a range of the term's index; for GROUP BY, SQLite would use another index.
        number = select(func.count()).where(self.link == self.term, *is_counted).scalar_subquery()
        statement = select(self.term, number).where(true() if uuid is None else self.term == uuid)
        return dict(db.session.connection().execute(statement, {"now": current_time()}).all())

    def count_articles_by_status(self, terms: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
        """Return the numbers of articles of these terms by status; statuses without articles are left out."""
        numbers = defaultdict[UUID, Counter[str]](Counter)
        for batch in split_values(terms):
            for statement in self.by_status:
                of_terms = statement.where(self.link.in_(batch)).group_by(self.link, "shown_status")
                for term, status, number in db.session.execute(of_terms, {"now": current_time()}):
                    numbers[term][status] += number
        order = (*sorted(Status), SCHEDULED)
        return {
            term: {status: found[status] for status in order if found[status]}
            for term, found in numbers.items()
        }


def _select_counts_by_status(term: ColumnElement[UUID]) -> Select[*tuple[Any, ...]]:
    status = case((match_scheduled_items(_article), SCHEDULED), else_=_article.status).label("shown_status")
    return select(term, status, func.count()).where(match_articles(_article))


def make_article_counter(taxonomy: Taxonomy[Any]) -> ArticleCounter:
    """Return a counter for the terms of the taxonomy.

    If the terms have a table of links, the counter reads this table and few rows of the table of articles.
    """
    term, uuid = taxonomy.get_link_column(), table_of(taxonomy.model).c.uuid
    if term.table is table_of(Article):
        return ArticleCounter(
            uuid, term, _article.uuid, match_listed_articles(_article), (_select_counts_by_status(term),)
        )
    link = term.table.c
    status = case((link.listed_from > NOW, SCHEDULED), else_=Status.PUBLISHED.value).label("shown_status")
    by_status = (
        select(term, status, func.count()).where(link.listed_from.is_not(None)),
        _select_counts_by_status(term).where(link.article_id == _article.uuid, link.listed_from.is_(None)),
    )
    return ArticleCounter(uuid, term, link.article_id, link.listed_from <= NOW, by_status)


CATEGORY_COUNTER = make_article_counter(CATEGORIES)
TAG_COUNTER = make_article_counter(TAGS)
AUTHOR_COUNTER = make_article_counter(AUTHORS)
