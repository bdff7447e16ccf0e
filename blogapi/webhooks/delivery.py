"""Finds the calls that are due, makes them in order, and stores their outcomes.

The calls of a webhook are made by one server at a time, which holds a lease on its row until it has stored
their outcomes. It stores them in one transaction with the new position, so that after a crash a call is
repeated with the same id, and no webhook delays another one. `plan` and `store` use the database;
`make_calls` does not, so no call is made during a transaction.
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
from sqlalchemy import select

from blogapi import clock
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, end_read, transaction
from blogapi.webhooks import backoff, event_types, http_call, messages, queries
from blogapi.webhooks.http_call import Answer
from blogapi.webhooks.messages import MAX_CHANGES, Message
from blogapi.webhooks.models import MASK, Delivery, Mode, Pause, Webhook

# The parts of a path and a query, those of a header, and their words.
_SPLITS = [re.compile(separator).split for separator in (r"[/?&=]", r"\s", r"[^\w%-]")]

# The answer to a call that fails in this program.
_FAILED = Answer(None, "The call failed; see the log of the service.")

EVENTS_PER_PASS = 100
KEPT_DELIVERIES = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that was made: its message, its answer, when it began, and the number of the attempt."""

    message: Message
    answer: Answer
    time: datetime
    attempt: int

    @property
    def succeeded(self) -> bool:
        """Whether the receiver has accepted the call."""
        return self.answer.status is not None and 200 <= self.answer.status < 300


@dataclass(slots=True)
class Pass:
    """The calls to make now to one webhook, in order, and the outcomes of those that were made.

    `webhook` belongs to no session. `end` is the position that is reached with the last call.
    """

    webhook: Webhook
    messages: Sequence[Message]
    end: int
    outcomes: list[Outcome] = field(default_factory=list)

    def fail(self) -> None:
        """Count the pass as one failed call, whatever the receiver answered; its calls are repeated."""
        attempt = self.webhook.failures + 1
        self.outcomes = [Outcome(one, _FAILED, clock.now(), attempt) for one in self.messages[:1]]


def plan(server: str, busy: Collection[UUID] = ()) -> list[Pass]:
    """Return the calls that are due and that this server may make, after taking the leases.

    The webhooks in `busy` are left out, because their calls are being made.
    """
    found = [one for one in queries.list_callable(current_time()) if one.uuid not in busy]
    if not found:
        return []
    positions, site = queries.get_positions(), get_site()
    passes = [_plan_webhook(webhook, positions, site) for webhook in found]
    due = [one for one in passes if one is not None]
    leased = _take_leases([one.webhook for one in due], server)
    # Their columns are read without the session, which would open a transaction during a call.
    db.session.expunge_all()
    return [one for one in due if one.webhook.uuid in leased]


def make_calls(one: Pass, *, is_stopping: Callable[[], bool] = lambda: False) -> Pass:
    """Make the calls in order, until one fails or PASS_SECONDS are over, and add their outcomes."""
    attempt, ends_at = one.webhook.failures + 1, time.monotonic() + queries.PASS_SECONDS
    for message in one.messages:
        outcome = _call(one.webhook, message, attempt=attempt)
        one.outcomes.append(outcome)
        if not outcome.succeeded or time.monotonic() > ends_at or is_stopping():
            break
        attempt = 1
    return one


def store(server: str, one: Pass) -> None:
    """Store the outcomes and the new position of a pass, and end the lease."""
    with transaction(visible=False):
        webhook = db.session.get(Webhook, one.webhook.uuid)
        if webhook is None:
            return
        db.session.add_all(_to_row(webhook.uuid, outcome) for outcome in one.outcomes)
        # Another server may have taken over the calls, and an admin may want some of them again.
        if webhook.leased_by == server:
            webhook.leased_until = None
            if webhook.position == one.webhook.position:
                _advance(webhook, one)
        db.session.flush()
        queries.delete_old_deliveries(webhook.uuid, keep=KEPT_DELIVERIES)


def send_now(webhook: Webhook, message: Message) -> Delivery:
    """Make one call at once, whatever waits, and store its outcome; the position does not change."""
    db.session.expunge(webhook)
    # The call must not keep a snapshot of the database, nor a connection.
    end_read()
    delivery = _to_row(webhook.uuid, _call(webhook, message, attempt=1))
    with transaction(visible=False):
        # The webhook can have been deleted meanwhile.
        queries.get_by_uuid(webhook.uuid)
        db.session.add(delivery)
        db.session.flush()
        queries.delete_old_deliveries(webhook.uuid, keep=KEPT_DELIVERIES)
    return delivery


def try_now(webhook: Webhook, message: Message) -> Delivery:
    """Make one call of a webhook that is not stored; neither is its outcome."""
    end_read()
    return _to_row(webhook.uuid, _call(webhook, message, attempt=1))


def make_test_message() -> Message:
    """Return the message of a test call."""
    return Message(f"msg_test_{uuid4().hex}", event_types.TEST, clock.now())


def make_build_message() -> Message:
    """Return the message of a call that no change has caused."""
    return Message(f"msg_build_{uuid4().hex}", event_types.COMBINED, clock.now())


