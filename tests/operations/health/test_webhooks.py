"""`/health/` and the overview say that calls of webhooks wait, in processes that make calls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from blogapi.delivery.webhooks import queries
from blogapi.storage.database import transaction
from tests.delivery.webhooks.rows import add_webhook

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
WAITS = {"status": "ok", "warnings": ["webhooks_wait"]}


@pytest.fixture
def served(app):
    """Makes the process look like `serve`."""
    app.extensions[queries.SENDER_KEY] = object()
    yield
    del app.extensions[queries.SENDER_KEY]


@pytest.fixture
def get_health(as_stranger):
    """Returns a function that returns the body of a successful response."""

    def get():
        response = as_stranger.get("/health/")
        assert response.status_code == 200
        return response.json

    return get


def list_advice(as_login):
    findings = as_login.post("/api/v1/doctor/").json["findings"]
    return [one["title"] for one in findings if one["check"] == "webhooks"]


def test_a_call_that_waits_for_five_minutes_is_a_warning(
    app, served, get_health, as_login, make_tag, set_clock
):
    set_clock(NOW)
    add_webhook(app)
    assert get_health() == {"status": "ok"}
    make_tag()
    set_clock(NOW + 4.9 * MINUTE)
    assert get_health() == {"status": "ok"}
    assert list_advice(as_login) == []
    set_clock(NOW + 5.1 * MINUTE)
    assert get_health() == WAITS
    assert list_advice(as_login) == ["The calls of “hook” wait"]


@pytest.mark.parametrize(
    "columns",
    [
        {"paused": "admin", "paused_at": NOW},
        {"next_attempt": NOW + 3 * MINUTE, "failures": 1, "failing_since": NOW},
        {"leased_by": "a" * 16, "leased_until": NOW + 7 * MINUTE},
        {"events": '["site.updated"]'},
        {"mode": "combined", "quiet_seconds": 300, "interval_seconds": 300},
    ],
)
def test_a_call_that_may_not_be_made_for_five_minutes_is_no_warning(
    app, served, get_health, make_tag, set_clock, columns
):
    set_clock(NOW)
    webhook = UUID(str(add_webhook(app, **columns)[0]))
    make_tag()
    set_clock(NOW + 6 * MINUTE)
    assert get_health() == {"status": "ok"}
    with app.app_context(), transaction():
        row = queries.get_webhook(webhook)
        row.paused = row.next_attempt = row.leased_until = None
        row.events, row.mode = '["*"]', "each"
    assert get_health() == WAITS


def test_a_process_that_makes_no_calls_does_not_warn(app, get_health, as_login, make_tag, set_clock):
    set_clock(NOW)
    add_webhook(app)
    make_tag()
    set_clock(NOW + 60 * MINUTE)
    assert get_health() == {"status": "ok"}
    assert list_advice(as_login) == []
    app.extensions[queries.SENDER_KEY] = object()
    assert get_health() == WAITS
    del app.extensions[queries.SENDER_KEY]
