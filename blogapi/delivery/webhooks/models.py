"""The tables of webhooks and of the calls that were made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, bindparam, update
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.delivery.webhooks.event_types import UNLISTED_TYPES
from blogapi.storage.database import Base, Identified, UtcDateTime, current_time

MASK = "•••"

# The preset of webhooks that send the changes in signed calls; webhooks with other presets start builds.
STANDARD_PRESET = "standard"


class CallMode(StrEnum):
    """When a webhook is called: once for each change, or once for any number of changes."""

    EACH = "each"
    COMBINED = "combined"


class PauseReason(StrEnum):
    """Why a webhook is paused: by an admin, after too many failures, after a 410, or in a copied blog."""

    ADMIN = "admin"
    FAILURES = "failures"
    GONE = "gone"
    COPIED = "copied"


class Webhook(Identified, Base):
    """A webhook, and the state of its calls.

    `events` is a JSON array of event types or patterns, and `headers` a JSON object. `position` is the
    position of the last event that was delivered or skipped. `rotation` is the number of the current secret;
    until `rotation_ends`, calls are also signed with the previous secret. `failures` is the number of failed
    attempts to deliver the next event, `failing_since` the time of the first one, and `next_attempt` the time
    of the next attempt. Until `leased_until` (None: no lease), only the server `leased_by` makes calls.
    `last_called` is the time of the last successful call.
    """

    __tablename__ = "webhook"
    __table_args__ = (
        CheckConstraint("mode IN ('each', 'combined')", name="mode"),
        CheckConstraint("paused IN ('admin', 'failures', 'gone', 'copied')", name="paused"),
    )

    name: Mapped[str]
    url: Mapped[str]
    preset: Mapped[str] = mapped_column(String(16))
    mode: Mapped[str] = mapped_column(String(16))
    events: Mapped[str] = mapped_column(Text)
    headers: Mapped[str] = mapped_column(Text, default="{}")
    quiet_seconds: Mapped[int]
    interval_seconds: Mapped[int]
    rotation: Mapped[int] = mapped_column(default=1)
    rotation_ends: Mapped[datetime | None]
    paused: Mapped[str | None] = mapped_column(String(16))
    paused_at: Mapped[datetime | None]
    position: Mapped[int]
    failures: Mapped[int] = mapped_column(default=0)
    failing_since: Mapped[datetime | None]
    next_attempt: Mapped[datetime | None]
    last_called: Mapped[datetime | None]
    leased_by: Mapped[str | None] = mapped_column(String(16))
    leased_until: Mapped[datetime | None]
    created: Mapped[datetime] = mapped_column(default=current_time)

    @property
    def event_patterns(self) -> Sequence[str]:
        """The event types or patterns, such as `article.*`."""
        patterns: list[str] = json.loads(self.events)
        return patterns

    @event_patterns.setter
    def event_patterns(self, patterns: Sequence[str]) -> None:
        self.events = json.dumps([*patterns])

    @property
    def received_patterns(self) -> Sequence[str]:
        """The event types or patterns that the webhook receives.

        Build hooks also receive changes of unlisted items, because a built site contains these items.
        """
        return [*self.event_patterns, *(UNLISTED_TYPES if self.preset != STANDARD_PRESET else ())]

    @property
    def receives_unlisted(self) -> bool:
        """Whether the webhook receives changes of unlisted items."""
        return not {*self.received_patterns}.isdisjoint(UNLISTED_TYPES)

    @property
    def custom_headers(self) -> dict[str, str]:
        """The additional headers that an admin has set."""
        headers: dict[str, str] = json.loads(self.headers)
        return headers

    @custom_headers.setter
    def custom_headers(self, headers: dict[str, str]) -> None:
        self.headers = json.dumps(headers)

    @property
    def header_names(self) -> list[str]:
        """The names of the additional headers; their values can be secret and are not shown."""
        return sorted(self.custom_headers)

    @property
    def masked_url(self) -> str:
        """The address without its path and its query, because both can be secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}/{MASK}"

    @property
    def active(self) -> bool:
        return self.paused is None


# Pauses all active webhooks of a copied database, so that the copy does not call the original's receivers.
PAUSE_COPIED_WEBHOOKS = (
    update(Webhook)
    .where(Webhook.paused.is_(None))
    .values(paused=PauseReason.COPIED, paused_at=bindparam("now", type_=UtcDateTime()), next_attempt=None)
)


class Delivery(Identified, Base):
    """One call of a webhook and its outcome.

    A call and its repetitions have the same `message_id`. `type` is the type of the message, and
    `message_time` its time. `changes` is a JSON array of the changes in the call, and `count` is the number
    of all changes, which can be larger. `status` is the HTTP status of the answer; if there was no answer, it
    is None and `error` is a sentence with the reason. `answer` is the beginning of the answer's body.
    """

    __tablename__ = "webhook_delivery"
    __table_args__ = (Index("ix_webhook_delivery_webhook_id_time", "webhook_id", "time"),)

    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhook.uuid", ondelete="CASCADE"))
    time: Mapped[datetime]
    message_id: Mapped[str]
    type: Mapped[str] = mapped_column(String(32))
    message_time: Mapped[datetime]
    changes: Mapped[str] = mapped_column(Text)
    count: Mapped[int]
    attempt: Mapped[int]
    succeeded: Mapped[bool]
    status: Mapped[int | None]
    error: Mapped[str]
    milliseconds: Mapped[int]
    answer: Mapped[str] = mapped_column(Text)

    @property
    def reason(self) -> str:
        """The standard phrase of the status, such as `Not Found`; empty for an unknown status."""
        phrases = {status.value: status.phrase for status in HTTPStatus}
        return phrases.get(self.status or 0, "")

    @property
    def content(self) -> list[dict[str, Any]]:
        """The changes in the call, at most 100, or the data of a notice."""
        content: list[dict[str, Any]] = json.loads(self.changes)
        return content

    @property
    def change_list(self) -> list[dict[str, Any]]:
        """The changes in the call, at most 100; a notice has none."""
        return self.content if self.count else []
