"""Queries for imported files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.orm import InstrumentedAttribute

from blogapi.content.articles.models import Article, FormerPath, FormerSlug
from blogapi.content.media.models import FormerHash, Media, MediaPath
from blogapi.content.taxonomies.categories import Category
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.models import ImportedFile
from blogapi.storage.database import db, split_values


def get_digests(keys: Collection[str]) -> dict[str, str]:
    """Return the digests of the last imported records of these files, by key."""
    statement = select(ImportedFile.key, ImportedFile.digest).where(ImportedFile.key.in_(keys))
    return {row.key: row.digest for row in db.session.execute(statement)}


def find_imported_files(keys: Collection[str]) -> dict[str, ImportedFile]:
    files = db.session.scalars(select(ImportedFile).where(ImportedFile.key.in_(keys)))
    return {file.key: file for file in files}


def get_imported_articles() -> dict[str, tuple[UUID, ArticleRecord, tuple[datetime, datetime]]]:
    """Return each imported article by the key of its file.

    The values are its uuid, a record without content, and the times of its first and last import.
    """
    former_slugs = _group_by_article(FormerSlug.slug)
    former_paths = _group_by_article(FormerPath.path)
    columns = (
        *(Article.uuid, Article.title, Article.slug, Article.content_type, Article.status),
        *(Article.published_at, Article.language, Article.created),
    )
    statement = (
        select(ImportedFile.key, ImportedFile.imported_at, *columns, Category.name.label("category"))
        .join(Article, Article.uuid == ImportedFile.article_id)
        .outerjoin(Category, Category.uuid == Article.category_id)
    )
    return {
        row.key: (
            row.uuid,
            ArticleRecord(
                key=row.key,
                title=row.title,
                slug=row.slug,
                content="",
                content_type=row.content_type,
                status=row.status,
                published_at=row.published_at,
                language=row.language,
                category=row.category or "",
                is_page=row.category is None,
                former_slugs=tuple(former_slugs[row.uuid]),
                addresses=tuple(map(quote, former_paths[row.uuid])),
            ),
            (row.created, row.imported_at),
        )
        for row in db.session.execute(statement)
    }


def _group_by_article(column: InstrumentedAttribute[str]) -> Mapping[UUID, list[str]]:
    grouped = defaultdict[UUID, list[str]](list)
    for article_id, value in db.session.execute(select(column.class_.article_id, column).order_by(column)):
        grouped[article_id].append(value)
    return grouped


def get_imported_keys() -> set[str]:
    """Return the keys of the imported files whose articles exist."""
    statement = select(ImportedFile.key).join(Article, Article.uuid == ImportedFile.article_id)
    return set(db.session.scalars(statement))


def get_root_folders() -> dict[str, str]:
    """Return the folder to which each key of an imported file is relative; unknown folders are left out."""
    statement = select(ImportedFile.key, ImportedFile.root).where(ImportedFile.root.is_not(None))
    return {row.key: row.root for row in db.session.execute(statement)}


def find_media_by_digests(digests: Collection[str]) -> dict[str, Media]:
    """Return the files of the library by the SHA-256 of their uploaded or their stored content.

    For a replaced file, the value is its replacement, so that another import does not undo the change.
    """
    replaced = select(Media, FormerHash.hash).join(FormerHash, FormerHash.media_id == Media.uuid)
    by_former_hash, files = dict[str, Media](), list[Media]()
    for batch in split_values(digests):
        rows = db.session.execute(replaced.where(FormerHash.hash.in_(batch)))
        by_former_hash |= {hash: file for file, hash in rows}
        has_digest = or_(Media.upload_hash.in_(batch), Media.hash.in_(batch))
        files += db.session.scalars(select(Media).where(has_digest))
    by_hash = {file.hash: file for file in files} | {file.upload_hash: file for file in files}
    return by_former_hash | by_hash


def get_media_paths(article_ids: Collection[UUID]) -> dict[UUID, dict[str, MediaPath]]:
    """Return the rows that map the paths in these articles to library files, by article and path."""
    paths: dict[UUID, dict[str, MediaPath]] = {}
    for row in db.session.scalars(select(MediaPath).where(MediaPath.article_id.in_(article_ids))):
        paths.setdefault(row.article_id, {})[row.path] = row
    return paths


def find_media_by_uuids(uuids: Collection[UUID]) -> dict[UUID, Media]:
    statements = (select(Media).where(Media.uuid.in_(batch)) for batch in split_values(uuids))
    return {file.uuid: file for statement in statements for file in db.session.scalars(statement)}


def get_media_uuids_by_path(keys: Collection[str]) -> dict[str, dict[str, UUID]]:
    """Return the uuid of the library file for each path in the imported articles, by key and path."""
    if not keys:
        return {}
    statement = select(ImportedFile.key, MediaPath.path, MediaPath.media_id).join(
        MediaPath, MediaPath.article_id == ImportedFile.article_id
    )
    paths: dict[str, dict[str, UUID]] = {}
    for row in db.session.execute(statement.where(ImportedFile.key.in_(keys))):
        paths.setdefault(row.key, {})[row.path] = row.media_id
    return paths
