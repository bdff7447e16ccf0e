"""Stores which items use which files; each write of an item updates its uses in the same transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, delete, exists, select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from blogapi.content.media.file_references import (
    ReferencedFile,
    find_files_at,
    find_files_by_path,
    find_mentioned_files,
)
from blogapi.content.media.models import FormerHash, Media, MediaPath, MediaUse
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.service import get_term_state
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication.events import note_change
from blogapi.site.models import Site
from blogapi.site.service import SITE_STATE
from blogapi.storage.database import Base, current_time, split_values, table_of
from blogapi.storage.expressions import make_upsert_statement

ARTICLE = "article"
WORKING_COPY = "working_copy"
DELETED_ITEM = "deleted_item"

_MODELS_WITH_PICTURES: tuple[Any, ...] = (Author, Category, Tag, Site)

_use, _media, _path = table_of(MediaUse), table_of(Media), table_of(MediaPath)
_ITEMS: Any = bindparam("items", expanding=True)
_MEDIA_IDS: Any = bindparam("media_ids", expanding=True)
_SELECT_USES = select(_use.c.media_id, _use.c.item_id, _use.c.current).where(
    _use.c.kind == bindparam("kind"), _use.c.item_id.in_(_ITEMS)
)
_MARK_FORMER = update(_use).where(_use.c.kind == ARTICLE).values(current=False)
_MARK_USE_FORMER = _MARK_FORMER.where(
    _use.c.item_id == bindparam("item"), _use.c.media_id == bindparam("media")
)
_MARK_USES_FORMER = _MARK_FORMER.where(_use.c.item_id.in_(_ITEMS))
_DELETE_USES = (
    delete(_use)
    .where(_use.c.kind == bindparam("kind"), _use.c.item_id.in_(_ITEMS))
    .returning(_use.c.media_id)
)
# Without an explicit value, `onupdate` would change `last_updated`.
_KEEP_LAST_UPDATED = {"last_updated": _media.c.last_updated}
_DELETE_PATHS = delete(_path).where(_path.c.article_id.in_(_ITEMS)).returning(_path.c.media_id)
_MARK_USED = (
    update(_media)
    .where(_media.c.uuid.in_(_MEDIA_IDS), _media.c.unused_since.is_not(None))
    .values(unused_since=None, **_KEEP_LAST_UPDATED)
)
_MARK_UNUSED = (
    update(_media)
    .where(
        _media.c.uuid.in_(_MEDIA_IDS),
        _media.c.unused_since.is_(None),
        ~exists().where(_use.c.media_id == _media.c.uuid),
        ~exists().where(_path.c.media_id == _media.c.uuid),
    )
    .values(unused_since=bindparam("now"), **_KEEP_LAST_UPDATED)
)


def store_article_uses(
    session: Session, used: Mapping[UUID, Mapping[UUID, ReferencedFile]], *, new: Collection[UUID] = ()
) -> None:
    """Store which files the articles use now; `new` are articles that had no current uses before.

    If an article no longer uses a file, the use is marked as the use of a former version.
    """
    connection = session.connection()
    current: set[tuple[UUID, UUID]] = set()
    for items in split_values([item for item in used if item not in new]):
        rows = connection.execute(_SELECT_USES, {"kind": ARTICLE, "items": items})
        current |= {(row.item_id, row.media_id) for row in rows if row.current}
    wanted = {(item, media_id) for item, files in used.items() for media_id in files}
    _add_uses(session, ARTICLE, sorted(wanted - current))
    if ended := sorted(current - wanted):
        connection.execute(_MARK_USE_FORMER, [{"item": item, "media": media_id} for item, media_id in ended])
    mark_files_used(
        session, {file.uuid for files in used.values() for file in files.values() if file.is_unused}
    )


def mark_article_uses_former(session: Session, articles: Collection[UUID]) -> None:
    """Mark the uses of deleted articles as uses by former versions only."""
    for items in split_values(articles):
        session.connection().execute(_MARK_USES_FORMER, {"items": items})


def list_former_uses(session: Session, articles: Collection[UUID]) -> dict[UUID, dict[UUID, tuple[str, ...]]]:
    """Return the files that only former versions of these articles use, by article and by uuid.

    The values are the uuid, the hash and the former hashes of the file: a text that refers to the file
    contains one of these. Files with a row in MediaPath for the article are left out.
    """
    found: dict[UUID, dict[UUID, tuple[str, ...]]] = {}
    for items in split_values(articles):
        statement = (
            select(_use.c.item_id, _use.c.media_id, _media.c.hash)
            .join(_media, _media.c.uuid == _use.c.media_id)
            .where(_use.c.kind == ARTICLE, _use.c.item_id.in_(items), ~_use.c.current)
            .where(~exists().where(_path.c.article_id == _use.c.item_id, _path.c.media_id == _use.c.media_id))
        )
        rows = session.connection().execute(statement).all()
        hashes = defaultdict[UUID, list[str]](list)
        for media_ids in split_values({row.media_id for row in rows}):
            former = table_of(FormerHash).c
            selected = select(former.media_id, former.hash).where(former.media_id.in_(media_ids))
            for media_id, hash in session.connection().execute(selected):
                hashes[media_id].append(hash)
        for article_id, media_id, hash in rows:
            found.setdefault(article_id, {})[media_id] = (str(media_id), hash, *hashes[media_id])
    return found


def delete_former_uses(session: Session, uses: Sequence[tuple[UUID, UUID]]) -> None:
    """Delete the uses (article and file) by former versions that no longer exist."""
    if uses:
        statement = delete(_use).where(
            _use.c.kind == ARTICLE,
            _use.c.item_id == bindparam("item"),
            _use.c.media_id == bindparam("media"),
            ~_use.c.current,
        )
        values = [{"item": item, "media": media_id} for item, media_id in uses]
        session.connection().execute(statement, values)
        mark_files_unused(session, {media_id for _, media_id in uses})


def delete_paths_and_uses(session: Session, articles: Collection[UUID]) -> None:
    """Delete the paths and uses of articles that no longer have a version."""
    for items in split_values(articles):
        paths = session.connection().scalars(_DELETE_PATHS, {"items": items}).all()
        uses = session.connection().scalars(_DELETE_USES, {"kind": ARTICLE, "items": items}).all()
        mark_files_unused(session, {*paths, *uses})


def add_former_uses(session: Session, article_id: UUID, content: str) -> None:
    """Store the uses of files by a version that was added to the former versions of the article."""
    files = find_mentioned_files(content)
    stored = session.connection().execute(_SELECT_USES, {"kind": ARTICLE, "items": [article_id]})
    wanted = files.keys() - {row.media_id for row in stored}
    _add_uses(session, ARTICLE, [(article_id, media_id) for media_id in sorted(wanted)], current=False)
    mark_files_used(session, [file.uuid for file in files.values() if file.is_unused])


def store_working_copy_uses(session: Session, article_id: UUID, content: str) -> None:
    """Store the files that the content of a working copy uses; an empty content uses no files."""
    replace_uses(session, WORKING_COPY, {article_id: find_mentioned_files(content).values()})


def store_deleted_item_uses(session: Session, documents: Mapping[UUID, str]) -> None:
    """Store the files that the documents of deleted items use (an empty document uses none).

    Uses by the working copies of these items are deleted.
    """
    files = {uuid: find_mentioned_files(document).values() for uuid, document in documents.items()}
    replace_uses(session, DELETED_ITEM, files)
    replace_uses(session, WORKING_COPY, dict.fromkeys(documents, ()))


def mark_files_used(session: Session, media_ids: Collection[UUID]) -> None:
    """Reset `unused_since` of these files, because something uses them."""
    for batch in split_values(media_ids):
        session.connection().execute(_MARK_USED, {"media_ids": batch})


def mark_files_unused(session: Session, media_ids: Collection[UUID]) -> None:
    """Set `unused_since` to the current time for each of these files that nothing uses any more."""
    for batch in split_values(media_ids):
        session.connection().execute(_MARK_UNUSED, {"media_ids": batch, "now": current_time()})


def _add_uses(
    session: Session, kind: str, uses: Sequence[tuple[UUID, UUID]], *, current: bool = True
) -> None:
    if not uses:
        return
    # The row can exist already, because a former version used the file.
    statement = make_upsert_statement(session.get_bind().dialect.name, _use, "current")
    rows = [
        {"media_id": media_id, "kind": kind, "item_id": item, "current": current} for item, media_id in uses
    ]
    session.connection().execute(statement, rows)


def replace_uses(session: Session, kind: str, used: Mapping[UUID, Iterable[ReferencedFile]]) -> None:
    """Store which files the items of a kind use now."""
    dropped = set[UUID]()
    for items in split_values(used):
        dropped.update(session.connection().scalars(_DELETE_USES, {"kind": kind, "items": items}))
    uses = {(item, file.uuid) for item, files in used.items() for file in files}
    _add_uses(session, kind, sorted(uses))
    mark_files_used(session, {file.uuid for files in used.values() for file in files if file.is_unused})
    mark_files_unused(session, dropped - {media_id for _, media_id in uses})


def replace_picture_paths(session: Session, media_id: UUID) -> None:
    """Store the new path of a replaced file in the terms and the site that show the file."""
    items = defaultdict[str, list[UUID]](list)
    uses = select(_use.c.kind, _use.c.item_id).where(_use.c.media_id == media_id)
    for kind, item_id in session.connection().execute(uses):
        items[kind].append(item_id)
    rows = [
        row
        for model in _MODELS_WITH_PICTURES
        for batch in split_values(items[model.kind])
        for row in session.scalars(select(model).where(model.uuid.in_(batch)))
    ]
    shown = [(row, name) for row in rows for name in row.picture_fields if getattr(row, name)]
    files = find_files_by_path(getattr(row, name) for row, name in shown)
    for row, name in shown:
        path = getattr(row, name)
        file = files.get(path)
        new_path = file and file.find_new_path(path)
        if new_path:
            setattr(row, name, new_path)
            # Without this call, `onupdate` would change `last_updated`.
            flag_modified(row, "last_updated")
            state = SITE_STATE if isinstance(row, Site) else get_term_state(row)
            note_change(row.kind, row.uuid, state, state)
    session.flush()


def read_article_uses(session: Session, articles: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """Return the files that each of these articles uses now, according to the stored uses."""
    found: dict[UUID, set[UUID]] = {item: set() for item in articles}
    for items in split_values(articles):
        for row in session.connection().execute(_SELECT_USES, {"kind": ARTICLE, "items": items}):
            if row.current:
                found[row.item_id].add(row.media_id)
    return found


def list_items_with_wrong_uses(session: Session) -> list[tuple[str, UUID, Mapping[UUID, ReferencedFile]]]:
    """Return the items other than articles whose stored uses are wrong: kind, uuid and used files.

    A deleted item that still has stored uses is included, with an empty mapping of files.
    """
    differing: list[tuple[str, UUID, Mapping[UUID, ReferencedFile]]] = []
    for kind, items in _list_items_with_files(session):
        stored = defaultdict[UUID, set[UUID]](set)
        statement = select(_use.c.item_id, _use.c.media_id).where(_use.c.kind == kind)
        for item_id, media_id in session.connection().execute(statement):
            stored[item_id].add(media_id)
        for item_id, files in items:
            if files.keys() != stored.pop(item_id, set()):
                differing.append((kind, item_id, files))
        differing += [(kind, item_id, {}) for item_id in stored]
    return differing


def _list_items_with_files(
    session: Session,
) -> Iterator[tuple[str, Iterator[tuple[UUID, Mapping[UUID, ReferencedFile]]]]]:
    for model in _MODELS_WITH_PICTURES:
        pictures = (getattr(model, name) for name in model.picture_fields)
        rows = session.connection().execute(select(model.uuid, *pictures))
        yield model.kind, ((item, find_files_at(path for path in paths if path)) for item, *paths in rows)
    copy, deleted = (Base.metadata.tables[name].c for name in (WORKING_COPY, DELETED_ITEM))
    texts = {WORKING_COPY: (copy.article_id, copy.content), DELETED_ITEM: (deleted.uuid, deleted.document)}
    for kind, columns in texts.items():
        rows = session.connection().execute(select(*columns), execution_options={"yield_per": 10})
        yield kind, ((item, find_mentioned_files(text)) for item, text in rows)


def repair_uses(session: Session, items: Iterable[tuple[str, UUID, Mapping[UUID, ReferencedFile]]]) -> None:
    """Replace the stored uses of these items by the given uses."""
    for kind, item_id, files in items:
        replace_uses(session, kind, {item_id: files.values()})
