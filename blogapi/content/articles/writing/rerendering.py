"""Renders all articles again after an update of the code or of a library that renders them."""

from __future__ import annotations

from pathlib import Path

from flask import Flask, current_app
from sqlalchemy import Engine, func, select, update

from blogapi.config import CannotStart
from blogapi.content.articles import author_visibility, queries
from blogapi.content.articles.models import Article, ArticleStats
from blogapi.content.articles.prepared import prepare_stored
from blogapi.content.articles.renderer_version import get_renderer_version
from blogapi.content.articles.writing import json_writer, repeated_columns
from blogapi.storage import connections, migration_names, upgrade_progress, upgrades, version_check
from blogapi.storage.database import batch_uuids, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web import stored_json

# The number of articles that one transaction renders. It is small, so that other writers wait only briefly.
_BATCH_SIZE = 200


def needs_upgrade(home: Path) -> bool:
    """Return whether the database must be upgraded, or its articles rendered again.

    The answer is False for an empty database. Raises CannotStart if the database cannot be used.
    """
    url = connections.get_database_url(home)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return False
    with connections.open_plain_engine(url) as engine, upgrades.convert_errors(engine):
        migration = upgrades.current_migration(engine)
        return migration is not None and not is_current(engine, migration)


def is_current(engine: Engine, migration: str | None) -> bool:
    """Return whether a database with this last migration was upgraded and rendered by this version."""
    if migration != migration_names.list_migrations()[-1]:
        return False
    with engine.connect() as connection:
        return connection.scalar(select(ArticleStats.renderer)) == get_renderer_version()


def init_app(app: Flask) -> None:
    """Render all articles again if the stored version of the renderer differs from the current one."""
    with app.app_context(), upgrades.convert_errors(db.engine):
        if db.session.scalar(select(ArticleStats.renderer)) != get_renderer_version():
            _render_after_update()
    version_check.accept_renderers(app, get_renderer_version())


def _render_after_update() -> None:
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
    version_check.accept_renderers(current_app, current, unfinished)
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
    total = db.session.scalar(select(func.count()).select_from(Article)) or 0
    for number, uuids in enumerate(batch_uuids(Article, _BATCH_SIZE)):
        upgrade_progress.report("articles", number * _BATCH_SIZE, total)
        prepare_stored(uuids)
        with transaction():
            # Another write may have changed or deleted some of the articles.
            present = queries.find_articles(uuids)
            json_writer.store_again(db.session(), list(present.values()))
        db.session.expunge_all()
