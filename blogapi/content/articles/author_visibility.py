"""The visibility of authors: an author is public if the byline of a listed article names the author."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, or_, select

from blogapi.content.articles.models import Article, ArticleAuthor
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.service import get_term_state, make_term_address
from blogapi.publication.events import AUTHOR, ItemAddress, note_change
from blogapi.publication.models import FETCHED_CHANGES, Event
from blogapi.publication.visibility import match_listed_articles
from blogapi.storage.database import current_time, db, execute_in_batches, split_values, transaction

# With a join instead of the inner subquery, SQLite could read all public articles for each author.
_is_listed = Article.uuid == ArticleAuthor.article_id, match_listed_articles(Article)
_has_listed_article = (
    select(ArticleAuthor.article_id)
    .where(ArticleAuthor.author_id == Author.uuid)
    .where(select(Article.uuid).where(*_is_listed).correlate(ArticleAuthor).exists())
    .correlate(Author)
    .exists()
)
# This statement is built once, because building a statement takes longer than executing it.
_SELECT_PUBLIC = select(Author.uuid, Author.slug).where(
    _has_listed_article, Author.uuid.in_(bindparam("authors", expanding=True))
)


def record_missing_author_events() -> None:
    """Record an event for each author without an event, such as the profiles that a migration created."""
    with transaction():
        has_event = select(Event.position).where(Event.kind == AUTHOR, Event.uuid == Author.uuid).exists()
        for author in db.session.scalars(select(Author).where(~has_event)):
            note_change(AUTHOR, author.uuid, None, get_term_state(author))


def find_byline_authors(articles: Collection[UUID]) -> set[UUID]:
    """Return the uuids of the authors in the bylines of these articles."""
    conditions = (ArticleAuthor.article_id.in_(batch) for batch in split_values(articles))
    return {
        uuid
        for condition in conditions
        for uuid in db.session.scalars(select(ArticleAuthor.author_id).where(condition))
    }


def find_public_authors(authors: Collection[UUID], now: datetime) -> Mapping[UUID, ItemAddress]:
    """Return the address of each author in `authors` who is public, by uuid of the author."""
    rows = execute_in_batches(_SELECT_PUBLIC, "authors", authors, now=now)
    return {row.uuid: make_term_address(AUTHOR, row.uuid, row.slug) for row in rows}


def match_public_authors(now: ColumnElement[datetime] | None = None) -> ColumnElement[bool]:
    """Return the SQL condition that, according to the events, a public article names the author.

    `now` can be the parameter NOW of a statement that is built once; the default is the current time.
    """
    # The duration of the query must not reveal the number of drafts, so the query reads only the events.
    is_shown = (
        select(Event.position)
        .where(Event.kind == AUTHOR, Event.uuid == Author.uuid)
        .where(Event.newest_public.is_not(None), Event.change.in_(FETCHED_CHANGES))
        .correlate(Author)
        .exists()
    )
    # Select articles that are already public, but whose event `published` has not been written yet.
    due = select(Event.uuid).where(Event.due <= (current_time() if now is None else now), Event.listed)
    return or_(
        is_shown, Author.uuid.in_(select(ArticleAuthor.author_id).where(ArticleAuthor.article_id.in_(due)))
    )
