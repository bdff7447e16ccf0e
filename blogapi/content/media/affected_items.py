"""Finds the items that use given files, and rerenders the articles whose files change or are deleted.

The HTML of an article contains, for example, the sizes and texts of the files that it uses.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from blogapi.content.article_hooks import ARTICLE_HOOKS
from blogapi.content.media.models import MediaPath, MediaUse
from blogapi.storage.database import split_values
from blogapi.storage.database_clock import CachedValue

# The items that use the files that the transaction deletes, by the uuid of the file.
_items_by_deleted_file = CachedValue[dict[UUID, set[tuple[str, UUID]]]](lambda session: {})


def prerender_articles(media_ids: Collection[UUID]) -> None:
    """Render the articles that use these files in advance, before the transaction that changes the files."""
    if media_ids:
        ARTICLE_HOOKS.get().prerender_articles_using_files(media_ids)


def rerender_articles(session: Session, media_ids: Collection[UUID]) -> None:
    """Rerender the articles that use these files, in the transaction that changed or deleted the files."""
    if media_ids:
        ARTICLE_HOOKS.get().rerender_articles_using_files(session, media_ids)


def find_items_using_files(session: Session, kind: str, media_ids: Collection[UUID]) -> set[UUID]:
    """Return the items of a kind, such as `article`, that use the files, also in former versions.

    Items that used a file that the current transaction has deleted are included.
    """
    items, deleted = _read_items_using_files(session, media_ids), _items_by_deleted_file.get(session)
    items.update(item for id in media_ids for item in deleted.get(id, ()))
    return {item_id for item_kind, item_id in items if item_kind == kind}


def remember_items_using_files(session: Session, media_ids: Collection[UUID]) -> None:
    """Remember until the end of the transaction which items use the files that the transaction deletes."""
    deleted = _items_by_deleted_file.get(session)
    for id in media_ids:
        deleted[id] = _read_items_using_files(session, [id])


def _read_items_using_files(session: Session, media_ids: Collection[UUID]) -> set[tuple[str, UUID]]:
    items: set[tuple[str, UUID]] = set()
    for batch in split_values(media_ids):
        uses = select(MediaUse.kind, MediaUse.item_id).where(MediaUse.media_id.in_(batch)).distinct()
        items |= {(kind, item_id) for kind, item_id in session.execute(uses)}
        paths = select(MediaPath.article_id).where(MediaPath.media_id.in_(batch)).distinct()
        items |= {("article", id) for id in session.scalars(paths)}
    return items
