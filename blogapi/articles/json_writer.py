"""Renders and stores the JSON of articles, in the transaction of each write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import delete, func, insert, inspect, select, update
from sqlalchemy import event as events
from sqlalchemy.orm import Session, selectinload

from blogapi.articles.fingerprint import compute_fingerprint
from blogapi.articles.json_reader import FRAGMENT_FIELDS
from blogapi.articles.lifecycle import Status
from blogapi.articles.models import Article, ArticleJson, ArticleStats, Seo
from blogapi.articles.schemas import ArticleFieldsSchema
from blogapi.content import plain_text, sanitizer
from blogapi.search import service as search
from blogapi.search.service import SearchText
from blogapi.storage import upgrades
from blogapi.storage.database import db, transaction
from blogapi.web import json as web_json
from blogapi.web import json_fragments
from blogapi.web.fields import WithAttributes

_SCHEMA = ArticleFieldsSchema(only=FRAGMENT_FIELDS)

# The number of articles that one transaction renders. A small number keeps the wait of other writers short.
_BATCH_SIZE = 200


class RenderedArticle(WithAttributes):
    """An article with the fields that are computed from its content."""

    @cached_property
    def html(self) -> str:
        """The content as sanitised HTML."""
        return sanitizer.to_safe_html(self.content, self.content_type)

    @cached_property
    def plain_text(self) -> str:
        """The content as plain text on one line."""
        return plain_text.to_plain_text(self.html)

    @property
    def excerpt(self) -> str:
        """The beginning of the content as plain text."""
        return plain_text.make_excerpt(self.plain_text)

    @property
    def reading_minutes(self) -> int:
        """The estimated reading time in minutes."""
        return plain_text.estimate_reading_minutes(self.plain_text)


def init_app(app: Flask) -> None:
    """Listen to every flush of the session, and render all articles again after an update.

    The stored fingerprint shows whether other code, or another version of a library, rendered the articles.
    """
    if not events.contains(db.session, "after_flush", _render):
        events.listen(db.session, "after_flush", _render)
    with app.app_context(), upgrades.convert_errors(db.engine):
        if db.session.scalar(select(ArticleStats.renderer)) != compute_fingerprint():
            _render_all(app)


def _render_all(app: Flask) -> None:
    articles = db.session.scalar(select(func.count()).select_from(Article)) or 0
    if articles > _BATCH_SIZE:
        app.logger.warning(
            "Rendering %d articles again after an update; 1000 articles take a few seconds.", articles
        )
    for _ in render_all():
        pass
    with transaction():
        db.session.execute(update(ArticleStats).values(renderer=compute_fingerprint()))


def render_all() -> Iterator[int]:
    """Render the JSON of every category, tag and article again; yield the number of articles done so far."""
    with transaction():
        for model in json_fragments.stored_models():
            for row in db.session.scalars(select(model)):
                json_fragments.store_fragments(db.session(), row)
        db.session.execute(update(ArticleStats).values(published=count_published()))
    last, done = UUID(int=0), 0
    while True:
        with transaction():
            batch = db.session.scalars(
                select(Article)
                .where(Article.uuid > last)
                .order_by(Article.uuid)
                .limit(_BATCH_SIZE)
                .options(selectinload(Article.seo))
            ).all()
            store_articles(db.session(), batch)
        db.session.expunge_all()
        if not batch:
            return
        last, done = batch[-1].uuid, done + len(batch)
        yield done


def count_published() -> int:
    """Return the number of articles with the status `published`, which ArticleStats should contain."""
    return db.session.query(Article).where(Article.status == Status.PUBLISHED).count()


def store_articles(session: Session, articles: Iterable[Article]) -> None:
    """Render the articles, store their JSON and index their words."""
    rendered = [RenderedArticle(article) for article in articles]
    if not rendered:
        return
    session.execute(
        delete(ArticleJson).where(ArticleJson.article_id.in_([article.uuid for article in rendered])),
        execution_options={"synchronize_session": False},
    )
    session.execute(insert(ArticleJson), [make_row(article) for article in rendered])
    search.index_articles(session, [_search_text(article) for article in rendered])


def make_row(article: RenderedArticle) -> dict[str, Any]:
    """Return the columns of the article's row in ArticleJson, by name."""
    return {
        "article_id": article.uuid,
        "category_id": article.category_id,
        "status": article.status,
        "published_at": article.published_at,
        "version": article.version,
        "fields": json_fragments.to_fragments(_SCHEMA.dump(article)).encode(),
        "content": f'"content":{web_json.to_json(article.content)}'.encode(),
        "html": f'"html":{web_json.to_json(article.html)}'.encode(),
    }


def _search_text(article: RenderedArticle) -> SearchText:
    return SearchText(
        article.uuid, article.visible_from(), article.title, article.subtitle, article.plain_text
    )


def _render(session: Session, context: Any) -> None:
    with session.no_autoflush:
        store_articles(session, _written_articles(session))
        _update_stats(session)


def _written_articles(session: Session) -> list[Article]:
    """Return the new and changed articles, and those whose SEO record is new or changed."""
    rows = [*session.new, *(row for row in session.dirty if session.is_modified(row))]
    found = {row.uuid: row for row in rows if isinstance(row, Article)}
    for row in rows:
        if isinstance(row, Seo) and row.article_id not in found:
            found[row.article_id] = session.get_one(Article, row.article_id)
    return list(found.values())


def _update_stats(session: Session) -> None:
    increase = 0
    for row in (*session.new, *session.dirty, *session.deleted):
        if isinstance(row, Article):
            increase += _is_published(session, row) - _was_published(session, row)
    if increase:
        session.execute(
            update(ArticleStats).values(published=ArticleStats.published + increase),
            execution_options={"synchronize_session": False},
        )


def _is_published(session: Session, article: Article) -> bool:
    return article not in session.deleted and article.status == Status.PUBLISHED


def _was_published(session: Session, article: Article) -> bool:
    if article in session.new:
        return False
    former = inspect(article).attrs.status.history.deleted
    return (former[0] if former else article.status) == Status.PUBLISHED
