"""Checks that the newest events match the items that readers can see.

Events can be missing, because programs that write to the database directly record no events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from blogapi.content.articles import author_visibility
from blogapi.content.articles.models import Article
from blogapi.content.articles.writing import event_states
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.service import get_term_state
from blogapi.operations.doctor import findings
from blogapi.operations.doctor.findings import Finding, make_ok_finding, make_repairable_finding
from blogapi.publication import event_writer, events
from blogapi.publication.events import EPOCH, ItemAddress, ItemState
from blogapi.publication.kinds import list_models_with_pages
from blogapi.publication.models import FETCHED_CHANGES, ChangeType, Event
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import current_time, db, list_uuid_batches, transaction

_ITEMS_PER_BATCH = 200


def run_checks(*, repair: bool = False) -> Iterator[Finding]:
    """Yield a finding about the events; `repair` records missing events."""
    differing: list[str] = []
    # The events of articles whose scheduled time has come may be missing until the next write.
    event_writer.write_due_events()
    for model in list_models_with_pages():
        for rows in _read_item_batches(model):
            differing += _check_items(model, rows, repair)
        differing += _check_deleted_items(model, repair)
    if differing:
        says = f"{len(differing)} items changed without an event ({findings.join_examples(differing)})."
        yield make_repairable_finding("events", says, repair)
    else:
        yield make_ok_finding("events", "The events describe what readers can see.")


def _read_item_batches(model: Any) -> Iterator[Sequence[Any]]:
    for uuids in list_uuid_batches(model, _ITEMS_PER_BATCH):
        statement = select(model).where(model.uuid.in_(uuids)).order_by(model.uuid)
        yield db.session.scalars(statement).all()
        db.session.expunge_all()
        db.session.rollback()


def _check_items(model: Any, rows: Sequence[Any], repair: bool) -> list[str]:
    differing = _find_differing_items(model, rows)
    if differing and repair:
        with transaction():
            current_items = select(model).where(model.uuid.in_([item.uuid for item in differing]))
            items = db.session.scalars(current_items).all()
            recorded = _read_recorded_states(_list_event_kinds(model), [item.uuid for item in items])
            for item in items:
                kind = item.type if isinstance(item, Article) else item.kind
                events.note_change(kind, item.uuid, recorded.get(item.uuid), _get_item_state(item))
    return [item.slug for item in differing]


def _find_differing_items(model: Any, rows: Sequence[Any]) -> list[Any]:
    now = current_time()
    recorded = _read_recorded_states(_list_event_kinds(model), [item.uuid for item in rows])
    public = (
        author_visibility.find_public_authors([item.uuid for item in rows], now) if model is Author else {}
    )
    differing = []
    for item in rows:
        state = ItemState(EPOCH, public[item.uuid]) if item.uuid in public else _get_item_state(item)
        if item.uuid not in recorded or _differs_from_events(recorded[item.uuid], state, now):
            differing.append(item)
    return differing


def _differs_from_events(recorded: ItemState, state: ItemState, now: datetime) -> bool:
    """Return whether the events differ from the state that readers see."""
    times = [item.readable_from for item in (recorded, state)]
    if any(time is not None and time > now for time in times):
        return times[0] != times[1]
    # No public event shows an unlisted item: the feed of changes contains only listed items.
    was_public, is_public = times[0] is not None, times[1] is not None and state.listed
    return was_public != is_public or (is_public and recorded.address.slug != state.address.slug)


def _list_event_kinds(model: Any) -> Collection[str]:
    """Return the kinds of the events of the model's items; pages are articles of another type."""
    return tuple(ItemType) if model is Article else (model.kind,)


def _get_item_state(item: Any) -> ItemState:
    return event_states.get_article_state(item) if isinstance(item, Article) else get_term_state(item)


def _read_recorded_states(kinds: Collection[str], uuids: Sequence[UUID]) -> Mapping[UUID, ItemState]:
    """Return the states of items according to their newest events; deleted items have none."""
    is_newest = Event.newest.is_not(None) | Event.newest_public.is_not(None)
    statement = select(Event).where(Event.kind.in_(kinds), Event.uuid.in_(uuids), is_newest)
    recorded: dict[UUID, ItemState] = {}
    for event in db.session.scalars(statement.order_by(Event.position)):
        is_public = event.newest_public is not None and event.change in FETCHED_CHANGES
        readable_from = event.due or (EPOCH if is_public else None)
        recorded[event.uuid] = ItemState(readable_from, ItemAddress(event.slug, event.path))
        if event.change == ChangeType.DELETED:
            del recorded[event.uuid]
    return recorded


def _check_deleted_items(model: Any, repair: bool) -> list[str]:
    """Return the slugs of the items that were deleted without an event."""
    exists = select(model.uuid).where(model.uuid == Event.uuid).correlate(Event).exists()
    statement = select(Event).where(
        Event.kind.in_(_list_event_kinds(model)),
        Event.newest.is_not(None),
        Event.change != ChangeType.DELETED,
        ~exists,
    )
    deleted_events = db.session.scalars(statement).all()
    slugs = [event.slug or event.slug_before or str(event.uuid) for event in deleted_events]
    if deleted_events and repair:
        uuids = [event.uuid for event in deleted_events]
        db.session.rollback()
        with transaction():
            for kind in _list_event_kinds(model):
                for uuid, state in _read_recorded_states([kind], uuids).items():
                    events.note_change(kind, uuid, state, None)
    return slugs
