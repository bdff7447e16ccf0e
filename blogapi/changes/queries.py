"""Queries for the feed of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from blogapi.articles.models import Article
from blogapi.changes import epoch_prefix
from blogapi.changes.cursor import Cursor, format_cursor, parse_cursor
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage import change_log
from blogapi.storage.change_log import Change
from blogapi.storage.database import current_time, db
from blogapi.web.errors import InvalidQuery

# The cursor of a client that wants only the changes from now on.
NOW = "now"


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """An item that changed, and whether a client should fetch or drop it.

    `slug` and `url` are those of the page of an item to drop, or None if they are unknown.
    """

    kind: str
    uuid: UUID
    action: Literal["fetch", "drop"]
    slug: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The changes after a cursor, the cursor for the next request, and whether more changes follow."""

    changes: Sequence[ChangedItem]
    cursor: str
    more: bool


def list_changes(since: str, limit: int, *, public: bool) -> ChangeList:
    """Return up to `limit` changes after a cursor; with `public`, only changes of public items.

    With the cursor NOW, there are no changes, and the next cursor is that of a client that has read all
    changes.

    Items that were written come first, oldest change first. Items that became public by schedule follow.
    Raises InvalidQuery if the cursor belongs to the other feed, or if the cursor is newer than the database,
    because the database was restored from a backup or replaced by another server. The client must then start
    again, or it would miss changes.
    """
    letter, column = ("p", Change.public_position) if public else ("a", Change.position)
    now, last = current_time(), change_log.last_position(public=public)
    if since == NOW:
        present = Cursor(last, _get_last_due(now))
        return ChangeList([], epoch_prefix.add_epoch(format_cursor(present, letter)), more=False)
    text = epoch_prefix.remove_epoch(since)
    cursor = None if text is None else parse_cursor(text, letter)
    if cursor is None or cursor.position > last:
        raise _unknown_cursor()
    if cursor.due is not None and cursor.due > now:
        # The clock was set back, and clients may have dropped the items that are no longer due. These items
        # are listed again when they become public again.
        cursor = Cursor(cursor.position, now)
    is_due = _is_due(cursor, now)
    is_written = and_(column > cursor.position, or_(Change.due.is_(None), ~is_due))
    written = _list(is_written, [column], limit + 1)
    due = _list(is_due, [Change.due, Change.uuid], limit + 1 - len(written))
    page = [*written, *due][:limit]
    more = len(written) + len(due) > limit
    position = last if len(written) <= limit else getattr(page[-1], column.key)
    cursor = replace(cursor, position=position)
    if len(page) > len(written):
        cursor = replace(cursor, due=page[-1].due, uuid=page[-1].uuid if more else None)
    return ChangeList(
        _to_items(page, now, public=public),
        epoch_prefix.add_epoch(format_cursor(cursor, letter)),
        more,
    )


def _get_last_due(now: datetime) -> datetime | None:
    """Return the time of the last item that has become public by schedule, or None."""
    # A cursor with the current time could skip an item whose transaction has not been committed yet.
    is_due = and_(~Change.public, Change.due <= now)
    return db.session.scalar(select(Change.due).where(is_due).order_by(Change.due.desc()).limit(1))


def _is_due(cursor: Cursor, now: datetime) -> ColumnElement[bool]:
    """Return the condition for the items after the cursor that have become public by schedule."""
    is_due = and_(~Change.public, Change.due <= now)
    if cursor.due is None:
        return is_due
    after = Change.due > cursor.due
    if cursor.uuid is not None:
        after |= and_(Change.due == cursor.due, Change.uuid > cursor.uuid)
    return and_(is_due, after)


def _list(
    condition: ColumnElement[bool], order: Sequence[InstrumentedAttribute[Any]], limit: int
) -> Sequence[Change]:
    if limit < 1:
        return []
    return db.session.scalars(select(Change).where(condition).order_by(*order).limit(limit)).all()


def _unknown_cursor() -> InvalidQuery:
    return InvalidQuery(
        "This cursor does not belong to this feed; start again with since=0.",
        code="cursor_unknown",
        errors={"since": ["Not a cursor of this feed."]},
    )


def _to_items(changes: Sequence[Change], now: datetime, *, public: bool) -> list[ChangedItem]:
    items = []
    site: Site | None = None
    for change in changes:
        if _exists(change, now, public=public):
            items.append(ChangedItem(change.kind, change.uuid, "fetch"))
        elif change.slug is None:
            items.append(ChangedItem(change.kind, change.uuid, "drop"))
        else:
            site = site or get_site()
            items.append(
                ChangedItem(
                    change.kind, change.uuid, "drop", change.slug, _make_url(site, change, change.slug)
                )
            )
    return items


def _exists(change: Change, now: datetime, *, public: bool) -> bool:
    if not public:
        return not change.gone
    return change.public or (change.due is not None and change.due <= now)


def _make_url(site: Site, change: Change, slug: str) -> str | None:
    """Return the former address of the page; the change log does not have the category of an article."""
    if change.kind != Article.kind:
        return addresses.make_term_url(site, change.kind, uuid=change.uuid, slug=slug)
    if "{category}" in site.article_path:
        return None
    return addresses.make_article_url(
        site, uuid=change.uuid, slug=slug, category_slug="", published_at=change.published_at
    )
