"""Finds the calls that are due, makes them in order, and stores their outcomes.

Only one server at a time makes the calls of a webhook: a server stores a lease in the row of the webhook, and
releases the lease when it stores the outcomes of the calls. The outcomes and the new position are stored in
one transaction, so that after a crash the calls are repeated with the same ids. `lease_due_calls` and
`store_outcomes` use the database; `make_calls` does not, so no call is made during a transaction.
"""

from __future__ import annotations

import json
import re
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit
from uuid import UUID, uuid4

from flask import current_app
from sqlalchemy import delete, select

from blogapi import clock
from blogapi.delivery.webhooks import event_types, messages, queries
from blogapi.delivery.webhooks.messages import MAX_CHANGES_PER_CALL, Message
from blogapi.delivery.webhooks.models import MASK, CallMode, Delivery, PauseReason, Webhook
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, end_read, transaction
from blogapi.web import outgoing
from blogapi.web.outgoing import Answer

# Functions that split a secret into parts: a path or a query at its separators, a header at spaces, and any
# text into words.
_SPLITTERS = [re.compile(separator).split for separator in (r"[/?&=]", r"\s", r"[^\w%-]")]

# The answer that is stored for a call that raises an unexpected exception.
_NO_ANSWER = Answer(None, "The call failed; see the log of the service.")

