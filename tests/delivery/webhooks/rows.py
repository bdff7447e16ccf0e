"""Webhooks with a call, stored without calling anything."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from flask import Flask

from blogapi.delivery.webhooks import queries
from blogapi.delivery.webhooks.models import CallMode, Delivery, Webhook
from blogapi.storage.database import db, transaction

TIME = datetime(2026, 11, 23, 14, 32, 10, tzinfo=UTC)


def add_webhook(app: Flask, **columns: object) -> tuple[UUID, UUID]:
    """Store a webhook with one call, and return their uuids; the address has no server."""
    webhook, delivery = uuid4(), uuid4()
    with app.app_context(), transaction():
        values = {
            "name": "hook",
            "url": "https://192.0.2.1/secret",
            "preset": "standard",
            "mode": CallMode.EACH,
            "events": '["*"]',
            "quiet_seconds": 10,
            "interval_seconds": 60,
            "position": queries.get_event_positions().last,
        }
        db.session.add(Webhook(uuid=webhook, **values | columns))
        db.session.flush()
        db.session.add(
            Delivery(
                uuid=delivery,
                webhook_id=webhook,
                time=TIME,
                message_id="msg_1",
                type="webhook.test",
                message_time=TIME,
                changes="[]",
                count=0,
                attempt=1,
                succeeded=True,
                status=204,
                error="",
                milliseconds=12,
                answer="",
            )
        )
    return webhook, delivery
