"""The data that is stored with an exported article in addition to its body: times, former slugs and media."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from blogapi.content.articles import queries
from blogapi.content.articles.models import Article, FormerSlug
from blogapi.importing.format_api.article_record import ArticleRecord, ExportedFields
from blogapi.importing.media.imported_media import LibraryFile, RecordMedia
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import db


def is_slug_free(slug: str | None, uuid: UUID, type_: str) -> bool:
    """Return whether the slug is None, or the article with this uuid has it or may have it.

    No other article has or had such a slug, and no other page of the site is at its address.
    """
    if slug is None:
        return True
    if is_reserved_slug(get_site(), type_, slug):
        article = db.session.get(Article, uuid)
        return article is not None and article.slug == slug
    return not queries.find_taken_slugs([slug], exclude=uuid)


def complete_article(
    article: Article, exported: ExportedFields | None, *, old_time: datetime | None = None
) -> None:
    """Set the fields of a created or changed article that its body does not contain.

    `old_time` is the time of the last change of a changed article. If the export has the same time, a person
    has changed the file, and the time of the change is the current time.
    """
    if exported is None:
        return
    times = (article.created, article.published_at, exported.last_updated)
    article.created = exported.created or min(filter(None, times))
    last_updated = exported.last_updated or article.created
    if old_time is None or last_updated > old_time:
        article.last_updated = last_updated
    article.slug_derived = exported.slug_derived
    # A slug that was public stays, and becomes a former slug if it changes.
    article.was_public |= bool(exported.was_public or exported.former_slugs)


def add_former_slugs(article: Article, exported: ExportedFields) -> Iterator[str]:
    """Store the former slugs of an article; yield those that another article has or had."""
    if not exported.former_slugs:
        return
    own_slugs = set(db.session.scalars(select(FormerSlug.slug).where(FormerSlug.article_id == article.uuid)))
    for slug, time in exported.former_slugs.items():
        if slug in own_slugs or slug == article.slug:
            continue
        if is_slug_free(slug, article.uuid, article.type):
            db.session.add(FormerSlug(slug=slug, article_id=article.uuid, created=time))
        else:
            yield slug


def list_library_media(records: Sequence[ArticleRecord]) -> dict[str, RecordMedia]:
    """Return the library files to which paths in exported articles refer, by the key of the record."""
    return {
        record.key: RecordMedia(
            files={path: LibraryFile(uuid, "") for path, uuid in record.exported.media_paths.items()}
        )
        for record in records
        if record.exported is not None and record.exported.media_paths
    }
