"""The types of events, as webhooks name them, and the patterns that select some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, and_, or_

from blogapi.publication.kinds import CONTENT_KINDS, KINDS
from blogapi.publication.models import Event, What

_NAMES = {kind.name: kind.events for kind in KINDS.values()}

# Changes of items that everyone can read, but that are listed neither before nor after. Receivers index what
# they are told, so only webhooks that name these types learn of them, and those that only start something.
UNLISTED_TYPES = tuple(f"{kind}.unlisted" for kind in CONTENT_KINDS)
_LISTED_TYPES = tuple(f"{kind}.{name}" for kind, names in _NAMES.items() for name in names.values())
EVENT_TYPES = (*_LISTED_TYPES, *UNLISTED_TYPES)
ALL = "*"
PATTERNS = (ALL, *(f"{kind}.*" for kind in _NAMES), *EVENT_TYPES)

# Messages that are no event: a test, a call for several changes, and a gap in the events.
TEST, COMBINED, RESET = "webhook.test", "blog.changed", "blog.reset"


def get_type(event: Event) -> str:
    """Return the type of an event that `select_events` selects, such as `article.published`."""
    if event.unlisted:
        return f"{event.kind}.unlisted"
    return f"{event.kind}.{_NAMES[event.kind][What(event.what)]}"


def list_types(patterns: Iterable[str]) -> Sequence[str]:
    """Return the event types that one of the patterns selects."""
    chosen = {*patterns}
    listed = [name for name in _LISTED_TYPES if chosen & {ALL, name, f"{name.partition('.')[0]}.*"}]
    return [*listed, *(name for name in UNLISTED_TYPES if name in chosen)]


def select_events(patterns: Iterable[str]) -> ColumnElement[bool]:
    """Return the condition that an event has one of the types that the patterns select."""
    types = {*list_types(patterns)}
    conditions = []
    for kind, names in _NAMES.items():
        selected = [what.value for what, name in names.items() if f"{kind}.{name}" in types]
        if selected:
            is_public = Event.public_position.is_not(None)
            conditions.append(and_(is_public, Event.kind == kind, Event.what.in_(selected)))
        if f"{kind}.unlisted" in types:
            conditions.append(and_(Event.unlisted, Event.kind == kind))
    return or_(*conditions)
