"""The metrics of the webhooks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogapi import clock
from tests.contracts.client import outcome
from tests.delivery.webhooks.conftest import WEBHOOKS
from tests.web.metrics.scrape import read_metrics


@pytest.fixture
def read(as_admin):
    """Returns the lag in seconds and the failures of the webhook."""

    def read(webhook):
        metrics = read_metrics(as_admin)
        labels = sorted([webhook["uuid"], "hook"])
        return [metrics.get((f"blogapi_webhook_{name}", *labels)) for name in ("lag_seconds", "failures")]

    return read


@pytest.fixture
def wait(set_clock):
    """Sets the clock to a number of seconds after the start of the test."""
    start = clock.now()
    set_clock(start)
    return lambda seconds: set_clock(start + timedelta(seconds=seconds))


def test_a_receiver_that_is_down_makes_a_webhook_late(make_webhook, make_tag, receiver, deliver, read, wait):
    webhook = make_webhook(events=["tag.created"])
    assert read(webhook) == [0, 0]
    make_tag()
    for _ in range(2):
        receiver.answer(500)
    deliver(webhook)
    # The next attempt is made after more than 5 seconds; the call is late nevertheless.
    wait(3)
    assert read(webhook) == [3, 1]
    wait(60)
    deliver(webhook)
    assert read(webhook) == [60, 2]
    wait(1000)
    deliver(webhook)
    assert read(webhook) == [0, 0]


def test_a_combined_call_is_late_when_it_is_due(make_webhook, make_tag, read, wait):
    webhook = make_webhook(events=["tag.created"], mode="combined", quiet_seconds=30, interval_seconds=60)
    make_tag()
    # More changes could come until the interval ends.
    wait(59)
    assert read(webhook) == [0, 0]
    wait(80)
    assert read(webhook) == [20, 0]


def test_a_webhook_that_is_given_up_keeps_its_failures(
    as_login, make_webhook, make_tag, receiver, deliver, read
):
    webhook = make_webhook(events=["tag.created"])
    make_tag()
    receiver.answer(410)
    assert deliver(webhook).paused == "gone"
    assert read(webhook) == [None, 1]


def test_a_webhook_that_an_admin_pauses_does_not_fail(
    as_login, make_webhook, make_tag, receiver, deliver, read
):
    webhook = make_webhook(events=["tag.created"])
    make_tag()
    receiver.answer(500)
    deliver(webhook)
    assert read(webhook)[1] == 1
    assert outcome(as_login.patch(f"{WEBHOOKS}{webhook['uuid']}/", json={"active": False}))[0] == 200
    assert read(webhook) == [None, None]
