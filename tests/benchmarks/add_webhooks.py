"""Adds webhooks to a blog: `python -m tests.benchmarks.add_webhooks`, with their fields on standard input."""

from __future__ import annotations

import json
import sys

from blogapi import create_app
from blogapi.delivery.webhooks import service
from blogapi.delivery.webhooks.schemas import WebhookBodySchema

if __name__ == "__main__":
    with create_app().app_context():
        for fields in json.load(sys.stdin):
            service.create_webhook(WebhookBodySchema().load(fields))
    print("{}")