def _plan_webhook(webhook: Webhook, positions: queries.Positions, site: Site) -> Pass | None:
    """Return what to send now of the events up to the last position; None if it is due later."""
    last = positions.last
    if positions.has_gap(webhook):
        # No id shows how many drafts are written.
        public = map(queries.find_last_public, (webhook.position, last))
        id = "_".join(("msg_reset", *(str(event.public_position if event else 0) for event in public)))
        return Pass(webhook, [Message(id, event_types.RESET, clock.now(), position=last)], last)
    if webhook.mode == Mode.COMBINED:
        return _plan_combined(webhook, last, site)
    events = queries.list_waiting(webhook, last, EVENTS_PER_PASS)
    is_all = len(events) < EVENTS_PER_PASS
    end = last if is_all else events[-1].position
    return Pass(webhook, [messages.make_event_message(event, site) for event in events], end)


def _plan_combined(webhook: Webhook, last: int, site: Site) -> Pass | None:
    waiting = queries.count_waiting([webhook], last)[webhook.uuid]
    if waiting.first is None or waiting.last is None:
        return Pass(webhook, [], last)
    next_call = queries.find_next_call(webhook, waiting)
    if next_call is None or current_time() < next_call:
        return None
    newest = queries.get_last_waiting(webhook, last)
    events = queries.list_waiting(webhook, last, MAX_CHANGES)
    return Pass(webhook, [messages.make_combined_message(events, newest, waiting.number, site)], last)


def _take_leases(webhooks: Sequence[Webhook], server: str) -> set[UUID]:
    """Return the webhooks that this server may call: no other one has called them meanwhile."""
    if not webhooks:
        return set()
    now, positions, leased = current_time(), {one.uuid: one.position for one in webhooks}, set()
    with transaction(visible=False):
        for webhook in db.session.scalars(select(Webhook).where(Webhook.uuid.in_(positions))):
            is_free = webhook.active and not queries.is_leased(webhook, now)
            if is_free and webhook.position == positions[webhook.uuid]:
                webhook.leased_by, webhook.leased_until = server, now + queries.LEASE
                leased.add(webhook.uuid)
    return leased


def _call(webhook: Webhook, message: Message, *, attempt: int) -> Outcome:
    # The receiver compares the time with its own clock.
    now = clock.now()
    try:
        request = messages.make_request(webhook, message, now)
        hosts = current_app.config["WEBHOOK_HOSTS"]
        answer = http_call.call(*astuple(request), allowed_hosts=hosts, mask=_make_mask(webhook))
        if answer.location:
            answer = replace(answer, error=f"It redirects to {answer.location}; enter that address.")
    except Exception as error:
        log_failure(error)
        answer = _FAILED
    return Outcome(message, answer, now, attempt)


def log_failure(error: Exception) -> None:
    """Log where an exception was raised, without its message, which can contain the address of a webhook."""
    places = "".join(traceback.format_tb(error.__traceback__))
    current_app.logger.error("the calls of a webhook failed: %s\n%s", type(error).__name__, places)


def _make_mask(webhook: Webhook) -> Callable[[str], str]:
    """Return a function that hides the secrets of the webhook in a text, which a receiver may repeat.

    They are the parts of at least four characters of the address after the host, and of the headers, in each
    encoding.
    """
    parts = urlsplit(webhook.url)
    texts = (parts.path, parts.query, *webhook.own_headers.values())
    forms = {form for text in texts for form in (text, unquote(text), unquote_plus(text))}
    words = {word for form in forms for split in _SPLITS for word in (form, *split(form)) if len(word) > 3}
    secrets = words | {quote_(word, safe="") for word in words for quote_ in (quote, quote_plus)}
    secrets |= {json.dumps(word)[1:-1] for word in words}
    pattern = "|".join(map(re.escape, sorted(secrets, key=len, reverse=True)))
    return partial(re.compile(pattern, re.IGNORECASE).sub, MASK) if secrets else str


def _advance(webhook: Webhook, one: Pass) -> None:
    """Change the webhook after its calls."""
    now = current_time()
    for outcome in one.outcomes:
        if outcome.succeeded:
            webhook.position = outcome.message.position or webhook.position
            webhook.failures, webhook.failing_since, webhook.next_attempt = 0, None, None
            webhook.last_called = now
        else:
            _note_failure(webhook, outcome, now)
    if len(one.outcomes) == len(one.messages) and not webhook.failures:
        webhook.position = one.end


def _note_failure(webhook: Webhook, outcome: Outcome, now: datetime) -> None:
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or outcome.time
    delay = backoff.get_delay(webhook.failures, outcome.answer.retry_after, now)
    if outcome.answer.status == 410:
        _pause(webhook, Pause.GONE, now)
    elif delay is None:
        _pause(webhook, Pause.FAILURES, now)
    else:
        webhook.next_attempt = now + timedelta(seconds=delay)


def _pause(webhook: Webhook, reason: Pause, now: datetime) -> None:
    webhook.paused, webhook.paused_at, webhook.next_attempt = reason, now, None
    current_app.logger.error("the webhook %r is paused after its calls failed", webhook.name)


def _to_row(webhook: UUID, outcome: Outcome) -> Delivery:
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
