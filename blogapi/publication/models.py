"""The table of the events: one row for each change of an item by a commit."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import Index, String, false
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base


class ChangeType(StrEnum):
    """The type of a change of an item."""

    CREATED = "created"
    PUBLISHED = "published"
    UPDATED = "updated"
    UNPUBLISHED = "unpublished"
    DELETED = "deleted"
    RENDERED = "rendered"


#: After these changes, clients fetch an item again; after other changes, they remove their copy.
FETCHED_CHANGES = (ChangeType.PUBLISHED, ChangeType.UPDATED, ChangeType.RENDERED)


class HasEvents:
    """Mixin for models whose changes are recorded; `kind` is the name of the model in the API."""

    kind: str
    uuid: Mapped[UUID]


class Event(Base):
    """One change of one item by one commit.

    `newest` is equal to `position` while the event is the newest event of its item, and `newest_public` is
    equal to `public_position` while the event is the newest public event; each is None otherwise.
    `superseded` is the time since which both are None. `readable_from` is the time from which readers can see
    the item, and `due` is the same time until the item has become public. `tag` is random, and the same for
    all events of a commit. `slug_before` and `path_before` describe the page before the change, `slug` and
    `path` the page afterwards. `fields` is a JSON array with the names of the changed fields of an update.
    `unlisted` marks a change of an item that is or was readable, but is in no list; only webhooks that name
    the event `article.unlisted` or `page.unlisted` report the change.
    """

    __tablename__ = "event"
    __table_args__ = (Index("ix_event_kind_uuid_position", "kind", "uuid", "position"),)

    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    public_position: Mapped[int | None] = mapped_column(unique=True)
    newest: Mapped[int | None] = mapped_column(unique=True)
    newest_public: Mapped[int | None] = mapped_column(unique=True)
    kind: Mapped[str] = mapped_column(String(16))
    uuid: Mapped[UUID]
    change: Mapped[str] = mapped_column("what", String(16))
    time: Mapped[datetime]
    tag: Mapped[str] = mapped_column(String(8))
    readable_from: Mapped[datetime | None]
    due: Mapped[datetime | None] = mapped_column(index=True)
    listed: Mapped[bool]
    slug_before: Mapped[str | None]
    path_before: Mapped[str | None]
    slug: Mapped[str | None]
    path: Mapped[str | None]
    superseded: Mapped[datetime | None]
    fields: Mapped[str | None]
    unlisted: Mapped[bool] = mapped_column(server_default=false())

    @property
    def is_readable(self) -> bool:
        """Whether everyone could read the item after the change."""
        return self.readable_from is not None and self.readable_from <= self.time

    @property
    def changed_fields(self) -> list[str]:
        """The names of the changed fields; empty if they are unknown."""
        names: list[str] = json.loads(self.fields or "[]")
        return names
