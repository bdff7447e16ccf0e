"""Renders articles again when a file that they use is changed or deleted."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from blogapi.articles import json_writer, queries, renderings
from blogapi.articles.json_writer import RenderedArticle
from blogapi.articles.models import Article, ArticleJson
from blogapi.media import hooks
from blogapi.storage.database import db, table_of

_BATCH_SIZE = 100

_json = table_of(ArticleJson)


def init_app() -> None:
    """Follow the changes of files."""
    hooks.register_listener(_render, prepare=_prepare)


def _prepare(media_ids: Collection[UUID]) -> None:
    """Render the contents of the articles that use the files, before the transaction."""
    contents = queries.find_contents(sorted(hooks.find_items(db.session(), Article.kind, media_ids)))
    renderings.prepare((texts["content"], texts["content_type"]) for texts in contents.values())


def _render(session: Session, media_ids: Collection[UUID]) -> None:
    """Store the JSON of the articles that show the files, and log these articles in the change log."""
    users = sorted(hooks.find_items(session, Article.kind, media_ids))
    for start in range(0, len(users), _BATCH_SIZE):
        articles = queries.find_by_uuids(users[start : start + _BATCH_SIZE])
        is_one = _json.c.article_id.in_(list(articles))
        rows = session.connection().execute(select(_json).where(is_one)).mappings()
        stored = {row["article_id"]: dict(row) for row in rows}
        # A former version can use a file that the article does not show.
        changed = [
            article
            for uuid, article in articles.items()
            if article.seo is not None and json_writer.make_row(RenderedArticle(article)) != stored.get(uuid)
        ]
        json_writer.render_again(session, changed)
        session.flush()
