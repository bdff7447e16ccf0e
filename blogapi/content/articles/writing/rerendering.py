"""Rerenders articles after changes of the renderer, files or custom fields; implements ArticleHooks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from uuid import UUID

from flask import Flask, current_app
from sqlalchemy import Engine, func, null, select, union_all, update
from sqlalchemy.orm import Session

from blogapi.config import CannotStart
from blogapi.content.articles import author_visibility, queries
from blogapi.content.articles.models import Article, RendererState
from blogapi.content.articles.permissions import match_visible_items
from blogapi.content.articles.prerendering import prerender_articles
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.content.articles.writing import bin_documents, event_states, repeated_columns
from blogapi.content.articles.writing.derived_columns import (
    reindex_articles,
    render_articles,
    rerender_articles,
    store_derived_rows,
)
from blogapi.content.media import affected_items
from blogapi.content.media.file_references import ReferencedFiles
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.service import repair_sort_keys
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication.models import ChangeType
from blogapi.storage import connections, migration_names, upgrade_progress, upgrades, version_check
from blogapi.storage.database import db, list_uuid_batches, split_values, table_of, transaction
from blogapi.storage.version_check import NewerSchema

# The number of articles that one transaction renders; it is small, so that other writers wait only briefly.
_ARTICLES_PER_TRANSACTION = 200


def needs_upgrade(home: Path) -> bool:
    """Return whether the database must be upgraded, or its articles rendered again.

    Returns False for an empty database. Raises CannotStart if the database cannot be used.
    """
    url = connections.get_database_url(home)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return False
    with connections.open_plain_engine(url) as engine, upgrades.convert_database_errors(engine):
        migration = upgrades.find_last_migration(engine)
        return migration is not None and not is_database_up_to_date(engine, migration)


def is_database_up_to_date(engine: Engine, migration: str | None) -> bool:
    """Return whether this version of blogapi has upgraded the database and rendered its articles."""
    if migration != migration_names.list_migrations()[-1]:
        return False
    with engine.connect() as connection:
        return connection.scalar(select(RendererState.renderer)) == RENDERER_VERSION


def init_app(app: Flask) -> None:
    """Render all articles again if the stored version of the renderer differs from the current one."""
    with app.app_context(), upgrades.convert_database_errors(db.engine):
        if db.session.scalar(select(RendererState.renderer)) != RENDERER_VERSION:
            _upgrade_renderings()
    version_check.accept_renderer_versions(app, RENDERER_VERSION)


def _upgrade_renderings() -> None:
    """Rerender all articles, and prevent servers with another renderer from writing.

    Raises CannotStart if another version of blogapi begins to render them in the meantime.
    """
    unfinished = f"{RENDERER_VERSION}, unfinished"
    with transaction():
        # Another process may have rendered the articles while this process waited for the lock.
        stored = db.session.scalar(select(RendererState.renderer))
        if stored == RENDERER_VERSION:
            return
        if stored != unfinished:
            _store_renderer_version(unfinished)
    version_check.accept_renderer_versions(current_app, RENDERER_VERSION, unfinished)
    try:
        author_visibility.record_missing_author_events()
        rerender_all_articles()
        with transaction():
            _store_renderer_version(RENDERER_VERSION)
    except NewerSchema as error:
        raise CannotStart(
            "Another version of blogapi is starting with this database; stop one of the two."
        ) from error


def _store_renderer_version(version: str) -> None:
    db.session.execute(update(RendererState).values(renderer=version))


def rerender_all_articles() -> None:
    """Rerender all articles; repair sort keys, and the columns that links and search entries repeat."""
    with transaction():
        for model in (Author, Category, Tag):
            repair_sort_keys(model)
        bin_documents.repair_sort_keys()
        repeated_columns.repair_differing_rows()
    total = db.session.scalar(select(func.count()).select_from(Article)) or 0
    for number, uuids in enumerate(list_uuid_batches(Article, _ARTICLES_PER_TRANSACTION)):
        upgrade_progress.report_progress("articles", number * _ARTICLES_PER_TRANSACTION, total)
        prerender_articles(uuids)
        with transaction():
            # Another write may have changed or deleted some of the articles.
            present = queries.find_articles(uuids, with_html=True)
            rerender_articles(db.session(), list(present.values()))
        db.session.expunge_all()


_ARTICLES_PER_STATEMENT = 100

# The maximum number of articles that are rendered before the transaction, because the rendered contents stay
# in memory until its end. The transaction renders all further articles.
_MAX_PRERENDERED_ARTICLES = 1_000


def prerender_articles_using_files(media_ids: Collection[UUID]) -> None:
    """Render the contents of the articles that use the files before the transaction."""
    uuids = affected_items.find_items_using_files(db.session(), Article.kind, media_ids)
    prerender_articles(sorted(uuids)[:_MAX_PRERENDERED_ARTICLES])


def rerender_articles_using_files(session: Session, media_ids: Collection[UUID]) -> None:
    """Rerender the articles that show the files, and record the change of these articles."""
    users = sorted(affected_items.find_items_using_files(session, Article.kind, media_ids))
    for batch in split_values(users, _ARTICLES_PER_STATEMENT):
        rendered = render_articles(queries.find_articles(batch, with_html=True).values())
        changed = []
        for rendered_article in rendered:
            # If only a former version of an article uses a file, the article does not change.
            article, files = rendered_article.article, rendered_article.files
            if _replace_picture_paths(article, files) or rendered_article.differs_from_article():
                changed.append(rendered_article)
                event_states.record_rendering(article, ChangeType.UPDATED)
                rendered_article.set_columns()
        session.flush()
        store_derived_rows(session, changed)


def _replace_picture_paths(article: Article, files: ReferencedFiles) -> bool:
    """Set the new paths of the article's replaced pictures; return whether a path has changed."""
    paths = {name: files.find_new_path(getattr(article, name)) for name in ("cover_image", "seo_og_image")}
    for name, path in paths.items():
        if path is not None:
            setattr(article, name, path)
    return any(path is not None for path in paths.values())


_article = table_of(Article).c


def resolve_item_references(references: Collection[UUID | str]) -> Mapping[UUID | str, UUID]:
    """Return the uuid of each known reference; the slug of an item hidden from the caller is unknown."""
    slugs, uuids = ([value for value in references if isinstance(value, type_)] for type_ in (str, UUID))
    by_slug = select(_article.uuid, _article.slug).where(_article.slug.in_(slugs), match_visible_items())
    by_uuid = select(_article.uuid, null()).where(_article.uuid.in_(uuids))
    rows = db.session.execute(union_all(by_slug, by_uuid))
    return {slug or uuid: uuid for uuid, slug in rows}


def reindex_articles_with_field(name: str) -> None:
    """Reindex all articles that have a value for the custom field `name`."""
    # Articles keep the values of a custom field whose definition was deleted.
    has_value = _article.custom.contains(f'"{name}":', autoescape=True)
    for uuids in split_values(db.session.scalars(select(_article.uuid).where(has_value)).all()):
        articles = queries.find_articles(uuids).values()
        reindex_articles(db.session(), list(articles))
