"""Queries for the feed of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Literal
from uuid import UUID

from sqlalchemy import select

from blogapi import clock
from blogapi.content.articles.models import Article
from blogapi.publication import event_writer
from blogapi.publication.cursor import Cursor, format_cursor, parse_cursor
from blogapi.publication.models import FETCHED_CHANGES, ChangeType, Event
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db
from blogapi.web.errors import InvalidQuery

# The cursor of a client that requests only changes after this request.
NOW = "now"


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """An item that changed, and whether a client should fetch or drop it.

    `slug` and `url` belong to the page of an item to drop; they are None if they are unknown.
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

    Oldest changes come first. With the cursor NOW, there are no changes, and the next cursor is the cursor
    after all changes.

    Raises InvalidQuery if the database does not contain the event of the cursor: the cursor belongs to the
    other feed (public or not), the database was restored from a backup or replaced by another server, or the
    event was deleted because it is old. The client must then start again, or it would miss changes.
    """
    event_writer.write_due_events()
    now = current_time()
    letter, position = ("p", Event.newest_public) if public else ("a", Event.newest)
    if since == NOW:
        return ChangeList([], format_cursor(_get_last(public=public), letter), more=False)
    cursor = parse_cursor(since, letter)
    if cursor is None or not _is_known(cursor, public=public):
        raise InvalidQuery(
            "This cursor does not belong to this feed; start again with since=0.",
            code="cursor_unknown",
            errors={"since": ["Not a cursor of this feed."]},
        )
    after_cursor = select(Event).where(position > cursor.position)
    found = db.session.scalars(after_cursor.order_by(position).limit(limit + 1)).all()
    read = list(takewhile(lambda event: not _is_ahead(event, now), found[:limit]))
    if read:
        cursor = Cursor(getattr(read[-1], position.key), read[-1].tag)
    # If the clock was set back, an item is hidden again until `due`.
    changes = [
        event for event in read if event.change not in FETCHED_CHANGES or not event.due or event.due <= now
    ]
    return ChangeList(
        _to_items(changes, public=public),
        format_cursor(cursor, letter),
        more=len(found) > limit and len(read) == limit,
    )


def _get_last(*, public: bool) -> Cursor:
    column = Event.public_position if public else Event.position
    last = select(column, Event.tag).where(column.is_not(None)).order_by(column.desc()).limit(1)
    row = db.session.execute(last).one_or_none()
    return Cursor() if row is None else Cursor(row[0] or 0, row.tag)


def _is_known(cursor: Cursor, *, public: bool) -> bool:
    """Return whether the database contains the event of the cursor.

    Two databases that contain the same event have the same history up to this event. The events of a commit
    have the same tag, so the event itself may have been deleted.
    """
    if not cursor.position:
        return True
    column = Event.public_position if public else Event.position
    tag = db.session.scalar(select(Event.tag).where(column >= cursor.position).order_by(column).limit(1))
    return tag == cursor.tag


def _is_ahead(event: Event, now: datetime) -> bool:
    """Return whether another server has announced an article that is not public yet by this server's clock.

    A client that fetched the article now would not find it.
    """
    since = event.readable_from
    is_later = since is not None and now < since <= now + clock.TOLERANCE
    return is_later and event.due is None and event.change in FETCHED_CHANGES


def _to_items(changes: Sequence[Event], *, public: bool) -> list[ChangedItem]:
    items = []
    site: Site | None = None
    for change in changes:
        if change.change in FETCHED_CHANGES if public else change.change != ChangeType.DELETED:
            items.append(ChangedItem(change.kind, change.uuid, "fetch"))
        elif change.slug_before is None:
            items.append(ChangedItem(change.kind, change.uuid, "drop"))
        else:
            site = site or get_site()
            url = _make_url(site, change)
            items.append(ChangedItem(change.kind, change.uuid, "drop", change.slug_before, url))
    return items


def _make_url(site: Site, change: Event) -> str | None:
    """Return the former address of the page; None if it contained the category of an article."""
    is_unknown = not change.path_before or not site.url
    if is_unknown or (change.kind == Article.kind and "{category}" in site.article_path):
        return None
    return f"{site.url}{change.path_before}"
