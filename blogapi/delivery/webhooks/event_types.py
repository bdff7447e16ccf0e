"""The types of events that webhooks report, and the patterns that select some of these types."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, and_, false, or_

from blogapi.publication.kinds import CONTENT_KINDS, KINDS
from blogapi.publication.models import ChangeType, Event

_EVENT_NAMES = {kind.name: kind.events for kind in KINDS.values()}

# The types of changes of unlisted items. Everyone can read an unlisted item, but no list contains the item
# before or after the change. A receiver such as a search index would list these items, so only build hooks
# and webhooks that name one of these types receive these changes.
UNLISTED_TYPES = tuple(f"{kind}.unlisted" for kind in CONTENT_KINDS)
_LISTED_TYPES = tuple(f"{kind}.{name}" for kind, names in _EVENT_NAMES.items() for name in names.values())
ALL_TYPES_PATTERN = "*"

# Notices are messages about the service itself. The pattern `*` does not select notices,
# because they report no change.
BACKUP_FAILED = "backup.failed"
NOTICE_PATTERNS = ("backup.*", BACKUP_FAILED)
EVENT_PATTERNS = (
    ALL_TYPES_PATTERN,
    *(f"{kind}.*" for kind in _EVENT_NAMES),
    *_LISTED_TYPES,
    *UNLISTED_TYPES,
    *NOTICE_PATTERNS,
)

# The types of messages that do not report a single event: a test, several changes, and a gap in the events.
TEST_TYPE, COMBINED_TYPE, RESET_TYPE = "webhook.test", "blog.changed", "blog.reset"


def get_event_type(event: Event) -> str:
    """Return the type of an event, such as `article.published`."""
    if event.unlisted:
        return f"{event.kind}.unlisted"
    return f"{event.kind}.{_EVENT_NAMES[event.kind][ChangeType(event.change)]}"


def make_event_condition(patterns: Iterable[str]) -> ColumnElement[bool]:
    """Return the SQL condition for events whose type matches one of the patterns."""
    chosen = {*patterns}
    conditions = []
    for kind, names in _EVENT_NAMES.items():
        has_all = chosen & {ALL_TYPES_PATTERN, f"{kind}.*"}
        selected = [change.value for change, name in names.items() if has_all or f"{kind}.{name}" in chosen]
        if selected:
            is_public = Event.public_position.is_not(None)
            conditions.append(and_(is_public, Event.kind == kind, Event.change.in_(selected)))
        if f"{kind}.unlisted" in chosen:
            conditions.append(and_(Event.unlisted, Event.kind == kind))
    return or_(false(), *conditions)


def selects_notice(patterns: Iterable[str], type: str) -> bool:
    """Return whether one of the patterns selects this type of notice."""
    return not {type, f"{type.partition('.')[0]}.*"}.isdisjoint(patterns)
