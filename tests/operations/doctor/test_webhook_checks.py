"""Webhooks that are paused or fail, in `doctor` and on the overview."""

from __future__ import annotations

import json

import pytest

from tests.delivery.webhooks.rows import TIME, add_webhook

pytestmark = pytest.mark.no_database


def find(app, name):
    result = app.test_cli_runner().invoke(args=["doctor", "--json"])
    return [found for found in json.loads(result.output)["findings"] if found["check"] == name]


@pytest.mark.parametrize(
    ("columns", "level", "says"),
    [
        (
            {"paused": "failures", "paused_at": TIME},
            "wrong",
            "“hook” is paused. No answer for 3 days. 1 change waits",
        ),
        (
            {"paused": "gone", "paused_at": TIME},
            "wrong",
            "“hook” is paused. The receiver answered 410: it is gone",
        ),
        ({"paused": "copied", "paused_at": TIME}, "hint", "“hook” is paused. This blog is a copy."),
        (
            {"failures": 2, "failing_since": TIME},
            "hint",
            "The calls of “hook” fail. The webhook is called again",
        ),
        ({"paused": "admin", "paused_at": TIME}, "ok", "All webhooks are called."),
        ({}, "ok", "All webhooks are called."),
    ],
)
def test_the_state_of_a_webhook_is_reported(app, as_login, make_tag, columns, level, says):
    add_webhook(app, **columns)
    make_tag()
    (found,) = find(app, "webhooks")
    assert (found["level"], found["says"][: len(says)]) == (level, says)
    advice = [one for one in as_login.post("/api/v1/doctor/").json["findings"] if one["check"] == "webhooks"]
    assert [one["level"] for one in advice] == ([] if level == "ok" else [level])
