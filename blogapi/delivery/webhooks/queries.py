"""Queries for webhooks, their waiting changes, and the calls that were made."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from uuid import UUID

from flask import current_app
from sqlalchemy import ColumnElement, Select, Uuid, func, literal, or_, select, union_all

from blogapi import clock
from blogapi.delivery.webhooks import event_types
from blogapi.delivery.webhooks.models import CallMode, Delivery, PauseReason, Webhook
from blogapi.publication.models import Event
from blogapi.storage.database import CommitCounter, current_time, db
from blogapi.web import metrics
from blogapi.web.errors import NotFound, require_item
from blogapi.web.fields import WithAttributes
from blogapi.web.outgoing import CALL_TIMEOUT_SECONDS
from blogapi.web.pagination import Page, PageRequest, fetch_page

# The seconds from each failure to the next attempt, as the Standard Webhooks specification recommends: ten
# attempts in about three days.
RETRY_DELAYS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
MAX_RETRY_AFTER_SECONDS = 86_400
# The maximum delay that `get_retry_delay` can return, including its random part.
MAX_RETRY_DELAY = timedelta(seconds=1.1 * max(RETRY_DELAYS[-1], MAX_RETRY_AFTER_SECONDS))


def get_retry_delay(failures: int, retry_after: str, now: datetime) -> float | None:
    """Return the seconds to wait after `failures` failed attempts (1 or more), or None to give up.

    A random part is added, so that calls that failed at the same time are not repeated at the same time.
    `retry_after` is the `Retry-After` header of the answer: seconds, a date, or empty.
    """
    if failures > len(RETRY_DELAYS):
        return None
    delay = RETRY_DELAYS[failures - 1] * random.uniform(1, 1.1)  # noqa: S311 (not for secrets)
    return max(delay, min(_parse_retry_after(retry_after, now), MAX_RETRY_AFTER_SECONDS))


def get_combined_call_time(
    first: datetime, last: datetime, last_called: datetime | None, *, quiet: int, interval: int
) -> datetime:
    """Return the time of the next combined call for changes between the times `first` and `last`.

    The call is made `quiet` seconds after the last change, but at most `interval` seconds after the first
    change (or `quiet`, if that is more), and at least `interval` seconds after the last call.
    """
    due = min(last + timedelta(seconds=quiet), first + timedelta(seconds=max(quiet, interval)))
    return due if last_called is None else max(due, last_called + timedelta(seconds=interval))


def _parse_retry_after(text: str, now: datetime) -> float:
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return (parsedate_to_datetime(text) - now).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return 0.0


# The key in `app.extensions` that exists while this process makes the calls.
SENDER_KEY = "blogapi-webhooks-sender"

MAX_LATEST_CALLS_PER_WEBHOOK = 20

# After this number of seconds, a server makes no further calls to a webhook and stores the outcomes; a call
# that has begun can take CALL_TIMEOUT_SECONDS more.
MAX_CALLS_SECONDS = 10.0
LEASE_DURATION = timedelta(seconds=2 * (MAX_CALLS_SECONDS + 2 * CALL_TIMEOUT_SECONDS))

# If a call has been due for longer than this, the health check and `doctor` report the webhook.
OVERDUE_AFTER = timedelta(minutes=5)


class EventPositions(NamedTuple):
    """The position of the last event, and the positions up to which old events may have been deleted."""

    last: int
    deleted: int
    deleted_unlisted: int

    def has_gap(self, webhook: Webhook) -> bool:
        """Return whether events that the webhook has not received yet may have been deleted."""
        return webhook.position < max(self.deleted, self.deleted_unlisted if webhook.receives_unlisted else 0)


class WaitingEvents(NamedTuple):
    """The number of changes that wait for a call, and the times of the first and the last of them."""

    number: int
    first: datetime | None = None
    last: datetime | None = None


def list_webhooks(page: PageRequest | None) -> Page[Sequence[WithAttributes]]:
    """Return the webhooks with the attributes that `describe_webhooks` adds, sorted by name."""
    webhooks = fetch_page(select(Webhook).order_by(func.lower(Webhook.name), Webhook.uuid), page)
    return Page(describe_webhooks(webhooks.rows), webhooks.total, webhooks.page_request)


def describe_webhooks(webhooks: Sequence[Webhook]) -> list[WithAttributes]:
    """Return the webhooks with the additional attributes of WebhookSchema, such as `waiting`."""
    positions = get_event_positions()
    waiting, calls = count_waiting_events(webhooks, positions.last), list_latest_calls()
    return [
        WithAttributes(
            webhook,
            waiting=waiting[webhook.uuid].number,
            next_call=find_next_call_time(webhook, waiting[webhook.uuid]),
            has_gap=positions.has_gap(webhook),
            latest_calls=calls.get(webhook.uuid, []),
            is_served=SENDER_KEY in current_app.extensions,
        )
        for webhook in webhooks
    ]


def get_described_webhook(uuid: UUID) -> WithAttributes:
    """Return the webhook with the attributes of `describe_webhooks`; raises NotFound if there is none."""
    return describe_webhooks([get_webhook(uuid)])[0]


def get_webhook(uuid: UUID) -> Webhook:
    """Return the webhook with the uuid; raises NotFound if there is none."""
    return require_item(db.session.get(Webhook, uuid), "No webhook has this uuid.")


def count_webhooks() -> int:
    return db.session.scalar(select(func.count()).select_from(Webhook)) or 0


def list_active_webhooks() -> Sequence[Webhook]:
    """Return the webhooks that are not paused."""
    return db.session.scalars(select(Webhook).where(Webhook.paused.is_(None))).all()


def list_callable_webhooks(now: datetime) -> Sequence[Webhook]:
    """Return the active webhooks that have events after their position and can be called now.

    A webhook is not called before the time of its next attempt, or while a server holds its lease.
    """
    last = select(CommitCounter.position).scalar_subquery()
    waiting = select(Webhook).where(Webhook.paused.is_(None), Webhook.position < last)
    return [
        webhook
        for webhook in db.session.scalars(waiting)
        if (clock.discard_time_if_ahead(webhook.next_attempt, now, MAX_RETRY_DELAY) or now) <= now
        and not is_leased(webhook, now)
    ]


def is_leased(webhook: Webhook, now: datetime) -> bool:
    """Return whether a server holds the lease of the webhook."""
    return (clock.discard_time_if_ahead(webhook.leased_until, now, LEASE_DURATION) or now) > now


def list_overdue_webhook_ids() -> list[UUID]:
    """Return the uuids of webhooks with calls overdue by OVERDUE_AFTER; [] if this process makes no calls."""
    if SENDER_KEY not in current_app.extensions:
        return []
    free = list_callable_webhooks(current_time())
    waiting = count_waiting_events(free, get_event_positions().last)
    times = {webhook.uuid: find_next_call_time(webhook, waiting[webhook.uuid]) for webhook in free}
    return [
        uuid for uuid, time in times.items() if time is not None and time <= current_time() - OVERDUE_AFTER
    ]


@metrics.gauge(
    "webhook_lag_seconds", "Time since the next call was due.", "webhook", "name", reads_database=True
)
def _read_webhook_lags() -> metrics.MetricValues:
    # The sender immediately skips events that a webhook does not select, so this statement does not filter
    # the events.
    first = select(Event.time).where(Event.position > Webhook.position).order_by(Event.position).limit(1)
    statement, now = select(Webhook, first.scalar_subquery()).where(Webhook.paused.is_(None)), current_time()
    rows = db.session.execute(statement)
    due = {webhook: _find_due_time(webhook, WaitingEvents(1, time, now)) or now for webhook, time in rows}
    return {(str(hook.uuid), hook.name): max(0, (now - due[hook]).total_seconds()) for hook in due}


@metrics.gauge(
    "webhook_failures", "Failed attempts of the next call.", "webhook", "name", reads_database=True
)
def _read_webhook_failures() -> metrics.MetricValues:
    failing = or_(Webhook.paused.is_(None), Webhook.paused.in_((PauseReason.FAILURES, PauseReason.GONE)))
    webhooks = db.session.scalars(select(Webhook).where(failing))
    return {(str(webhook.uuid), webhook.name): webhook.failures for webhook in webhooks}


def get_event_positions() -> EventPositions:
    """Return the current position of the last event, and the positions of deleted events."""
    deleted = (CommitCounter.deleted_position, CommitCounter.deleted_unlisted)
    return EventPositions(*db.session.execute(select(CommitCounter.position, *deleted)).one())


def find_last_public_event(position: int) -> Event | None:
    """Return the last public event up to a position, or None if there is none."""
    conditions = (Event.position <= position, Event.public_position.is_not(None))
    statement = select(Event).where(*conditions).order_by(Event.position.desc())
    return db.session.scalar(statement.limit(1))


def list_waiting_events(webhook: Webhook, last: int, limit: int) -> Sequence[Event]:
    """Return the first events up to the position `last` that wait for a call of the webhook."""
    statement = select(Event).where(*_make_waiting_conditions(webhook, last)).order_by(Event.position)
    return db.session.scalars(statement.limit(limit)).all()


def get_last_waiting_event(webhook: Webhook, last: int) -> Event:
    """Return the last event up to the position `last` that waits for a call of the webhook."""
    statement = select(Event).where(*_make_waiting_conditions(webhook, last)).order_by(Event.position.desc())
    return db.session.scalars(statement.limit(1)).one()


def count_waiting_events(webhooks: Sequence[Webhook], last: int) -> dict[UUID, WaitingEvents]:
    """Return the number and the times of the events up to `last` that wait for each webhook."""
    counts = [
        select(
            literal(webhook.uuid, Uuid()),
            *(func.count(), func.min(Event.time), func.max(Event.time)),
        ).where(*_make_waiting_conditions(webhook, last))
        for webhook in webhooks
    ]
    if not counts:
        return {}
    rows = db.session.execute(union_all(*counts))
    return {row[0]: WaitingEvents(*row[1:]) for row in rows}


def find_next_call_time(webhook: Webhook, waiting: WaitingEvents) -> datetime | None:
    """Return the time of the next call; None if no changes wait or the webhook is paused."""
    due = _find_due_time(webhook, waiting)
    next_attempt = clock.discard_time_if_ahead(webhook.next_attempt, current_time(), MAX_RETRY_DELAY)
    return due and max(due, next_attempt or due)


def _find_due_time(webhook: Webhook, waiting: WaitingEvents) -> datetime | None:
    """Return the time of the next call (or None) without the delays that follow failed attempts."""
    if not webhook.active or waiting.first is None or waiting.last is None:
        return None
    due, now = waiting.first, current_time()
    if webhook.mode == CallMode.COMBINED:
        due = get_combined_call_time(
            waiting.first,
            waiting.last,
            webhook.last_called,
            quiet=webhook.quiet_seconds,
            interval=webhook.interval_seconds,
        )
    longest = timedelta(seconds=max(webhook.quiet_seconds, webhook.interval_seconds))
    return clock.discard_time_if_ahead(due, now, longest) or now


def find_replay_position(webhook: Webhook, since: datetime) -> int:
    """Return the position before the first event since this time that the webhook can receive."""
    is_public = Event.public_position.is_not(None)
    is_received = or_(is_public, Event.unlisted) if webhook.receives_unlisted else is_public
    position = db.session.scalar(select(func.min(Event.position)).where(Event.time >= since, is_received))
    return get_event_positions().last if position is None else position - 1


def list_deliveries(webhook: UUID, page: PageRequest | None) -> Page[Sequence[Delivery]]:
    """Return the calls of a webhook, newest first."""
    return fetch_page(select_deliveries(webhook), page)


def get_delivery(webhook: UUID, uuid: UUID) -> Delivery:
    """Return a call of a webhook; raises NotFound if there is none."""
    delivery = db.session.get(Delivery, uuid)
    if delivery is None or delivery.webhook_id != webhook:
        raise NotFound("No call of this webhook has this uuid; the last 100 calls are kept.")
    return delivery


def list_latest_calls() -> dict[UUID, list[Delivery]]:
    """Return the newest calls of each webhook, newest first, in one statement."""
    newest_first = (Delivery.time.desc(), Delivery.uuid)
    number = func.row_number().over(partition_by=Delivery.webhook_id, order_by=newest_first)
    numbered = select(Delivery.uuid, number.label("number")).subquery()
    statement = select(Delivery).join(numbered, numbered.c.uuid == Delivery.uuid)
    calls: dict[UUID, list[Delivery]] = {}
    for delivery in db.session.scalars(
        statement.where(numbered.c.number <= MAX_LATEST_CALLS_PER_WEBHOOK).order_by(*newest_first)
    ):
        calls.setdefault(delivery.webhook_id, []).append(delivery)
    return calls


def select_deliveries(webhook: UUID) -> Select[Delivery]:
    return (
        select(Delivery).where(Delivery.webhook_id == webhook).order_by(Delivery.time.desc(), Delivery.uuid)
    )


def _make_waiting_conditions(webhook: Webhook, last: int) -> tuple[ColumnElement[bool], ...]:
    return (
        Event.position > webhook.position,
        Event.position <= last,
        event_types.make_event_condition(webhook.received_patterns),
    )