# The maximum number of calls with one event that are planned at a time; further calls are planned later.
MAX_EVENT_CALLS = 100
# The maximum number of stored calls of a webhook; a new call replaces the oldest call.
MAX_STORED_DELIVERIES = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that was made: its message, its answer, its start time, and the number of the attempt."""

    message: Message
    answer: Answer
    time: datetime
    attempt: int

    @property
    def succeeded(self) -> bool:
        """Whether the receiver has accepted the call with a status from 200 to 299."""
        return self.answer.status is not None and 200 <= self.answer.status < 300


@dataclass(slots=True)
class DueCalls:
    """The messages that are due for one webhook, in order, and the outcomes of the calls that were made.

    `webhook` is detached from the session. `end` is the position that the webhook gets after the last call.
    """

    webhook: Webhook
    messages: Sequence[Message]
    end: int
    outcomes: list[Outcome] = field(default_factory=list)

    def replace_outcomes_with_failure(self) -> None:
        """Replace all outcomes with one failed call, so that a server repeats the calls later."""
        attempt = self.webhook.failures + 1
        self.outcomes = [Outcome(message, _NO_ANSWER, clock.now(), attempt) for message in self.messages[:1]]


def lease_due_calls(server: str, busy: Collection[UUID] = ()) -> list[DueCalls]:
    """Take a lease on each webhook that has calls due, and return these calls.

    Webhooks in `busy` are skipped, because this server is making their calls.
    """
    webhooks = [hook for hook in queries.list_callable_webhooks(current_time()) if hook.uuid not in busy]
    if not webhooks:
        return []
    positions, site = queries.get_event_positions(), get_site()
    planned = [_plan_webhook_calls(webhook, positions, site) for webhook in webhooks]
    due = [calls for calls in planned if calls is not None]
    leased = _take_leases([calls.webhook for calls in due], server)
    # Detach the objects: otherwise, reading an attribute could open a transaction during a call.
    db.session.expunge_all()
    return [calls for calls in due if calls.webhook.uuid in leased]


def make_calls(due: DueCalls, *, is_stopping: Callable[[], bool] = lambda: False) -> DueCalls:
    """Make the calls in order until one fails or MAX_CALLS_SECONDS have passed; add the outcomes to `due`."""
    attempt, ends_at = due.webhook.failures + 1, time.monotonic() + queries.MAX_CALLS_SECONDS
    for message in due.messages:
        outcome = _call_webhook(due.webhook, message, attempt=attempt)
        due.outcomes.append(outcome)
        if not outcome.succeeded or time.monotonic() > ends_at or is_stopping():
            break
        attempt = 1
    return due


def store_outcomes(server: str, due: DueCalls) -> None:
    """Store the outcomes and the new position of the webhook, and release the lease."""
    with transaction(visible=False):
        webhook = db.session.get(Webhook, due.webhook.uuid)
        if webhook is None:
            return
        db.session.add_all(_to_delivery(webhook.uuid, outcome) for outcome in due.outcomes)
        # During the calls, another server may have taken the lease, or an admin may have requested a replay.
        if webhook.leased_by == server:
            webhook.leased_until = None
            if webhook.position == due.webhook.position:
                _apply_outcomes(webhook, due)
        db.session.flush()
        _delete_old_deliveries(webhook.uuid)


def store_delivery(delivery: Delivery) -> None:
    """Store the outcome of a call; raises NotFound if the webhook was deleted during the call."""
    with transaction(visible=False):
        queries.get_webhook(delivery.webhook_id)
        db.session.add(delivery)
        db.session.flush()
        _delete_old_deliveries(delivery.webhook_id)


def call_webhook_without_storing(webhook: Webhook, message: Message) -> Delivery:
    """Make one call of a webhook that is not in the session, and return the outcome without storing it."""
    # The call must not occupy a database connection or keep a snapshot open.
    end_read()
    return _to_delivery(webhook.uuid, _call_webhook(webhook, message, attempt=1))


def _plan_webhook_calls(webhook: Webhook, positions: queries.EventPositions, site: Site) -> DueCalls | None:
    """Return the calls for the events up to the last position, or None if the calls are not due yet."""
    last = positions.last
    if positions.has_gap(webhook):
        # The id contains public positions, because other positions reveal how many drafts were written.
        public_events = map(queries.find_last_public_event, (webhook.position, last))
        id = "_".join(("msg_reset", *(str(event.public_position if event else 0) for event in public_events)))
        return DueCalls(webhook, [Message(id, event_types.RESET_TYPE, clock.now(), position=last)], last)
    if webhook.mode == CallMode.COMBINED:
        return _plan_combined_call(webhook, last, site)
    events = queries.list_waiting_events(webhook, last, MAX_EVENT_CALLS)
    has_all = len(events) < MAX_EVENT_CALLS
    end = last if has_all else events[-1].position
    return DueCalls(webhook, [messages.make_event_message(event, site) for event in events], end)


def _plan_combined_call(webhook: Webhook, last: int, site: Site) -> DueCalls | None:
    waiting = queries.count_waiting_events([webhook], last)[webhook.uuid]
    if waiting.first is None or waiting.last is None:
        return DueCalls(webhook, [], last)
    next_call = queries.find_next_call_time(webhook, waiting)
    if next_call is None or current_time() < next_call:
        return None
    newest = queries.get_last_waiting_event(webhook, last)
    events = queries.list_waiting_events(webhook, last, MAX_CHANGES_PER_CALL)
    return DueCalls(webhook, [messages.make_combined_message(events, newest, waiting.number, site)], last)


def _take_leases(webhooks: Sequence[Webhook], server: str) -> set[UUID]:
    """Lease the webhooks that no other server has leased, and return the uuids of the leased webhooks."""
    if not webhooks:
        return set()
    now, positions, leased = current_time(), {webhook.uuid: webhook.position for webhook in webhooks}, set()
    with transaction(visible=False):
        for webhook in db.session.scalars(select(Webhook).where(Webhook.uuid.in_(positions))):
            is_free = webhook.active and not queries.is_leased(webhook, now)
            if is_free and webhook.position == positions[webhook.uuid]:
                webhook.leased_by, webhook.leased_until = server, now + queries.LEASE_DURATION
                leased.add(webhook.uuid)
    return leased


def _call_webhook(webhook: Webhook, message: Message, *, attempt: int) -> Outcome:
    # Use the clock of this computer: the receiver compares the time of the signature with its own clock.
    now = clock.now()
    try:
        request = messages.make_request(webhook, message, now)
        hosts = current_app.config["WEBHOOK_HOSTS"]
        answer = outgoing.call_url(*astuple(request), allowed_hosts=hosts, mask=_make_mask(webhook))
        if answer.location:
            answer = replace(answer, error=f"The address redirects to {answer.location}; enter that address.")
    except Exception as error:
        log_failure(error)
        answer = _NO_ANSWER
    return Outcome(message, answer, now, attempt)


def log_failure(error: Exception) -> None:
    """Log where an exception was raised, without its message, which can contain the address of a webhook."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    current_app.logger.error("the calls of a webhook failed: %s\n%s", type(error).__name__, frames)


