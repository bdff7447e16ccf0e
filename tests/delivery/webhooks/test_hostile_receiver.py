"""A receiver with hostile answers stops neither its own calls nor those of other webhooks."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DataError

from blogapi.delivery.webhooks import delivery, queries, sender
from blogapi.delivery.webhooks.models import Delivery
from blogapi.storage.database import db
from tests.delivery.webhooks.test_http_call import behave, call

ANSWERS, SUCCESSES, CHANGES = 500, 20, 30
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HUGE_ZONE = "Mon, 23 Nov 2026 13:00:00 +99999999999999999"


def make_answers(seed):
    """Return hostile answers, most of which are failures, and none of which pauses the webhook (410)."""
    chance = random.Random(seed)  # noqa: S311 (not for secrets)
    times = [
        HUGE_ZONE,
        "9" * 400,
        "-1",
        "Mon, 99 Foo 2026",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "\x00",
        "1e999",
    ]
    places = ["/\x00/", "\x00", "h" * 60_000, "\x1b[31m", "ÿþ", "//[", "http://[::1", "\x85"]
    bodies = [b"\x00" * 2000, b"\xff\xfe\xd8\x00", b"\xed\xa0\x80", b"x" * 200_000, b"\x1b]0;x\x07", b""]
    ends = [b"", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n"]
    chunks = [b"-1\r\n", b"ffffffffffffffffffff\r\nx", b"zz\r\n", b"5\r\nab\x00"]
    successes = {chance.randrange(ANSWERS) for _ in range(SUCCESSES)}
    for number in range(ANSWERS):
        status = 200 if number in successes else chance.choice([301, 302, 400, 429, 500, 503, 599, 999])
        head = f"HTTP/1.1 {status} \x00\r\nRetry-After: {chance.choice(times)}\r\n"
        head += f"Location: {chance.choice(places)}\r\n"
        is_chunked = number % 4 == 0
        end = b"Transfer-Encoding: chunked\r\n" if is_chunked else chance.choice(ends)
        body = chance.choice(chunks if is_chunked else bodies)
        yield head.encode("latin-1") + end + b"\r\n" + body


@pytest.mark.release
@pytest.mark.slow
def test_the_healthy_webhook_gets_each_call_once_beside_500_hostile_answers(
    app, receiver, make_webhook, make_tag, monkeypatch
):
    # Failed calls are repeated at once and for ever.
    monkeypatch.setattr(sender, "CHECK_SECONDS", 0.005)
    monkeypatch.setattr(queries, "RETRY_DELAYS", (0,) * 2 * ANSWERS)
    monkeypatch.setattr(queries, "MAX_RETRY_AFTER_SECONDS", 0)
    answers, given, all_given = [*make_answers(40)], [], threading.Event()

    def answer_badly(connection, stop):
        connection.recv(65536)
        given.append(None)
        if len(given) > ANSWERS:
            all_given.set()
        connection.sendall(b"HTTP/1.1 204 No\r\n\r\n" if all_given.is_set() else answers[len(given) - 1])

    with behave(answer_badly) as url:
        hostile = make_webhook(url=url, events=["tag.created"])
        make_webhook(events=["tag.created"])
        end = sender.start_sender(app)
        try:
            for _ in range(CHANGES):
                make_tag()
            receiver.wait_for(CHANGES)
            assert all_given.wait(300), len(given)
        finally:
            end()
    ids = [call.headers["webhook-id"] for call in receiver.calls]
    assert len(ids) == len({*ids}) == CHANGES
    with app.app_context():
        kept = db.session.scalars(select(Delivery).where(Delivery.webhook_id == UUID(hostile["uuid"]))).all()
        assert len(kept) == delivery.MAX_STORED_DELIVERIES


@pytest.mark.parametrize("seed", range(3))
def test_each_hostile_answer_is_a_short_text_without_control_characters(seed):
    for one in [*make_answers(seed)][:40]:

        def answer(connection, stop, one=one):
            connection.recv(65536)
            connection.sendall(one)

        with behave(answer) as url:
            found = call(url)
        texts = (found.location, found.retry_after, found.text)
        assert not {"\x00", "\x1b"} & {*"".join(texts)}
        assert [len(text) <= 1024 for text in texts] == [True] * 3
        assert found.status is not None or found.error


def test_a_chunk_of_size_minus_one_is_cut_off():
    sent = []

    def stream(connection, stop):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n")
        while not stop.is_set():
            connection.sendall(b"x" * 65536)
            sent.append(65536)

    with behave(stream) as url:
        found = call(url)
    assert (found.status, found.text) == (200, "x" * 1024)
    assert sum(sent) < 50_000_000


@pytest.mark.parametrize("retry_after", [HUGE_ZONE, "Fri, 31 Dec 9999 23:59:59 -2359", "9" * 400])
def test_an_odd_retry_after_is_a_failed_call(
    receiver, make_webhook, deliver, make_tag, set_clock, retry_after
):
    set_clock(NOW)
    webhook = make_webhook()
    make_tag()
    receiver.answer(503, {"Retry-After": retry_after})
    after = deliver(webhook)
    assert after.failures == 1
    assert NOW < after.next_attempt <= NOW + timedelta(days=1)


def test_a_nul_in_an_answer_is_stored_as_another_character(
    receiver, make_webhook, deliver, make_tag, as_login
):
    webhook = make_webhook()
    make_tag()
    receiver.answer(302, {"Location": "https://a.example/\x00"}, b"\x00")
    assert deliver(webhook).failures == 1
    (found,) = as_login.get(f"/api/v1/webhooks/{webhook['uuid']}/deliveries/").json
    assert (found["error"], found["answer"]) == (
        "The address redirects to https://a.example/�; enter that address.",
        "�",
    )


def test_an_outcome_that_cannot_be_stored_is_a_failed_call_of_its_webhook_alone(
    app, receiver, make_webhook, make_tag, monkeypatch, caplog
):
    to_row, refused = delivery._to_delivery, set()

    def refuse(webhook, outcome):
        if webhook not in refused:
            refused.add(webhook)
            raise DataError(receiver.url, {}, Exception())
        return to_row(webhook, outcome)

    monkeypatch.setattr(delivery, "_to_delivery", refuse)
    monkeypatch.setattr(queries, "RETRY_DELAYS", (0,) * 9)
    first = make_webhook(events=["tag.created"])
    make_webhook(events=["tag.created"])
    make_tag()
    end = sender.start_sender(app)
    receiver.wait_for(4)
    end()
    assert "the calls of a webhook failed: DataError" in caplog.text
    assert "/secret" not in caplog.text
    with app.app_context():
        kept = db.session.scalars(select(Delivery).where(Delivery.webhook_id == UUID(first["uuid"]))).all()
        errors = sorted(one.error for one in kept)
    assert errors == ["", "The call failed; see the log of the service."]


def test_a_failed_pass_releases_its_lease(receiver, make_webhook, deliver, make_tag, set_clock):
    set_clock(NOW)
    webhook = make_webhook(events=["tag.created"])
    make_tag()
    receiver.answer(500)
    assert deliver(webhook, server="a" * 16).leased_until is None
    set_clock(NOW + timedelta(seconds=10))
    assert deliver(webhook, server="b" * 16).failures == 0
    assert len(receiver.calls) == 2
