"""What reads show of an article is made here, whenever one is written, in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import delete, func, insert, inspect, select, update
from sqlalchemy import event as events
from sqlalchemy.orm import Session, selectinload

from blogapi.articles.documents import LINES, RENDERER
from blogapi.articles.models import Article, ArticlePieces, ArticleTally, Seo
from blogapi.articles.rules import Status
from blogapi.articles.schemas import ArticleFieldsSchema
from blogapi.core import markup, migrate, pieces, wire
from blogapi.core.database import db, transaction
from blogapi.core.schema import Seen
from blogapi.search import service as search
from blogapi.search.records import Text

_SHAPE = ArticleFieldsSchema(only=LINES)

# Articles that are made anew in one transaction, so that another writer's turn comes soon.
_AT_ONCE = 200


class Written(Seen):
    """An article with what follows from its content."""

    @cached_property
    def html(self) -> str:
        """The content as sanitised HTML."""
        return markup.html(self.content, self.content_type)

    @cached_property
    def words(self) -> str:
        """The content without markup, in one line."""
        return markup.plain(self.html)

    @property
    def excerpt(self) -> str:
        """The beginning of the text."""
        return markup.excerpt(self.words)

    @property
    def reading_minutes(self) -> int:
        """How long the article takes to read, in minutes."""
        return markup.reading_minutes(self.words)


def init_app(app: Flask) -> None:
    """Listen to every flush of the session, and make anew what an older version made.

    An older version of this program, or of a library whose work is kept.
    """
    if not events.contains(db.session, "after_flush", _render):
        events.listen(db.session, "after_flush", _render)
    with app.app_context(), migrate.usable(db.engine):
        if db.session.scalar(select(ArticleTally.renderer)) != RENDERER:
            _renew(app)


def _renew(app: Flask) -> None:
    articles = db.session.scalar(select(func.count()).select_from(Article)) or 0
    if articles > _AT_ONCE:
        app.logger.warning(
            "%d articles are rendered anew by this version; a thousand take seconds.", articles
        )
    for _ in renewed():
        pass
    with transaction():
        db.session.execute(update(ArticleTally).values(renderer=RENDERER))


def renewed() -> Iterator[int]:
    """Make the pieces of every row anew; yields how many articles are done."""
    with transaction():
        for model in pieces.models():
            for row in db.session.scalars(select(model)):
                pieces.store(db.session(), row)
        db.session.execute(update(ArticleTally).values(published=published()))
    last, done = UUID(int=0), 0
    while True:
        with transaction():
            some = db.session.scalars(
                select(Article)
                .where(Article.uuid > last)
                .order_by(Article.uuid)
                .limit(_AT_ONCE)
                .options(selectinload(Article.seo))
            ).all()
            store(db.session(), some)
        db.session.expunge_all()
        if not some:
            return
        last, done = some[-1].uuid, done + len(some)
        yield done


def published() -> int:
    """Return how many articles have the status `published`, counted one by one."""
    return db.session.query(Article).where(Article.status == Status.PUBLISHED).count()


def store(session: Session, articles: Iterable[Article]) -> None:
    """Make the pieces of the articles and their places in the index."""
    written = [Written(article) for article in articles]
    if not written:
        return
    session.execute(
        delete(ArticlePieces).where(ArticlePieces.article_id.in_([one.uuid for one in written])),
        execution_options={"synchronize_session": False},
    )
    session.execute(insert(ArticlePieces), [made(one) for one in written])
    search.index(session, [_text(one) for one in written])


def made(article: Written) -> dict[str, Any]:
    """Return the row of the article's pieces."""
    return {
        "article_id": article.uuid,
        "category_id": article.category_id,
        "status": article.status,
        "published_at": article.published_at,
        "version": article.version,
        "fields": pieces.lines(_SHAPE.dump(article)).encode(),
        "content": f'"content":{wire.text(article.content)}'.encode(),
        "html": f'"html":{wire.text(article.html)}'.encode(),
    }


def _text(article: Written) -> Text:
    return Text(article.uuid, article.visible_from(), article.title, article.subtitle, article.words)


def _render(session: Session, context: Any) -> None:
    with session.no_autoflush:
        store(session, _touched(session))
        _tally(session)


def _touched(session: Session) -> list[Article]:
    """Return the articles that were written, in themselves or in their SEO records."""
    rows = [*session.new, *(row for row in session.dirty if session.is_modified(row))]
    found = {row.uuid: row for row in rows if isinstance(row, Article)}
    for row in rows:
        if isinstance(row, Seo) and row.article_id not in found:
            found[row.article_id] = session.get_one(Article, row.article_id)
    return list(found.values())


def _tally(session: Session) -> None:
    more = 0
    for row in (*session.new, *session.dirty, *session.deleted):
        if isinstance(row, Article):
            more += _after(session, row) - _before(session, row)
    if more:
        session.execute(
            update(ArticleTally).values(published=ArticleTally.published + more),
            execution_options={"synchronize_session": False},
        )


def _after(session: Session, article: Article) -> bool:
    return article not in session.deleted and article.status == Status.PUBLISHED


def _before(session: Session, article: Article) -> bool:
    if article in session.new:
        return False
    former = inspect(article).attrs.status.history.deleted
    return (former[0] if former else article.status) == Status.PUBLISHED
