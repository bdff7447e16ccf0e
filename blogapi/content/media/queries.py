"""Queries for the files of the media library."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import marshmallow as ma
from sqlalchemy import (
    ColumnElement,
    Result,
    Select,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)

from blogapi.accounts.users.models import Account
from blogapi.content.media import visible_files
from blogapi.content.media.models import FormerHash, Media, MediaPath, MediaUse
from blogapi.content.media.schemas import MediaSchema
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.site.models import Site
from blogapi.storage.database import Base, db, table_of
from blogapi.web.errors import require_item
from blogapi.web.fields import restrict_schema
from blogapi.web.json import JsonBody, to_json, to_json_bytes
from blogapi.web.pagination import Page, PageRequest, fetch_row_page

# The maximum number of files whose JSON a request keeps in memory at a time.
CHUNK_SIZE = 500

_media, _account = table_of(Media).c, table_of(Account).c
_NOT_FOUND_MESSAGE = "There is no such file; GET /api/v1/blog/media/ lists all files."
_SELECT_FIELDS = select(
    *(_media.uuid, _media.name, _media.alt, _media.caption, _media.type, _media.size, _media.hash),
    _media.decorative,
    *(_media.width, _media.height, _media.is_scalable, _media.created, _media.last_updated),
    *(_media.account_id, _account.username),
).outerjoin_from(table_of(Media), table_of(Account), _account.uuid == _media.account_id)


def find_file_by_upload_hash(upload_hash: str) -> Media | None:
    """Return the file that was stored for an upload with this SHA-256, or None."""
    return db.session.scalars(select(Media).where(Media.upload_hash == upload_hash).limit(1)).first()


def find_file_by_hash(hash: str) -> Media | None:
    """Return the file whose stored bytes have this SHA-256, or None."""
    return db.session.scalars(select(Media).where(Media.hash == hash)).first()


def find_files_by_former_hashes(hashes: Collection[str]) -> Sequence[UUID]:
    """Return the replaced files that had one of these hashes, or a rendition with one of these hashes."""
    return db.session.scalars(select(FormerHash.media_id).where(FormerHash.hash.in_(hashes)).distinct()).all()


def get_media(uuid: UUID) -> Media:
    """Return the file; raises NotFound if there is no such file."""
    return require_item(db.session.get(Media, uuid), _NOT_FOUND_MESSAGE)


def check_file_exists(uuid: UUID) -> None:
    """Raise NotFound if there is no such file."""
    require_item(db.session.scalar(select(_media.uuid).where(_media.uuid == uuid)), _NOT_FOUND_MESSAGE)


def get_file_json(uuid: UUID, names: Sequence[str] | None = None) -> JsonBody:
    """Return the file with these fields (None: all fields); raises NotFound if there is no such file."""
    found = db.session.connection().execute(_SELECT_FIELDS.where(_media.uuid == uuid)).one_or_none()
    row = require_item(found, _NOT_FOUND_MESSAGE)
    return JsonBody(
        to_json_bytes(_get_schema(names).dump(row)), item_state=to_json(_get_schema(None).dump(row))
    )


@dataclass(frozen=True, slots=True)
class MediaFilters:
    """The filters and the order of the list of files; None and an empty text select all files.

    `visible_to` is an author who sees only some of the files; see `visible_files`.
    """

    q: str = ""
    type: str = ""
    alt: str = ""
    unused: bool | None = None
    ordering: str = "-created"
    visible_to: UUID | None = None

    def _make_conditions(self) -> Iterator[ColumnElement[bool]]:
        """Yield the SQL conditions of the filters."""
        if self.q:
            searched = (_media.name, _media.alt, _media.caption)
            yield or_(*(column.icontains(self.q, autoescape=True) for column in searched))
        if self.type:
            yield _media.type == self.type if "/" in self.type else _media.type.startswith(f"{self.type}/")
        if self.alt:
            yield _media.alt == ""
            yield ~_media.decorative
            yield _media.type.startswith("image/")
        if self.visible_to is not None:
            yield visible_files.match_visible_files(self.visible_to)
        if self.unused is not None:
            yield _media.unused_since.is_not(None) if self.unused else _media.unused_since.is_(None)

    @lru_cache(maxsize=64)  # noqa: B019, the instances are small
    def make_select_and_count(self) -> tuple[Select[*tuple[Any, ...]], Select[int]]:
        """Return the statements that select these files and count them."""
        conditions = list(self._make_conditions())
        column, uuid = _media[self.ordering.removeprefix("-")], _media.uuid
        # The ascending list is the exact reverse of the descending list, so that both use the same index.
        order = (column.desc(), uuid) if self.ordering.startswith("-") else (column, uuid.desc())
        count = select(func.count()).select_from(table_of(Media)).where(*conditions)
        return _SELECT_FIELDS.where(*conditions).order_by(*order), count


def list_files_json(
    filters: MediaFilters, page: PageRequest | None, names: Sequence[str] | None = None
) -> Page[JsonBody]:
    """Return a page of the files, or all if `page` is None, with the fields `names` (None: all fields)."""
    selected, count = filters.make_select_and_count()
    limit, offset = (page.size, (page.number - 1) * page.size) if page else (CHUNK_SIZE + 1, 0)
    rows = _execute_statement(selected.limit(limit).offset(offset)).all()
    if page is not None:
        total = _execute_statement(count).scalar() or 0
        return Page(JsonBody(_to_json_array(rows, names)), total, page)
    if len(rows) <= CHUNK_SIZE:
        return Page(JsonBody(_to_json_array(rows, names)), len(rows), None)
    # The list is read twice, for its ETag and for its body, so that it is never completely in memory.
    digest, total = hashlib.sha256(), 0
    for chunk in _read_chunks(selected):
        total += len(chunk)
        digest.update(_to_json_array(chunk, names))
    body = _stream_array(_read_chunks(selected), names)
    return Page(JsonBody(body, state=digest.hexdigest()), total, None)


def _execute_statement(statement: Select[*tuple[Any, ...]], **options: Any) -> Result[Any]:
    # A connection is faster than the session, which would look for ORM entities in every row.
    return db.session.connection().execute(statement, execution_options=options)


def _read_chunks(statement: Select[*tuple[Any, ...]]) -> Iterator[Sequence[Sequence[Any]]]:
    yield from _execute_statement(statement, yield_per=CHUNK_SIZE).partitions(CHUNK_SIZE)


def _stream_array(chunks: Iterator[Sequence[Sequence[Any]]], names: Sequence[str] | None) -> Iterator[bytes]:
    separator = b"["
    for chunk in chunks:
        yield separator + _to_json_array(chunk, names)[1:-1]
        separator = b","
    yield b"]"


def _to_json_array(rows: Sequence[Sequence[Any]], names: Sequence[str] | None) -> bytes:
    return to_json_bytes(_get_schema(names).dump(rows, many=True))


def _get_schema(names: Sequence[str] | None) -> ma.Schema:
    fields = MediaSchema._declared_fields
    return restrict_schema(MediaSchema, tuple(name for name in fields if names is None or name in names))


def list_uses(uuid: UUID, page: PageRequest | None, *, visible_to: UUID | None = None) -> Page[Sequence[Any]]:
    """Return the uses of the file: rows with kind, uuid, title and current, the current uses first.

    With `visible_to`, only the uses that this author may see. A path in an imported article also counts as a
    use, because the article cannot be rendered without the file. Raises NotFound if there is no such file.
    """
    check_file_exists(uuid)
    article = Base.metadata.tables["article"]
    use = _select_uses(uuid).subquery()
    title = case(
        (use.c.kind == "author", Author.name),
        (use.c.kind == "category", Category.name),
        (use.c.kind == "tag", Tag.name),
        (use.c.kind == "site", Site.title),
        else_=article.c.title,
    )
    # The column `type` of an article is the kind of the item: an article or a page.
    kind = case((use.c.kind == "article", func.coalesce(article.c.type, use.c.kind)), else_=use.c.kind)
    is_visible = true() if visible_to is None else visible_files.match_visible_uses(visible_to, use)
    return fetch_row_page(
        select(kind.label("kind"), use.c.item_id.label("uuid"), title.label("title"), use.c.current)
        .select_from(use)
        .outerjoin(article, article.c.uuid == use.c.item_id)
        .outerjoin(Author, Author.uuid == use.c.item_id)
        .outerjoin(Category, Category.uuid == use.c.item_id)
        .outerjoin(Tag, Tag.uuid == use.c.item_id)
        .outerjoin(Site, Site.uuid == use.c.item_id)
        .where(is_visible)
        .order_by(use.c.current.desc(), use.c.kind, use.c.item_id),
        page,
    )


def _select_uses(uuid: UUID) -> Any:
    is_listed = exists().where(
        MediaUse.media_id == uuid, MediaUse.kind == "article", MediaUse.item_id == MediaPath.article_id
    )
    return union_all(
        select(MediaUse.kind, MediaUse.item_id, MediaUse.current).where(MediaUse.media_id == uuid),
        select(literal("article"), MediaPath.article_id, literal(False))
        .where(MediaPath.media_id == uuid, ~is_listed)
        .distinct(),
    )


def list_unused_files(
    before: datetime, limit: int, *, after: tuple[datetime, UUID] | None = None
) -> Sequence[Any]:
    """Return the files that nothing has used since before the time `before`, the longest unused first.

    The rows have the columns uuid, name, unused_since and size. `after` is the time and the uuid of the last
    row of the previous call.
    """
    statement = select(Media.uuid, Media.name, Media.unused_since, Media.size).where(
        Media.unused_since < before,
        ~exists().where(MediaUse.media_id == Media.uuid),
        ~exists().where(MediaPath.media_id == Media.uuid),
    )
    if after is not None:
        since, uuid = after
        statement = statement.where(
            or_(Media.unused_since > since, (Media.unused_since == since) & (Media.uuid > uuid))
        )
    return db.session.execute(statement.order_by(Media.unused_since, Media.uuid).limit(limit)).all()


def list_stored_files(uuids: Collection[UUID]) -> set[tuple[str, str]]:
    """Return the hash and the extension of each stored file that belongs to these rows of `media`.

    The renditions that a former version of blogapi stored are included; their files can be missing.
    """
    is_rendition = (FormerHash.media_id.in_(uuids), FormerHash.width.is_not(None))
    renditions = db.session.scalars(select(FormerHash.hash).where(*is_rendition))
    return _list_hashes_and_extensions(Media.uuid.in_(uuids)) | {(hash, "webp") for hash in renditions}


def find_stored_files(hashes: Collection[str]) -> set[tuple[str, str]]:
    """Return the hash and the extension of each stored file of the library with one of these hashes."""
    return _list_hashes_and_extensions(Media.hash.in_(hashes))


def _list_hashes_and_extensions(condition: ColumnElement[bool]) -> set[tuple[str, str]]:
    rows = db.session.execute(select(Media.hash, Media.name).where(condition))
    return {(hash, name.rpartition(".")[2]) for hash, name in rows}


def sum_file_sizes(min_size: int) -> int:
    """Return the size of all files, in bytes; each counts as at least `min_size`."""
    counted = case((Media.size < min_size, min_size), else_=Media.size)
    return int(db.session.scalar(select(func.coalesce(func.sum(counted), 0))) or 0)
