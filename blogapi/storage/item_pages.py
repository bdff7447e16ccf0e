"""The pages of items in the change log: what their addresses on a site are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, bindparam, null, select
from sqlalchemy.orm import Session

from blogapi.storage import transaction_info
from blogapi.storage.database import Base

# The columns of `change` that describe a page.
Page = Mapping[str, Any]
# The kind and the uuid of an item.
Key = tuple[str, UUID]
NO_PAGE: Page = {"slug": None, "published_at": None}

_PAGES_KEY = "pages"


def set_pages(
    session: Session, changes: Sequence[dict[str, Any]], logged: Mapping[Key, Any], now: datetime
) -> None:
    """Set the page (`slug`, `published_at`) of each change, before the rows are flushed.

    The page of an item that this write hides or deletes is read from the database, which still has its former
    state. Until the item is public again, its later changes keep this page, and not the one of a draft.
    """
    pages_before = transaction_info.get_info(session).setdefault(_PAGES_KEY, {})
    hidden, scheduled = set(), set()
    for change in changes:
        key = change["kind"], change["uuid"]
        former = logged.get(key)
        change |= NO_PAGE
        if former is None:
            # Other transactions cannot see the item before the commit.
            pages_before |= {key: NO_PAGE} if change["due"] else {}
            continue
        if not change["public"]:
            change |= {"slug": former.slug, "published_at": former.published_at}
            if change["moves_public"] or (change["gone"] and former.public_position is None):
                hidden.add(key)
        if former.due is not None and former.due > now and key not in pages_before:
            scheduled.add(key)
    pages = _read_pages(session.connection(), hidden | scheduled)
    pages_before.update((key, pages.get(key, NO_PAGE)) for key in scheduled)
    for change in changes:
        key = change["kind"], change["uuid"]
        if key in hidden:
            change |= pages.get(key, NO_PAGE)


def get_page_before(session: Session, kind: str, uuid: UUID) -> Page:
    """Return the page that a scheduled item had before the transaction changed it."""
    pages: Mapping[Key, Page] = transaction_info.get_info(session).get(_PAGES_KEY, {})
    return pages.get((kind, uuid), NO_PAGE)


def _read_pages(connection: Connection, items: Iterable[Key]) -> dict[Key, Page]:
    """Return the pages of the items (kind, uuid) as the database has them; one statement per kind."""
    uuids: dict[str, list[UUID]] = {}
    for kind, uuid in items:
        uuids.setdefault(kind, []).append(uuid)
    pages: dict[Key, Page] = {}
    for kind, some in uuids.items():
        statement = _select_pages(kind)
        if statement is not None:
            for row in connection.execute(statement, {"uuids": some}):
                pages[kind, row.uuid] = {"slug": row.slug, "published_at": row.published_at}
    return pages


@cache
def _select_pages(kind: str) -> Select[*tuple[Any, ...]] | None:
    """Return the statement for a kind, which is also the name of its table; None if it has no pages."""
    columns = Base.metadata.tables[kind].c
    if "slug" not in columns:
        return None
    published_at = columns.published_at if "published_at" in columns else null()
    has_uuid = columns.uuid.in_(bindparam("uuids", expanding=True))
    return select(columns.uuid, columns.slug, published_at.label("published_at")).where(has_uuid)
