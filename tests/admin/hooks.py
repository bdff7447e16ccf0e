"""Webhooks with a record of calls, stored without calling anything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from blogapi.delivery.webhooks import queries
from blogapi.delivery.webhooks.models import CallMode, Delivery, Webhook
from blogapi.storage.database import current_time, db, transaction
from tests.admin.blogs import Blog

NETLIFY = "https://api.netlify.com/build_hooks/5f0c"


def add_hook(blog: Blog, name: str, url: str = NETLIFY, calls: Sequence[Any] = (), **columns: Any) -> str:
    """Store a webhook with calls, oldest first, and return its uuid.

    A call is a status, or a dictionary of columns; each is an hour older than the next one.
    """
    with blog.app.app_context(), transaction():
        now = current_time()
        standard = {
            "preset": "netlify",
            "mode": CallMode.COMBINED,
            "events": '["*"]',
            "quiet_seconds": 10,
            "interval_seconds": 60,
            "position": queries.get_event_positions().last,
        }
        webhook = Webhook(uuid=uuid4(), name=name, url=url, **standard | columns)
        db.session.add(webhook)
        db.session.flush()
        for age, call in enumerate(reversed(calls)):
            given = call if isinstance(call, dict) else {"status": call}
            db.session.add(_make_call(webhook.uuid, now - timedelta(hours=age), given))
        return str(webhook.uuid)


def _make_call(webhook: UUID, time: Any, given: dict[str, Any]) -> Delivery:
    succeeded = 200 <= (given.get("status") or 0) < 300
    change = {"type": "article.updated", "kind": "article", "uuid": str(uuid4()), "slug": "fish-soup"}
    columns = {
        "message_id": f"msg_{uuid4().hex}",
        "type": "blog.changed",
        "changes": json.dumps([change | {"url": None, "changed": ["title", "content"], "cursor": "5fa3-p1"}]),
        "count": 1,
        "attempt": 1,
        "succeeded": succeeded,
        "status": None,
        "error": "",
        "milliseconds": 400,
        "answer": "",
    }
    return Delivery(webhook_id=webhook, time=time, message_time=time, **columns | given)


def add_demo_hooks(blog: Blog) -> dict[str, str]:
    """Store webhooks in each state of health, and return their uuids by name."""
    with blog.app.app_context():
        now = current_time()
    silent = {"status": None, "error": "No answer in 10 s.", "milliseconds": 10_000}
    page = "<html><body><h1>Service Unavailable</h1>\nNo server is available.\n</body></html>"
    once = [200] * 8 + [{"status": 503, "answer": page, "message_id": "msg_1"}]
    late = [{"status": 200, "attempt": 2, "message_id": "msg_1"}]
    each = {"preset": "standard", "mode": CallMode.EACH}
    stopped = {"paused": "failures", "paused_at": now, "failing_since": now - timedelta(days=3)}
    return {
        name: add_hook(blog, name, **columns)
        for name, columns in {
            "harbour site": {"calls": once + late + [200] * 10},
            "search index": {
                **each,
                "url": "https://search.harbour.example/hook",
                "events": '["article.*", "tag.*"]',
                "calls": [204] * 17 + [silent | {"attempt": attempt} for attempt in (1, 2, 3)],
                "failing_since": now - timedelta(hours=2),
                "failures": 3,
                "next_attempt": now + timedelta(minutes=15),
            },
            "page cache": {**each, "url": "https://edge.harbour.example/purge", "calls": [204] * 20},
            "newsletter": {
                **each,
                **stopped,
                "url": "https://hooks.post.example/blog",
                "events": '["article.published"]',
                "calls": [200] * 11 + [{"status": 503, "attempt": attempt} for attempt in range(1, 10)],
                "position": 0,
            },
            "old preview": {"preset": "github", "paused": "admin", "interval_seconds": 600},
        }.items()
    }
