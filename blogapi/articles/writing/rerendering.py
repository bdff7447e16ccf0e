"""Renders all articles again after an update of the code or of a library that renders them."""

from __future__ import annotations

from flask import Flask
from sqlalchemy import func, select, update

from blogapi.articles import author_visibility, queries
from blogapi.articles.models import Article, ArticleStats
from blogapi.articles.prepared import prepare_stored, read_texts
from blogapi.articles.renderer_version import get_renderer_version
from blogapi.articles.writing import json_writer, repeated_columns
from blogapi.config import CannotStart
from blogapi.storage import upgrades, version_check
from blogapi.storage.database import batch_uuids, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web import stored_json

# The number of articles that one transaction renders. It is small, so that other writers wait only briefly.
_BATCH_SIZE = 200


def init_app(app: Flask) -> None:
    """Render all articles again if the stored version of the renderer differs from the current one."""
    with app.app_context(), upgrades.convert_errors(db.engine):
        if db.session.scalar(select(ArticleStats.renderer)) != get_renderer_version():
            _render_after_update(app)
    version_check.accept_renderers(app, get_renderer_version())


def _render_after_update(app: Flask) -> None:
    """Render all articles again, and stop servers of other versions from writing.

    Raises CannotStart if another version of blogapi begins to render them in the meantime.
    """
    current, unfinished = get_renderer_version(), f"{get_renderer_version()}, unfinished"
    with transaction():
        # Another process may have rendered the articles while this process waited for the lock.
        stored = db.session.scalar(select(ArticleStats.renderer))
        if stored == current:
            return
        if stored != unfinished:
            _store_version(unfinished)
    version_check.accept_renderers(app, current, unfinished)
    number = db.session.scalar(select(func.count()).select_from(Article)) or 0
    if number > _BATCH_SIZE:
        app.logger.warning(
            "Rendering %d articles again after an update; 1000 articles take a few seconds.", number
        )
    try:
        author_visibility.record_missing_authors()
        render_all()
        with transaction():
            _store_version(current)
    except NewerSchema as error:
        raise CannotStart(
            "Another version of blogapi is starting with this database; stop one of the two."
        ) from error


def _store_version(version: str) -> None:
    db.session.execute(update(ArticleStats).values(renderer=version))


def render_all() -> None:
    """Store again all data that is derived from articles, and the stored JSON of all other items."""
    stored_json.store_all(_BATCH_SIZE)
    with transaction():
        repeated_columns.repair()
    for uuids in batch_uuids(Article, _BATCH_SIZE):
        prepared = prepare_stored(read_texts(uuids))
        with transaction():
            # Another write may have changed or deleted some of the articles.
            present = queries.find_articles(uuids)
            json_writer.store_again(db.session(), list(present.values()), prepared)
        db.session.expunge_all()
