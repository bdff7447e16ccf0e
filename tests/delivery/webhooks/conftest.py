"""A receiver, and webhooks that call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from blogapi.delivery.webhooks import delivery, queries
from blogapi.delivery.webhooks.models import Webhook
from tests.delivery.webhooks.receiver import Receiver, receive

WEBHOOKS = "/api/v1/webhooks/"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver, which answers 204."""
    with receive() as running:
        yield running


@pytest.fixture
def make_webhook(app: Flask, as_login: Any, receiver: Receiver) -> Callable[..., dict[str, Any]]:
    """Return a function that creates a webhook that calls the receiver; it returns its uuid and secret."""
    app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)

    def make(**fields: Any) -> dict[str, Any]:
        answer = as_login.post(WEBHOOKS, json={"name": "hook", "url": receiver.url} | fields)
        assert answer.status_code == 201, answer.json
        return answer.json

    return make


@pytest.fixture
def deliver(app: Flask) -> Callable[..., Webhook]:
    """Return a function that makes the calls that are due, as a server does; it returns the webhook."""

    def run(webhook: dict[str, Any], *, server: str = "a" * 16) -> Webhook:
        uuid = UUID(webhook["uuid"])
        with app.app_context():
            passes = [one for one in delivery.plan_calls(server) if one.webhook.uuid == uuid]
            for one in passes:
                delivery.store_outcomes(server, delivery.make_calls(one))
        with app.app_context():
            return queries.get_webhook(uuid)

    return run
