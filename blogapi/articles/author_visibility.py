"""The visibility of authors: an author is public if a public article names them in its byline."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func, inspect, select
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from blogapi.articles.models import Article, ArticleAuthor
from blogapi.authors.models import Author
from blogapi.publication.visibility import READABLE_STATUSES, readable
from blogapi.storage import change_log
from blogapi.storage.change_log import EPOCH, Change, Exposure, TracksChanges
from blogapi.storage.database import current_time, db, transaction


def init_app() -> None:
    """Log in the change log the authors that a write of an article shows or hides."""
    change_log.register_exposed_kind(Author.kind, _find_exposures, _find_other_exposures)


def log_missing_authors() -> None:
    """Log the authors whom the change log lacks: a migration has created the profiles of the first users."""
    with transaction():
        is_logged = select(Change).where(Change.kind == Author.kind, Change.uuid == Author.uuid).exists()
        for author in db.session.scalars(select(Author).where(~is_logged)):
            # The row is written with its own value.
            flag_modified(author, "last_updated")


def author_is_public() -> ColumnElement[bool]:
    """Return the SQL condition that a public article has the author, according to the change log."""
    # The time must not depend on the number of drafts, which a search for a public article would read.
    is_visible = Change.public | (Change.due <= current_time())
    is_author = Change.kind == Author.kind, Change.uuid == Author.uuid
    return select(Change.uuid).where(*is_author, is_visible).correlate(Author).exists()


def _has_public_article(excluded: Collection[UUID]) -> ColumnElement[bool]:
    """Return the SQL condition that a public article, other than the excluded ones, has the author."""
    # With a join instead of the inner subquery, SQLite could read all public articles for each author.
    is_visible = Article.uuid == ArticleAuthor.article_id, readable(Article, current_time())
    return (
        select(ArticleAuthor.article_id)
        .where(ArticleAuthor.author_id == Author.uuid, ArticleAuthor.article_id.not_in(excluded))
        .where(select(Article.uuid).where(*is_visible).correlate(ArticleAuthor).exists())
        .correlate(Author)
        .exists()
    )


def _find_exposures(session: Session, rows: Sequence[TracksChanges]) -> Iterator[Exposure]:
    for row in rows:
        if isinstance(row, Article):
            yield from _compare_states(session, row)


def _compare_states(session: Session, article: Article) -> Iterator[Exposure]:
    """Yield the authors that the write of the article shows or hides."""
    former, current = _get_former_state(session, article), _get_state(session, article)
    if former == current:
        return
    (former_since, former_authors), (since, authors) = former, current
    if since is not None:
        yield from (Exposure(Author.kind, uuid, article.uuid, since) for uuid in authors)
    if former_since is None:
        return
    is_hidden_longer = since is None or since > former_since
    for uuid in former_authors:
        if is_hidden_longer or uuid not in authors:
            yield Exposure(Author.kind, uuid, article.uuid, None)


def _get_state(session: Session, article: Article) -> tuple[datetime | None, set[UUID]]:
    if article in session.deleted:
        return None, set()
    return article.visible_from(), {link.author_id for link in article.author_links}


def _get_former_state(session: Session, article: Article) -> tuple[datetime | None, set[UUID]]:
    if article in session.new:
        return None, set()
    attributes = inspect(article).attrs
    status, published_at = (
        (attributes[name].history.deleted or [getattr(article, name)])[0]
        for name in ("status", "published_at")
    )
    links = attributes["author_links"].history
    authors = {link.author_id for link in (*(links.unchanged or ()), *(links.deleted or ()))}
    return published_at if status in READABLE_STATUSES else None, authors


def _find_other_exposures(
    session: Session, authors: Collection[UUID], excluded: Collection[UUID]
) -> dict[UUID, datetime]:
    """Return the time from which articles other than the excluded ones show the authors, by uuid.

    For authors who are already public, the time is EPOCH, so that not all of their articles are read.
    """
    is_public = _has_public_article(excluded)
    found = dict.fromkeys(
        session.scalars(select(Author.uuid).where(Author.uuid.in_(authors), is_public)), EPOCH
    )
    hidden = [uuid for uuid in authors if uuid not in found]
    if hidden:
        first_publications = (
            select(ArticleAuthor.author_id, func.min(Article.published_at))
            .join(Article, Article.uuid == ArticleAuthor.article_id)
            .where(ArticleAuthor.author_id.in_(hidden), Article.uuid.not_in(excluded))
            .where(Article.status.in_(READABLE_STATUSES))
            .group_by(ArticleAuthor.author_id)
        )
        found.update((uuid, time) for uuid, time in session.execute(first_publications) if time is not None)
    return found
