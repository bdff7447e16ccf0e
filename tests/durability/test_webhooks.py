"""Every public change is told at least once and in order, by servers that are killed."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from contextlib import suppress
from http.client import HTTPException
from uuid import uuid4

import pytest
from sqlalchemy import select
from standardwebhooks.webhooks import Webhook as Verifier

from blogapi.delivery.webhooks import queries
from blogapi.publication.models import ChangeType, Event
from blogapi.storage.database import db
from tests.conftest import ARTICLES, TAGS
from tests.delivery.webhooks.receiver import Call, Receiver, receive
from tests.durability.conftest import get_repetitions

pytestmark = pytest.mark.slow

CHANGES = get_repetitions("CHANGES", 90)
KILLS = 2
INTERVAL = 2
WEBHOOKS = "/api/v1/webhooks/"

# A server whose leases end soon after it was killed.
SERVER = [
    sys.executable,
    "-c",
    "import os; from datetime import timedelta; from blogapi.delivery.webhooks import queries\n"
    "queries.LEASE = timedelta(seconds=5)\n"
    "os.environ |= {'BLOGAPI_WEBHOOK_HOSTS': '127.0.0.1', 'BLOGAPI_SECRET_KEY': 'x' * 32}\n"
    "from blogapi.__main__ import run_command_line as run; import sys; sys.argv[1:1] = ['serve']; run()",
]


def write(get_client, at_least: int, seed: int, stop: threading.Event) -> None:
    """Write articles, tags, and drafts that no reader sees: `at_least` times, and until `stop` is set."""
    for number in itertools.count():
        if number >= at_least and stop.is_set():
            return
        uuid, name = uuid4(), f"{seed}-{number}"
        steps = [
            ("PUT", f"{ARTICLES}{uuid}/", {"title": f"T{name}", "content": "x", "status": "published"}),
            ("PATCH", f"{ARTICLES}{uuid}/", {"subtitle": name}),
            ("PUT", f"{ARTICLES}{uuid4()}/", {"title": f"SECRET {name}", "status": "draft"}),
            ("DELETE", f"{ARTICLES}{uuid}/", None)
            if number % 2
            else ("PUT", f"{TAGS}{uuid4()}/", {"name": f"tag {name}"}),
        ]
        for step in steps:
            # A request that was sent to a killed server is repeated; it can have been executed.
            while True:
                with suppress(OSError, HTTPException):
                    if get_client()(*step).status < 500:
                        break
                time.sleep(0.05)


def test_every_change_is_told_in_order_although_servers_are_killed(app, as_login, serve):
    app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    with receive() as each, receive() as build:
        created = as_login.post(WEBHOOKS, json={"name": "each", "url": each.url}).json
        verifier = Verifier(created["secret"])
        each.check = lambda call: verifier.verify(call.body, call.headers)
        times = {"quiet_seconds": 0, "interval_seconds": INTERVAL}
        as_login.post(WEBHOOKS, json={"name": "build", "url": build.url, "mode": "combined"} | times)
        with app.app_context():
            begin = queries.get_event_positions().last
        expected = write_and_kill(app, serve, each, build, begin)
    assert list(dict.fromkeys(map(get_id, each.calls))) == expected
    assert b"SECRET" not in b"".join(call.body for call in each.calls + build.calls)
    # A server that is killed during a call has not stored it, so it is made again at once.
    times_of_calls = [int(call.headers["webhook-timestamp"]) for call in build.calls]
    gaps = [later - former for former, later in itertools.pairwise(times_of_calls)]
    assert len([gap for gap in gaps if gap < INTERVAL - 1]) <= KILLS


def write_and_kill(app, serve, each: Receiver, build: Receiver, begin: int) -> list[str]:
    """Write to two servers, one of which is killed now and then; return the ids of all public events."""
    with serve(command=SERVER) as (first, _):
        clients, stop, turns = [first], threading.Event(), itertools.count()

        def get_client():
            running = [*clients]
            return running[next(turns) % len(running)]

        writers = [
            threading.Thread(target=write, args=(get_client, CHANGES // 9, seed, stop)) for seed in range(3)
        ]
        for writer in writers:
            writer.start()
        for _ in range(KILLS):
            with serve(command=SERVER) as (second, server):
                clients.append(second)
                each.wait_for(len(each.calls) + 5)
                server.process.kill()
                clients.remove(second)
        stop.set()
        for writer in writers:
            writer.join()
        expected = list_ids(app, begin)
        for receiver in (each, build):
            receiver.wait_until(lambda calls: expected[-1] in map(get_id, calls))
    return expected


def get_id(call: Call) -> str:
    return call.headers["webhook-id"]


def list_ids(app, begin: int) -> list[str]:
    """Return the ids of the calls for all public events after a position, in order."""
    is_told = (
        Event.position > begin,
        Event.public_position.is_not(None),
        Event.change != ChangeType.RENDERED,
    )
    with app.app_context():
        told = db.session.scalars(select(Event).where(*is_told).order_by(Event.position)).all()
        return [f"msg_{event.tag}_{event.public_position}" for event in told]
