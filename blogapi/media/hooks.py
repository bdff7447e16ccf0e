"""Functions that other packages register to be called when files change or are deleted.

The JSON of an article, for example, contains the sizes and texts of the files that it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from blogapi.media.models import MediaPath, MediaUse
from blogapi.storage import transaction_info

Listener = Callable[[Session, Collection[UUID]], None]
Preparation = Callable[[Collection[UUID]], None]

_KEY = "items-of-deleted-media"
# Each listener and its preparation. The keys keep their order, and a second registration changes nothing.
_listeners: dict[Listener, Preparation | None] = {}


def register_listener(listener: Listener, *, prepare: Preparation | None = None) -> None:
    """Call the listener in each transaction that changes or deletes files.

    It gets the session, after the changes were flushed, and the uuids of the files. `find_items` returns the
    items that use them. `prepare` gets the uuids before the transaction, and does the slow work.
    """
    _listeners[listener] = prepare


def prepare(media_ids: Collection[UUID]) -> None:
    """Do the slow work for a change of these files; call this before the transaction."""
    for preparation in _listeners.values():
        if preparation is not None:
            preparation(media_ids)


def notify(session: Session, media_ids: Collection[UUID]) -> None:
    """Call all listeners, in the transaction that has changed or deleted these files."""
    if media_ids:
        for listener in _listeners:
            listener(session, media_ids)


def find_items(session: Session, kind: str, media_ids: Collection[UUID]) -> set[UUID]:
    """Return the items of a kind, such as `article`, that use the files, also in former versions.

    Items that used a file that the current transaction has deleted are included.
    """
    deleted: dict[UUID, set[tuple[str, UUID]]] = transaction_info.get_info(session).get(_KEY, {})
    items = {item for id in media_ids for item in deleted.get(id, ())} | _read_items(session, media_ids)
    return {item_id for item_kind, item_id in items if item_kind == kind}


def remember_items(session: Session, media_ids: Collection[UUID]) -> None:
    """Remember the items that use the files, which this transaction is about to delete, until its end."""
    deleted = transaction_info.get_info(session).setdefault(_KEY, {})
    for id in media_ids:
        deleted[id] = _read_items(session, [id])


def _read_items(session: Session, media_ids: Collection[UUID]) -> set[tuple[str, UUID]]:
    uses = session.execute(
        select(MediaUse.kind, MediaUse.item_id).where(MediaUse.media_id.in_(media_ids)).distinct()
    )
    paths = session.scalars(select(MediaPath.article_id).where(MediaPath.media_id.in_(media_ids)).distinct())
    return {(kind, item_id) for kind, item_id in uses} | {("article", id) for id in paths}
