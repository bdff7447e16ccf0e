"""Writes the events of items that a transaction has changed, and of scheduled items that become public."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Boolean, bindparam, case, func, insert, null, or_, select, update
from sqlalchemy.exc import DBAPIError, TimeoutError
from sqlalchemy.orm import Session

from blogapi import clock
from blogapi.publication.events import AUTHOR, EPOCH, NO_ADDRESS, ItemAddress, ItemKey, ItemState, NotedChange
from blogapi.publication.models import FETCHED_CHANGES, ChangeType, Event
from blogapi.storage import database_clock
from blogapi.storage.database import (
    CommitCounter,
    UtcDateTime,
    current_time,
    db,
    get_write_transaction,
    split_values,
    table_of,
    transaction,
)
from blogapi.storage.version_check import NewerSchema
from blogapi.web import metrics


class AuthorQueries(Protocol):
    """Finds the authors of articles; an author is public if a public article names them."""

    def find_byline_authors(self, articles: Collection[UUID]) -> set[UUID]:
        """Return the authors of these articles."""

    def find_public_authors(self, authors: Collection[UUID], now: datetime) -> Mapping[UUID, ItemAddress]:
        """Return the addresses of those authors whom a public article names, by the uuid of the author."""


_event, _counter = table_of(Event), table_of(CommitCounter)

# These statements are built once, because building a statement takes longer than executing it.
_READ_COUNTER = select(_counter, select(func.min(_event.c.due)).scalar_subquery().label("min_due"))
_COUNTER_COLUMNS = ("tag", "visible", "position", "public_position", "announced_until")
_UPDATE_COUNTER = update(_counter).values({name: bindparam(f"new_{name}") for name in _COUNTER_COLUMNS})
_NOW = bindparam("now", type_=UtcDateTime())
_IS_PUBLIC = bindparam("is_public", type_=Boolean())
_SUPERSEDE_EVENTS = (
    update(_event)
    .where(_event.c.kind == bindparam("of_kind"), _event.c.uuid == bindparam("of_uuid"))
    .where(_event.c.newest.is_not(None) | _event.c.newest_public.is_not(None))
    .values(
        newest=null(),
        due=null(),
        newest_public=case((_IS_PUBLIC, null()), else_=_event.c.newest_public),
        superseded=case((or_(_IS_PUBLIC, _event.c.newest_public.is_(None)), _NOW), else_=null()),
    )
)
_INSERT_EVENTS = insert(_event)
_SELECT_DUE_EVENTS = select(_event).where(_event.c.due <= _NOW).order_by(_event.c.due, _event.c.uuid)
_RESCHEDULE_EVENTS = (
    update(_event)
    .where(_event.c.newest.is_not(None), _event.c.what.in_(FETCHED_CHANGES), _event.c.readable_from > _NOW)
    .values(due=_event.c.readable_from)
)
_SELECT_PUBLIC_AUTHORS = select(_event.c.uuid, _event.c.slug, _event.c.path).where(
    _event.c.kind == AUTHOR,
    _event.c.uuid.in_(bindparam("uuids", expanding=True)),
    _event.c.newest_public.is_not(None),
    _event.c.what.in_(FETCHED_CHANGES),
)


def write_events(session: Session, authors: AuthorQueries, *, visible: bool) -> None:
    """Write the events of a transaction at its end, and the events of items that have become due.

    The commit counts as visible if `visible` is set or if readers can notice an event.
    """
    changes = get_write_transaction(session).noted_changes
    if visible or changes or session.get_bind().dialect.name != "sqlite":
        _EventWriter(session, authors).write_events(changes, visible=visible)


def write_due_events() -> None:
    """Write the events of items that have become public, unless the write lock is taken.

    If the lock is taken, the process that holds the lock or the next call of this function writes the events.
    """
    now = current_time()
    row = db.session.execute(_READ_COUNTER).one()
    was_set_back = row.announced_until is not None and row.announced_until > now + clock.TOLERANCE
    if not was_set_back and (row.min_due is None or row.min_due > now):
        return
    # Reads must not fail if the disk is read-only or if a newer version has upgraded the database.
    with suppress(DBAPIError, TimeoutError, NewerSchema), transaction(wait=False):
        pass


@metrics.gauge("due_items_lag_seconds", "Time since the first unreported item was due.", reads_database=True)
def _measure_due_items_lag() -> float:
    due = db.session.scalar(select(func.min(Event.due)))
    return 0 if due is None else max(0, (current_time() - due).total_seconds())


class _EventWriter:
    """Writes the events of one transaction, which holds the write lock."""

    def __init__(self, session: Session, authors: AuthorQueries) -> None:
        self._connection, self._tag = session.connection(), secrets.token_hex(4)
        self._now = database_clock.read_database_clock(session)
        self._counter = dict(get_write_transaction(session).counter)
        self._min_due: datetime | None = self._counter["min_due"]
        self._authors = authors
        # Whether readers can notice the commit, at once or when a scheduled item becomes public.
        self._visible = False
        # The authors whom changed articles show now, and the authors whom these articles no longer show.
        self._shown, self._hidden = set[UUID](), set[UUID]()
        # The rows of new events, and the items whose former events the new events supersede.
        self._rows: list[dict[str, Any]] = []
        self._superseded: list[dict[str, Any]] = []

    def write_events(self, changes: Mapping[ItemKey, NotedChange], *, visible: bool) -> None:
        """Write the events, and store the new tag and positions in CommitCounter."""
        announced_until = self._counter["announced_until"]
        is_set_back = announced_until is not None and announced_until > self._now + clock.TOLERANCE
        if is_set_back or (self._min_due is not None and self._min_due <= self._now):
            self._write_due_events(is_set_back=is_set_back)
        self._write_item_events((key, change) for key, change in changes.items() if key[0] != AUTHOR)
        author_changes = {uuid: change for (kind, uuid), change in changes.items() if kind == AUTHOR}
        self._write_author_events(author_changes)
        self._counter["tag"] = self._tag
        if visible or self._visible:
            self._counter["visible"] = self._tag
        self._connection.execute(
            _UPDATE_COUNTER, {f"new_{name}": self._counter[name] for name in _COUNTER_COLUMNS}
        )

    def _write_due_events(self, *, is_set_back: bool) -> None:
        """Write the events of due items; if the clock was set back, first schedule future items again."""
        if is_set_back:
            # Items whose publication time is in the future again are hidden until it has come.
            self._connection.execute(_RESCHEDULE_EVENTS, {"now": self._now})
            self._counter["announced_until"] = None
            self._visible = True
            self._min_due = self._connection.execute(_READ_COUNTER).one().min_due
        if self._min_due is None or self._min_due > self._now:
            return
        due = self._connection.execute(_SELECT_DUE_EVENTS, {"now": self._now}).mappings().all()
        for row in due:
            address = ItemAddress(row["slug"], row["path"])
            self._add_event(
                (row["kind"], row["uuid"]),
                ChangeType.PUBLISHED,
                row["due"],
                after=address,
                is_public=row["listed"],
                unlisted=not row["listed"],
                listed=row["listed"],
                readable_from=row["due"],
            )
        self._store_events()
        self._visible = True
        self._shown |= self._authors.find_byline_authors([row["uuid"] for row in due])

    def _write_item_events(self, changes: Iterable[tuple[ItemKey, NotedChange]]) -> None:
        """Write an event for each changed item that is not an author."""
        for key, (before, after, noted_change, has_earlier_events, fields) in changes:
            was_readable, is_readable = (
                state is not None and state.readable_from is not None and state.readable_from <= self._now
                for state in (before, after)
            )
            was_public = was_readable and before is not None and before.listed
            is_public = is_readable and after is not None and after.listed
            change = _get_change_type(before, after, noted_change, was_public=was_public, is_public=is_public)
            in_lists = was_public or is_public
            self._add_event(
                key,
                change,
                self._now,
                before=NO_ADDRESS if before is None else before.address,
                after=NO_ADDRESS if after is None else after.address,
                is_public=in_lists,
                unlisted=(was_readable or is_readable) and not in_lists and change != ChangeType.RENDERED,
                listed=after is not None and after.listed,
                readable_from=None if after is None else after.readable_from,
                has_earlier_events=has_earlier_events,
                # The changed fields of a draft are not reported.
                fields=fields if was_readable and is_readable else (),
            )
            self._visible |= any(state is not None and state.readable_from for state in (before, after))
            shown_before, shown = (
                state.authors if state is not None and is_shown else frozenset()
                for state, is_shown in ((before, was_public), (after, is_public))
            )
            self._shown |= shown - shown_before
            self._hidden |= shown_before - shown
        self._store_events()

    def _write_author_events(self, changes: Mapping[UUID, NotedChange]) -> None:
        """Write the events of changed authors, and of authors whom changed articles show or hide."""
        uuids = {*changes, *self._shown, *self._hidden}
        if not uuids:
            return
        old_addresses = {
            row.uuid: ItemAddress(row.slug, row.path)
            for batch in split_values(uuids)
            for row in self._connection.execute(_SELECT_PUBLIC_AUTHORS, {"uuids": batch})
        }
        # Authors that stay public need no query; most articles have only such authors.
        uuids -= self._shown & old_addresses.keys() - self._hidden - changes.keys()
        public = self._authors.find_public_authors(uuids, self._now) if uuids else {}
        for uuid in sorted(uuids):
            was_public, is_public = uuid in old_addresses, uuid in public
            if uuid not in changes and was_public == is_public:
                continue
            before, after, noted_change, _, fields = changes.get(
                uuid, NotedChange(ItemState(None), ItemState(None), ChangeType.UPDATED)
            )
            self._add_event(
                (AUTHOR, uuid),
                _get_change_type(before, after, noted_change, was_public=was_public, is_public=is_public),
                self._now,
                before=old_addresses.get(uuid) or (NO_ADDRESS if before is None else before.address),
                after=public.get(uuid) or (NO_ADDRESS if after is None else after.address),
                is_public=was_public or is_public,
                listed=is_public,
                fields=fields,
            )
            self._visible |= was_public or is_public
        self._store_events()

    def _add_event(
        self,
        key: ItemKey,
        change: ChangeType,
        time: datetime,
        *,
        before: ItemAddress = NO_ADDRESS,
        after: ItemAddress = NO_ADDRESS,
        is_public: bool,
        listed: bool,
        unlisted: bool = False,
        readable_from: datetime | None = None,
        has_earlier_events: bool = True,
        fields: Collection[str] = (),
    ) -> None:
        """Add an event with the next position; if `is_public` is set, it also gets a public position."""
        counter, public_position = self._counter, None
        counter["position"] += 1
        if is_public:
            counter["public_position"] += 1
            public_position = counter["public_position"]
        due = readable_from if readable_from is not None and readable_from > self._now else None
        if is_public and readable_from is not None and due is None:
            counter["announced_until"] = max(readable_from, counter["announced_until"] or EPOCH)
        if has_earlier_events:
            superseded = {"of_kind": key[0], "of_uuid": key[1], "now": self._now, "is_public": is_public}
            self._superseded.append(superseded)
        self._rows.append(
            {
                **{"kind": key[0], "uuid": key[1], "what": change, "time": time, "tag": self._tag},
                **{"position": counter["position"], "newest": counter["position"]},
                **{"public_position": public_position, "newest_public": public_position},
                **{"readable_from": readable_from, "due": due, "listed": listed, "unlisted": unlisted},
                "superseded": None,
                **{"slug_before": before.slug, "path_before": before.path},
                **{"slug": after.slug, "path": after.path},
                "fields": json.dumps(sorted(fields))
                if fields and (is_public or unlisted) and change == ChangeType.UPDATED
                else None,
            }
        )

    def _store_events(self) -> None:
        """Insert the added events, and mark the former events of their items as superseded."""
        if self._superseded:
            self._connection.execute(_SUPERSEDE_EVENTS, self._superseded)
        if self._rows:
            self._connection.execute(_INSERT_EVENTS, self._rows)
        self._superseded, self._rows = [], []


def _get_change_type(
    before: ItemState | None,
    after: ItemState | None,
    change: ChangeType,
    *,
    was_public: bool,
    is_public: bool,
) -> ChangeType:
    if after is None:
        return ChangeType.DELETED
    if was_public != is_public:
        return ChangeType.PUBLISHED if is_public else ChangeType.UNPUBLISHED
    return ChangeType.CREATED if before is None else change
