"""Creates, changes and deletes webhooks, and repeats their calls."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from flask import current_app
from sqlalchemy.exc import SQLAlchemyError

from blogapi import clock
from blogapi.delivery.webhooks import delivery, event_types, messages, queries
from blogapi.delivery.webhooks.event_types import NOTICE_PATTERNS, selects_notice
from blogapi.delivery.webhooks.messages import Message
from blogapi.delivery.webhooks.models import STANDARD_PRESET, CallMode, Delivery, PauseReason, Webhook
from blogapi.storage.database import current_time, db, transaction
from blogapi.web.errors import Conflict, Invalid, Problem
from blogapi.web.fields import Fields, WithAttributes

MAX_WEBHOOKS = 20
DEFAULT_QUIET_SECONDS, DEFAULT_INTERVAL_SECONDS = 10, 60

# Limits the calls that admins start (tests, builds, repetitions) to two at a time in each process.
_running_calls = threading.BoundedSemaphore(2)


def create_webhook(fields: Fields) -> WithAttributes:
    """Create a webhook and return it with its `secret`, which is not shown again (None for a build hook).

    The webhook receives all later changes. Raises Conflict if there are too many webhooks.
    """
    with transaction(visible=False):
        if queries.count_webhooks() >= MAX_WEBHOOKS:
            raise Conflict(f"There are {MAX_WEBHOOKS} webhooks already; delete one first.")
        webhook = _make_webhook(fields)
        db.session.add(webhook)
    return _add_secret(webhook)


def _make_webhook(fields: Fields) -> Webhook:
    is_build_hook = fields["preset"] != STANDARD_PRESET
    webhook = Webhook(
        mode=CallMode.COMBINED if is_build_hook else CallMode.EACH,
        quiet_seconds=DEFAULT_QUIET_SECONDS,
        interval_seconds=DEFAULT_INTERVAL_SECONDS,
        position=queries.get_event_positions().last,
        rotation=1,
        headers="{}",
    )
    _set_webhook_fields(webhook, fields)
    return webhook


def change_webhook(uuid: UUID, fields: Fields) -> WithAttributes:
    """Change the given fields of a webhook and return it.

    `active` pauses or resumes the webhook; a resumed webhook receives the changes that wait.
    """
    with transaction(visible=False):
        webhook = queries.get_webhook(uuid)
        _set_webhook_fields(webhook, fields)
    return queries.get_described_webhook(uuid)


def delete_webhook(uuid: UUID) -> None:
    """Delete a webhook and the record of its calls."""
    with transaction(visible=False):
        db.session.delete(queries.get_webhook(uuid))


def rotate_secret(uuid: UUID, *, overlap_seconds: int) -> WithAttributes:
    """Give the webhook a new secret, and return the webhook with its `secret`.

    For `overlap_seconds`, calls are also signed with the previous secret. Raises Conflict for a build hook.
    """
    with transaction(visible=False):
        webhook = queries.get_webhook(uuid)
        if webhook.preset != STANDARD_PRESET:
            raise Conflict("A build hook has no secret, because its calls are not signed.")
        webhook.rotation += 1
        webhook.rotation_ends = current_time() + timedelta(seconds=overlap_seconds)
    return _add_secret(webhook)


def replay_changes(uuid: UUID, since: datetime) -> WithAttributes:
    """Send all changes since a time to the webhook again, in their order, and then the waiting changes."""
    with transaction(visible=False):
        webhook = queries.get_webhook(uuid)
        webhook.position = min(webhook.position, queries.find_replay_position(webhook, since))
        _reset_failures(webhook)
    return queries.get_described_webhook(uuid)


def send_test_call(uuid: UUID) -> Delivery:
    """Make a test call now and return its outcome."""
    return _make_and_store_call(queries.get_webhook(uuid), _make_test_message())


def send_unstored_test_call(fields: Fields) -> Delivery:
    """Make a test call with the fields of a webhook that is not stored, and return its outcome."""
    webhook = _make_webhook(fields)
    webhook.uuid = uuid4()
    with _limit_running_calls():
        return delivery.call_webhook_without_storing(webhook, _make_test_message())


def start_build(uuid: UUID) -> Delivery:
    """Call a build hook now, even if nothing has changed, and return the outcome.

    The calls that report changes are not affected. Raises Conflict if the webhook is not a build hook.
    """
    webhook = queries.get_webhook(uuid)
    if webhook.preset == STANDARD_PRESET:
        raise Conflict("This webhook starts no build; send a test call instead.")
    return _make_and_store_call(
        webhook, Message(f"msg_build_{uuid4().hex}", event_types.COMBINED_TYPE, clock.now())
    )


def send_notice(type: str, data: Mapping[str, Any]) -> list[bool]:
    """Call each active webhook that selects this type of notice.

    Return whether each call succeeded; a failed call is not repeated.
    """
    chosen = [hook for hook in queries.list_active_webhooks() if selects_notice(hook.event_patterns, type)]
    db.session.expunge_all()
    message = Message(f"msg_{uuid4().hex}", type, clock.now(), [dict(data)])
    return [_send_and_store_notice(webhook, message) for webhook in chosen]


def get_delivery_with_request(uuid: UUID, delivery_id: UUID) -> WithAttributes:
    """Return a former call with its request, without secrets."""
    call = queries.get_delivery(uuid, delivery_id)
    sent = messages.describe_request(queries.get_webhook(uuid), messages.rebuild_message(call), call.time)
    return WithAttributes(call, sent=sent)


def repeat_call(uuid: UUID, delivery_id: UUID) -> Delivery:
    """Repeat a former call with the same message id, and return the outcome of the new call."""
    former = queries.get_delivery(uuid, delivery_id)
    return _make_and_store_call(queries.get_webhook(uuid), messages.rebuild_message(former))


def _send_and_store_notice(webhook: Webhook, message: Message) -> bool:
    call = delivery.call_webhook_without_storing(webhook, message)
    succeeded = call.succeeded
    try:
        delivery.store_delivery(call)
    except (SQLAlchemyError, Problem) as error:
        # The notice can be about a full disk, on which the outcome cannot be stored.
        current_app.logger.warning("a call of the webhook %r is not stored: %s", webhook.name, error)
    return succeeded


def _make_test_message() -> Message:
    return Message(f"msg_test_{uuid4().hex}", event_types.TEST_TYPE, clock.now())


def _make_and_store_call(webhook: Webhook, message: Message) -> Delivery:
    db.session.expunge(webhook)
    with _limit_running_calls():
        call = delivery.call_webhook_without_storing(webhook, message)
        delivery.store_delivery(call)
    return call


@contextmanager
def _limit_running_calls() -> Iterator[None]:
    if not _running_calls.acquire(blocking=False):
        raise Conflict("Two calls are being made already; try again in a few seconds.")
    try:
        yield
    finally:
        _running_calls.release()


def _set_webhook_fields(webhook: Webhook, fields: Fields) -> None:
    active = fields.get("active", webhook.active)
    preset, mode = fields.get("preset", webhook.preset), fields.get("mode", webhook.mode)
    if preset != STANDARD_PRESET and mode == CallMode.EACH:
        raise Invalid(
            "A build hook is called once for any number of changes; set `mode` to combined.",
            errors={"mode": ["Must be combined for this preset."]},
        )
    patterns = fields.get("event_patterns", webhook.event_patterns if webhook.events else ())
    if preset != STANDARD_PRESET and not {*NOTICE_PATTERNS}.isdisjoint(patterns):
        raise Invalid(
            "Only a webhook with the preset `standard` can receive messages about backups.",
            errors={"events": ["Must have no backup events for this preset."]},
        )
    for name, value in fields.items():
        if name != "active":
            setattr(webhook, name, value)
    if "url" in fields or "custom_headers" in fields:
        # Calls to the new address or with the new headers may succeed, so do not wait for the next attempt.
        webhook.next_attempt = None
    if active and not webhook.active:
        webhook.paused = webhook.paused_at = None
        _reset_failures(webhook)
    elif not active and webhook.active:
        webhook.paused, webhook.paused_at = PauseReason.ADMIN, current_time()


def _reset_failures(webhook: Webhook) -> None:
    webhook.failures, webhook.failing_since, webhook.next_attempt = 0, None, None


def _add_secret(webhook: Webhook) -> WithAttributes:
    is_signed = webhook.preset == STANDARD_PRESET
    return WithAttributes(
        webhook, secret=messages.make_secret(webhook.uuid, webhook.rotation) if is_signed else None
    )
