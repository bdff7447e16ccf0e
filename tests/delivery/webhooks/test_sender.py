"""The threads of a server that make the calls."""

from __future__ import annotations

import threading
from uuid import UUID

import pytest
from sqlalchemy.exc import OperationalError, TimeoutError

from blogapi.delivery.webhooks import queries, sender
from tests.delivery.webhooks.receiver import receive

WEBHOOKS = "/api/v1/webhooks/"


@pytest.fixture
def send(app):
    """The running sender of the application."""
    end = sender.start_sender(app)
    yield
    end()


def test_changes_are_reported_without_a_request(receiver, make_webhook, make_tag, send):
    make_webhook(events=["tag.created"])
    make_tag("soup")
    receiver.wait_for(1)
    assert receiver.calls[0].json["data"]["slug"] == "soup"


def test_a_slow_receiver_delays_only_its_own_calls(receiver, make_webhook, make_tag, send):
    release = threading.Event()
    with receive() as slow:
        slow.check = lambda call: release.wait(60)
        make_webhook(url=slow.url, events=["tag.created"])
        make_webhook(events=["tag.created"])
        for _ in range(3):
            make_tag()
        receiver.wait_for(3)
        assert len(slow.calls) == 0
        release.set()
        slow.wait_for(3)


def test_the_response_tells_whether_calls_are_made(as_login, make_webhook, app):
    path = f"{WEBHOOKS}{make_webhook()['uuid']}/"
    assert as_login.get(path).json["is_served"] is False
    end = sender.start_sender(app)
    assert as_login.get(path).json["is_served"] is True
    end()
    assert as_login.get(path).json["is_served"] is False


def test_the_next_server_continues_at_once(app, receiver, make_webhook, make_tag):
    make_webhook(events=["tag.created"])
    for count in (1, 2):
        end = sender.start_sender(app)
        make_tag()
        receiver.wait_for(count)
        end()


def test_a_server_that_ends_stores_the_outcome_of_the_call_that_it_makes(
    app, receiver, make_webhook, make_tag
):
    begun, release = threading.Event(), threading.Event()
    receiver.check = lambda call: (begun.set(), release.wait(60))
    webhook = make_webhook(events=["tag.created"])
    make_tag()
    end = sender.start_sender(app)
    assert begun.wait(90)
    # The answer comes while the server waits for the call.
    timer = threading.Timer(0.3, release.set)
    timer.start()
    end()
    timer.join()
    with app.app_context():
        (kept,) = queries.list_deliveries(UUID(webhook["uuid"]), None).rows
        assert kept.status == 204


def test_a_failure_does_not_end_the_thread(app, receiver, make_webhook, make_tag, send, monkeypatch, caplog):
    failed = threading.Event()
    make_calls = sender.delivery.make_calls

    def fail_once(*arguments, **options):
        if not failed.is_set():
            failed.set()
            raise ZeroDivisionError
        return make_calls(*arguments, **options)

    monkeypatch.setattr(sender.delivery, "make_calls", fail_once)
    make_webhook(events=["tag.created"])
    make_tag()
    receiver.wait_for(1)
    assert "the calls of a webhook failed" in caplog.text


def test_a_failure_of_the_database_does_not_end_the_thread(
    app, receiver, make_webhook, make_tag, send, monkeypatch, caplog
):
    plan, errors = (
        sender.delivery.lease_due_calls,
        [OperationalError("", {}, Exception("gone")), ZeroDivisionError()],
    )

    def fail_twice(*arguments):
        if errors:
            raise errors.pop(0)
        return plan(*arguments)

    monkeypatch.setattr(sender.delivery, "lease_due_calls", fail_twice)
    make_webhook(events=["tag.created"])
    make_tag()
    receiver.wait_for(1)
    assert "the webhooks wait for the database" in caplog.text
    assert "the sender of webhooks failed" in caplog.text


def test_a_call_whose_outcome_cannot_be_stored_at_once_is_not_repeated(
    app, receiver, make_webhook, make_tag, monkeypatch, caplog
):
    stored, store = threading.Event(), sender.delivery.store_outcomes
    errors = [OperationalError("", {}, Exception("database is locked")), TimeoutError()]

    def fail_first(server, one):
        if errors:
            raise errors.pop()
        store(server, one)
        stored.set()

    monkeypatch.setattr(sender.delivery, "store_outcomes", fail_first)
    webhook = make_webhook(events=["tag.created"])
    make_tag()
    end = sender.start_sender(app)
    assert stored.wait(90)
    end()
    assert "the webhooks wait for the database" in caplog.text
    assert len(receiver.calls) == 1
    with app.app_context():
        (kept,) = queries.list_deliveries(UUID(webhook["uuid"]), None).rows
        assert (kept.status, queries.get_webhook(UUID(webhook["uuid"])).failures) == (204, 0)
