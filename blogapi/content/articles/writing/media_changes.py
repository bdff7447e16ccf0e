"""Renders articles again when a file that they use is changed or deleted; see `media.hooks`."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from blogapi.content.articles import queries
from blogapi.content.articles.models import Article
from blogapi.content.articles.prepared import prepare_stored
from blogapi.content.articles.writing import json_writer, states
from blogapi.content.articles.writing.rendered_article import render_articles
from blogapi.content.media import hooks
from blogapi.content.media.references import KnownFiles
from blogapi.publication.models import ChangeType
from blogapi.storage.database import chunk, db

_BATCH_SIZE = 100

# Further articles are rendered in the transaction, because the renderings are in memory until its end.
_MAX_PREPARED = 1_000


def prepare(media_ids: Collection[UUID]) -> None:
    """Render the contents of the articles that use the files, before the transaction."""
    prepare_stored(sorted(hooks.find_items(db.session(), Article.kind, media_ids))[:_MAX_PREPARED])


def render(session: Session, media_ids: Collection[UUID]) -> None:
    """Store the JSON of the articles that show the files, and record the change of these articles."""
    users = sorted(hooks.find_items(session, Article.kind, media_ids))
    for batch in chunk(users, _BATCH_SIZE):
        articles = queries.find_articles(batch)
        # If only a former version of an article uses a file, `find_differing` leaves out the article.
        complete = [item for item in articles.values() if item.seo is not None]
        rendered = render_articles(complete)
        for item in rendered:
            _replace_paths(articles[item.uuid], item.known_files)
        changed = json_writer.find_differing(session, rendered)
        for item in changed:
            states.record_rendering(articles[item.uuid], ChangeType.UPDATED)
        session.flush()
        json_writer.store_articles(session, changed)


def _replace_paths(article: Article, files: KnownFiles) -> None:
    """Store the new paths of the article's pictures whose files were replaced."""
    for row, name in ((article, "cover_image"), (article.seo, "og_image")):
        path = files.find_new_path(getattr(row, name))
        if path is not None:
            setattr(row, name, path)
            # Otherwise, `onupdate` would change the time.
            flag_modified(row, "last_updated")
