"""The feed of changes: the items that changed after a cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Literal
from uuid import UUID

import marshmallow as ma
from marshmallow import validate
from sqlalchemy import select

from blogapi import clock
from blogapi.content.articles.models import Article
from blogapi.publication import event_writer, events
from blogapi.publication.events import Cursor, format_cursor, parse_cursor
from blogapi.publication.kinds import KINDS, KINDS_WITH_PAGES
from blogapi.publication.models import FETCHED_CHANGES, ChangeType, Event
from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db
from blogapi.web.access import allow, current_caller, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import InvalidQuery
from blogapi.web.fields import Fields, Identifier, InputSchema, OmitNullMixin, OutputSchema, StrictInteger

MAX_CHANGES_PER_RESPONSE = 1000
# A client sends this cursor to get only the changes that are made after the request.
NOW_CURSOR = "now"


class ChangeSchema(OmitNullMixin, OutputSchema):
    """An item that changed, and whether to fetch it again or to drop it."""

    omitted_if_null = frozenset({"slug", "url"})

    kind = ma.fields.String(metadata={"enum": sorted(KINDS)})
    uuid = Identifier()
    action = ma.fields.String(metadata={"enum": ["fetch", "drop"]})
    slug = ma.fields.String(
        metadata={
            "description": "The last slug of an item to drop. It is absent if it is unknown.",
            "example": "the-bread-that-waits",
        }
    )
    url = ma.fields.String(
        metadata={
            "description": "The last address of the page of an item to drop. It is absent if it is unknown, "
            "if the site has no `url`, or if the path pattern of articles contains the category.",
            "example": "https://example.org/the-bread-that-waits/",
        }
    )


class ChangeListSchema(OutputSchema):
    """The items that changed after a cursor, oldest change first, each item once."""

    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    cursor = ma.fields.String(
        metadata={"description": "The value of `since` for the next request.", "example": "5fa31c07-p42"}
    )
    more = ma.fields.Boolean(
        metadata={
            "description": "Whether more changes follow. If it is true, send the next request at once, with "
            "the new `cursor`.",
            "example": False,
        }
    )


class ChangesQuery(InputSchema):
    """The query parameters of a request for the feed of changes."""

    since = ma.fields.String(
        validate=validate.Regexp(
            # Without the lookahead, Python's `$` accepts a newline at the end; ECMA-262 has no `\Z`.
            rf"^(0|{NOW_CURSOR}|{events.CURSOR_PATTERN})$(?!\n)",
            error="Not a cursor; send 0 to start again.",
        ),
        load_default="0",
        metadata={
            "description": "The `cursor` of the last response, 0 for all changes, or `now` for an empty list "
            "with a cursor to use after a complete build.",
            "example": "0",
        },
    )
    limit = StrictInteger(
        minimum=1,
        maximum=MAX_CHANGES_PER_RESPONSE,
        from_query=True,
        load_default=MAX_CHANGES_PER_RESPONSE,
        metadata={"description": "Maximum number of changes.", "example": 100},
    )


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

    The oldest change comes first. For NOW_CURSOR, the list is empty and has the cursor of the newest change.

    Raises InvalidQuery if the database does not contain the event of the cursor: the cursor belongs to the
    other feed (public or not), the database was restored from a backup or replaced by another server, or the
    event was deleted because it is old. The client must then start again, or it would miss changes.
    """
    event_writer.write_due_events()
    now = current_time()
    feed_letter, position = ("p", Event.newest_public) if public else ("a", Event.newest)
    if since == NOW_CURSOR:
        return ChangeList([], format_cursor(_get_last_cursor(public=public), feed_letter), more=False)
    cursor = parse_cursor(since, feed_letter)
    if cursor is None or not _is_known_cursor(cursor, public=public):
        raise InvalidQuery(
            "This cursor does not belong to this feed; start again with since=0.",
            code="cursor_unknown",
            errors={"since": ["Not a cursor of this feed."]},
        )
    after_cursor = select(Event).where(position > cursor.position)
    next_events = db.session.scalars(after_cursor.order_by(position).limit(limit + 1)).all()
    ready = list(takewhile(lambda event: not _is_not_public_yet(event, now), next_events[:limit]))
    if ready:
        cursor = Cursor(getattr(ready[-1], position.key), ready[-1].tag)
    # After the clock is set back, an item is hidden again until its time `due`, so its event is left out.
    changes = [
        event
        for event in ready
        if not public or event.change not in FETCHED_CHANGES or not event.due or event.due <= now
    ]
    return ChangeList(
        _to_changed_items(changes, public=public),
        format_cursor(cursor, feed_letter),
        more=len(next_events) > limit and len(ready) == limit,
    )


def _get_last_cursor(*, public: bool) -> Cursor:
    column = Event.public_position if public else Event.position
    last = select(column, Event.tag).where(column.is_not(None)).order_by(column.desc()).limit(1)
    row = db.session.execute(last).one_or_none()
    return Cursor() if row is None else Cursor(row[0] or 0, row.tag)


def _is_known_cursor(cursor: Cursor, *, public: bool) -> bool:
    """Return whether the database contains the event of the cursor.

    Two databases that contain the same event have the same history up to this event. All events of a commit
    have the same tag, so the tag is also found if the event of the cursor was deleted.
    """
    if not cursor.position:
        return True
    column = Event.public_position if public else Event.position
    tag = db.session.scalar(select(Event.tag).where(column >= cursor.position).order_by(column).limit(1))
    return tag == cursor.tag


def _is_not_public_yet(event: Event, now: datetime) -> bool:
    """Return whether the article of the event is not public yet according to the clock of this server.

    Such an event was recorded by a server whose clock is ahead. A client cannot fetch the article yet.
    """
    since = event.readable_from
    is_later = since is not None and now < since <= now + clock.TOLERANCE
    return is_later and event.due is None and event.change in FETCHED_CHANGES


def _to_changed_items(changes: Sequence[Event], *, public: bool) -> list[ChangedItem]:
    items = []
    site: Site | None = None
    for change in changes:
        if change.change in FETCHED_CHANGES if public else change.change != ChangeType.DELETED:
            items.append(ChangedItem(change.kind, change.uuid, "fetch"))
        elif change.slug_before is None:
            items.append(ChangedItem(change.kind, change.uuid, "drop"))
        else:
            site = site or get_site()
            url = _make_former_url(site, change)
            items.append(ChangedItem(change.kind, change.uuid, "drop", change.slug_before, url))
    return items


def _make_former_url(site: Site, change: Event) -> str | None:
    """Return the former address of the page, or None if it is unknown or contained the slug of a category."""
    is_unknown = not change.path_before or not site.url
    if is_unknown or (change.kind == Article.kind and "{category}" in site.article_path):
        return None
    return f"{site.url}{change.path_before}"


bp = Blueprint("changes", __name__, url_prefix="/api/v1/blog/changes", description="The feed of changes")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ChangesQuery, location="query")
@bp.response(200, ChangeListSchema())
@declare_shown_kinds(*KINDS_WITH_PAGES)
def listed(query: Fields) -> ChangeList:
    """List the items that changed after a cursor, and whether to fetch or to drop each of them."""
    return list_changes(query["since"], query["limit"], public=not current_caller().sees_drafts)
