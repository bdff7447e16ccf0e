"""The threads of a server that make the calls."""

from __future__ import annotations

import logging
import threading
from uuid import UUID

import pytest
from click.testing import CliRunner
from sqlalchemy.exc import OperationalError, TimeoutError

from blogapi.__main__ import main
from blogapi.webhooks import queries, sender
from tests.conftest import close_connections
from tests.webhooks.receiver import receive
from tests.webhooks.rows import add_webhook

WEBHOOKS = "/api/v1/webhooks/"


@pytest.fixture
def send(app):
    """The running sender of the application."""
    end = sender.start(app)
    yield
    end()


def test_changes_are_told_without_a_request(receiver, make_webhook, make_tag, send):
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
    end = sender.start(app)
    assert as_login.get(path).json["is_served"] is True
    end()
    assert as_login.get(path).json["is_served"] is False


def test_the_next_server_continues_at_once(app, receiver, make_webhook, make_tag):
    make_webhook(events=["tag.created"])
    for count in (1, 2):
        end = sender.start(app)
        make_tag()
        receiver.wait_for(count)
        end()


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
    plan, errors = sender.delivery.plan, [OperationalError("", {}, Exception("gone")), ZeroDivisionError()]

    def fail_twice(*arguments):
        if errors:
            raise errors.pop(0)
        return plan(*arguments)

    monkeypatch.setattr(sender.delivery, "plan", fail_twice)
    make_webhook(events=["tag.created"])
    make_tag()
    receiver.wait_for(1)
    assert "the webhooks wait for the database" in caplog.text
    assert "the webhooks failed" in caplog.text


def test_a_call_whose_outcome_cannot_be_stored_at_once_is_not_repeated(
    app, receiver, make_webhook, make_tag, monkeypatch, caplog
):
    stored, store = threading.Event(), sender.delivery.store
    errors = [OperationalError("", {}, Exception("database is locked")), TimeoutError()]

    def fail_first(server, one):
        if errors:
            raise errors.pop()
        store(server, one)
        stored.set()

    monkeypatch.setattr(sender.delivery, "store", fail_first)
    webhook = make_webhook(events=["tag.created"])
    make_tag()
    end = sender.start(app)
    assert stored.wait(90)
    end()
    assert "the webhooks wait for the database" in caplog.text
    assert len(receiver.calls) == 1
    with app.app_context():
        (kept,) = queries.list_deliveries(UUID(webhook["uuid"]), None).rows
        assert (kept.status, queries.get_by_uuid(UUID(webhook["uuid"])).failures) == (204, 0)


@pytest.mark.parametrize(("active", "warnings"), [(True, 1), (False, 0)])
def test_a_process_that_makes_no_calls_says_so(app, make_app, caplog, active, warnings):
    add_webhook(app, **({} if active else {"paused": "admin"}))
    close_connections(app)
    with caplog.at_level(logging.WARNING):
        make_app()
    says = "This process calls none of the 1 active webhooks; `serve` does."
    assert [record.message for record in caplog.records].count(says) == warnings


def test_a_command_says_it_in_the_log_alone(app, caplog):
    add_webhook(app)
    close_connections(app)
    with caplog.at_level(logging.INFO):
        listed = CliRunner().invoke(main, ["key", "list"])
    assert (listed.exit_code, "webhooks;" in listed.output) == (0, False)
    assert "This process calls none of the 1 active webhooks" in caplog.text
