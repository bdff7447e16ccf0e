"""The numbers of articles of categories, tags and authors, counted at each read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, case, func, select, true

from blogapi.articles.lifecycle import SCHEDULED
from blogapi.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.authors.models import Author
from blogapi.categories.models import Category
from blogapi.publication.visibility import NOW, is_article, listed, scheduled
from blogapi.storage.database import chunk, current_time, db, table_of
from blogapi.tags.models import Tag

_article, _tag, _author = table_of(Article).c, table_of(ArticleTag).c, table_of(ArticleAuthor).c


@dataclass(frozen=True, slots=True)
class ArticleCounter:
    """Counts the articles of terms.

    `term` is the uuid of a term, and `link` the column of articles or links that contains it. `is_public` is
    the condition under which their article is in the lists, and `of_article` joins them with the article.
    """

    term: ColumnElement[UUID]
    link: ColumnElement[UUID]
    is_public: ColumnElement[bool]
    of_article: ColumnElement[bool]

    def __call__(self, uuid: UUID | None) -> Mapping[UUID, int]:
        """Return the numbers of public articles of this term, or of all terms (None), by term."""
        # Each number is that of a range of the index of the term; SQLite would group by another index.
        number = select(func.count()).where(self.link == self.term, self.is_public).scalar_subquery()
        statement = select(self.term, number).where(true() if uuid is None else self.term == uuid)
        return dict(db.session.connection().execute(statement, {"now": current_time()}).all())

    def count_by_status(self, terms: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
        """Return the numbers of articles of these terms by status; statuses without articles are left out."""
        numbers = defaultdict[UUID, dict[str, int]](dict)
        status = case((scheduled(_article), SCHEDULED), else_=_article.status).label("status")
        statement = select(self.link, status, func.count()).where(self.of_article, is_article(_article))
        for batch in chunk(terms):
            of_terms = statement.where(self.link.in_(batch)).group_by(self.link, status)
            for term, name, number in db.session.execute(of_terms, {"now": current_time()}):
                numbers[term][name] = number
        return numbers


count_in_categories = ArticleCounter(
    table_of(Category).c.uuid, _article.category_id, listed(_article), true()
)
count_with_tags, count_by_authors = (
    ArticleCounter(
        table_of(model).c.uuid,
        link,
        link.table.c.listed_from <= NOW,
        link.table.c.article_id == _article.uuid,
    )
    for model, link in ((Tag, _tag.tag_id), (Author, _author.author_id))
)
