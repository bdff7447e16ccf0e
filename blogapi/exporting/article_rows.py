"""Reads articles and working copies as mappings with the field names and values that the API shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import unquote
from uuid import UUID

from sqlalchemy import ColumnElement, Select, select

from blogapi.content.articles.article_content import make_default_seo
from blogapi.content.articles.fields import TERM_LIST_FIELDS, TEXT_NAMES, TermListField
from blogapi.content.articles.models import LINK_MODELS, Article, FormerPath, FormerSlug, WorkingCopy
from blogapi.content.articles.snapshots import parse_content
from blogapi.content.custom_fields import custom_values
from blogapi.content.media.models import MediaPath
from blogapi.publication.visibility import ItemType, is_readable
from blogapi.storage.database import bytewise, db, table_of

# The fields of an exported item, such as an article, a term or a media file.
Item = dict[str, Any]

_article, _former_slug = table_of(Article).c, table_of(FormerSlug).c
_copy, _former_path, _path = (table_of(model).c for model in (WorkingCopy, FormerPath, MediaPath))

_SEO_FIELDS = tuple(make_default_seo({}))
_POSITION_FIELDS = ("type", "parent_id", "position")


def read_articles(
    uuids: Collection[UUID], slugs: dict[str, dict[UUID, str]], media: Collection[str], now: datetime
) -> Iterator[Item]:
    """Yield these articles; `slugs` has the slugs of terms by kind, `media` the uuids of exported files."""
    names = ("uuid", "created", "last_updated", "slug", *TEXT_NAMES, *(f"seo_{name}" for name in _SEO_FIELDS))
    columns = (_article[name] for name in names)
    state = tuple(
        _article[name] for name in ("published_at", "status", "category_id", "custom", *_POSITION_FIELDS)
    )
    slug_state = (_article.was_public, _article.slug_derived)
    rows = {
        row.uuid: row
        for row in fetch_rows(select(*columns, *state, *slug_state).where(_article.uuid.in_(uuids)))
    }
    former_slugs = _group_rows_by_article(
        uuids, _former_slug.article_id, _former_slug.slug, _former_slug.created
    )
    former_paths = _group_rows_by_article(
        uuids, _former_path.article_id, _former_path.path, _former_path.created
    )
    terms = {field.name: _read_linked_terms(uuids, field) for field in TERM_LIST_FIELDS}
    paths = _group_rows_by_article(
        uuids, _path.article_id, _path.path, _path.media_id, order=bytewise(_path.path)
    )
    for uuid in uuids:
        row = rows[uuid]
        was_public = row.was_public or is_readable(row, now)
        yield {
            **make_identity_fields(row),
            "published_at": row.published_at and format_time(row.published_at),
            "status": row.status,
            "slug": row.slug,
            "former_slugs": list_former_values(former_slugs[uuid]),
            "former_paths": list_former_values(former_paths[uuid], "path"),
            **{name: getattr(row, name) for name in TEXT_NAMES},
            "category": row.category_id and slugs["category"][row.category_id],
            **read_page_fields(row),
            **{
                field.name: [slugs[field.kind][term] for (term,) in terms[field.name][uuid]]
                for field in TERM_LIST_FIELDS
            },
            "seo": {name: getattr(row, f"seo_{name}") for name in _SEO_FIELDS},
            "paths": [
                {"path": path, "media": text}
                for path, file in _select_current_paths(paths[uuid], row.content)
                if (text := str(file)) in media
            ],
            "custom": custom_values.parse_stored_values(row.custom),
            "was_public": was_public,
            # When an article has been public, its slug no longer changes with its title.
            "slug_derived": row.slug_derived and not was_public,
        }


def _read_linked_terms(uuids: Collection[UUID], field: TermListField) -> Mapping[UUID, Sequence[Any]]:
    link = table_of(LINK_MODELS[field.name]).c
    return _group_rows_by_article(uuids, link.article_id, link[f"{field.kind}_id"], order=link.position)


def read_working_copies(uuids: Collection[UUID], slugs: dict[str, dict[UUID, str]]) -> Iterator[Item]:
    """Yield the working copies of these articles; deleted terms are left out."""
    columns = (_copy.created, _copy.last_updated, _copy.content, _copy.base_version, _article.version)
    statement = select(_copy.article_id, *columns, _article.last_updated.label("article_last_updated"))
    rows = fetch_rows(statement.join_from(WorkingCopy, Article).where(_copy.article_id.in_(uuids)))
    copies = {row.article_id: row for row in rows}
    for uuid in uuids:
        if (row := copies.get(uuid)) is None:
            continue
        edits = parse_content(row.content)
        yield {
            "article": str(uuid),
            "article_last_updated": format_time(row.article_last_updated),
            "created": format_time(row.created),
            "last_updated": format_time(row.last_updated),
            "is_outdated": row.base_version != row.version,
            **edits.texts,
            "slug": edits.slug,
            "category": edits.category and slugs["category"].get(edits.category),
            **{
                field.name: _list_existing_slugs(slugs[field.kind], getattr(edits, field.name))
                for field in TERM_LIST_FIELDS
            },
            "seo": dict(edits.seo),
            "custom": custom_values.parse_stored_values(edits.custom),
        }


def read_page_fields(row: Any) -> Item:
    """Return the type, the parent and the position of a page, or {} for an article."""
    if row.type == ItemType.ARTICLE:
        return {}
    return {
        "type": row.type,
        "parent": row.parent_id and str(row.parent_id),
        "position": row.position,
    }


def _select_current_paths(paths: Sequence[tuple[str, UUID]], content: str) -> list[tuple[str, UUID]]:
    """Return the paths that the content contains; the other paths occur only in former versions."""
    text = unquote(unescape(content)) if paths else ""
    return [(path, file) for path, file in paths if unquote(path) in text]


def _group_rows_by_article(
    uuids: Collection[UUID],
    key: ColumnElement[UUID],
    *columns: ColumnElement[Any],
    order: ColumnElement[Any] | None = None,
) -> defaultdict[UUID, list[tuple[Any, ...]]]:
    statement = select(key, *columns).where(key.in_(uuids))
    groups = defaultdict[UUID, list[tuple[Any, ...]]](list)
    for uuid, *values in fetch_rows(statement if order is None else statement.order_by(order)):
        groups[uuid].append(tuple(values))
    return groups


def fetch_rows(statement: Select[*tuple[Any, ...]]) -> Sequence[Any]:
    return db.session.connection().execute(statement).all()


def _list_existing_slugs(slugs: Mapping[UUID, str], uuids: Iterable[UUID]) -> list[str]:
    """Return the slugs of these terms, each once; deleted terms are left out."""
    return list(dict.fromkeys(slugs[uuid] for uuid in uuids if uuid in slugs))


def list_former_values(rows: Iterable[tuple[Any, ...]], name: str = "slug") -> list[Item]:
    """Return former slugs or paths as mappings that also have `created`, the time of the replacement."""
    return [{name: value, "created": format_time(created)} for value, created in sorted(rows)]


def make_identity_fields(row: Any) -> Item:
    return {
        "uuid": str(row.uuid),
        "created": format_time(row.created),
        "last_updated": format_time(row.last_updated),
    }


def format_time(time: datetime) -> str:
    """Return an aware UTC time as ISO 8601 text with microseconds, as the API shows it."""
    return time.isoformat(timespec="microseconds")