def _make_mask(webhook: Webhook) -> Callable[[str], str]:
    """Return a function that hides the webhook's secrets in an answer, because a receiver may repeat them.

    The secrets are the path of the URL, its query, the values of the custom headers, and their parts.
    Each secret of at least four characters is hidden, also in its encoded forms.
    """
    parts = urlsplit(webhook.url)
    texts = (parts.path, parts.query, *webhook.custom_headers.values())
    forms = {form for text in texts for form in (text, unquote(text), unquote_plus(text))}
    words = {word for form in forms for split in _SPLITTERS for word in (form, *split(form)) if len(word) > 3}
    secrets = words | {quote_(word, safe="") for word in words for quote_ in (quote, quote_plus)}
    secrets |= {json.dumps(word)[1:-1] for word in words}
    pattern = "|".join(map(re.escape, sorted(secrets, key=len, reverse=True)))
    return partial(re.compile(pattern, re.IGNORECASE).sub, MASK) if secrets else str


def _delete_old_deliveries(webhook: UUID) -> None:
    """Delete all but the newest calls of a webhook."""
    old = queries.select_deliveries(webhook).with_only_columns(Delivery.uuid).offset(MAX_STORED_DELIVERIES)
    statement = delete(Delivery).where(Delivery.uuid.in_(old))
    db.session.execute(statement, execution_options={"synchronize_session": False})


def _apply_outcomes(webhook: Webhook, due: DueCalls) -> None:
    now = current_time()
    for outcome in due.outcomes:
        if outcome.succeeded:
            webhook.position = outcome.message.position or webhook.position
            webhook.failures, webhook.failing_since, webhook.next_attempt = 0, None, None
            webhook.last_called = now
        else:
            _record_failure(webhook, outcome, now)
    if len(due.outcomes) == len(due.messages) and not webhook.failures:
        webhook.position = due.end


def _record_failure(webhook: Webhook, outcome: Outcome, now: datetime) -> None:
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or outcome.time
    delay = queries.get_retry_delay(webhook.failures, outcome.answer.retry_after, now)
    if outcome.answer.status == 410:
        _pause_webhook(webhook, PauseReason.GONE, now)
    elif delay is None:
        _pause_webhook(webhook, PauseReason.FAILURES, now)
    else:
        webhook.next_attempt = now + timedelta(seconds=delay)


def _pause_webhook(webhook: Webhook, reason: PauseReason, now: datetime) -> None:
    webhook.paused, webhook.paused_at, webhook.next_attempt = reason, now, None
    current_app.logger.error("the webhook %r is paused after its calls failed", webhook.name)


def _to_delivery(webhook: UUID, outcome: Outcome) -> Delivery:
    message, answer = outcome.message, outcome.answer
    return Delivery(
        uuid=uuid4(),
        webhook_id=webhook,
        time=outcome.time,
        message_id=message.id,
        type=message.type,
        message_time=message.time,
        changes=json.dumps([*message.changes]),
        count=message.count,
        attempt=outcome.attempt,
        succeeded=outcome.succeeded,
        status=answer.status,
        error=answer.error,
        milliseconds=round(answer.seconds * 1000),
        answer=answer.text,
    )
