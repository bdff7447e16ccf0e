"""The calls that webhooks get for changes: their content, their order, their repetition."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from blogapi import clock
from blogapi.delivery.webhooks import delivery, queries
from blogapi.delivery.webhooks.models import PAUSE_COPIED_WEBHOOKS
from blogapi.publication import background_thread, event_writer
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES, CATEGORIES

WEBHOOKS = "/api/v1/webhooks/"
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def types(receiver):
    return [call.json["type"] for call in receiver.calls]


def test_a_published_article_is_reported_with_a_valid_signature(
    receiver, make_webhook, deliver, make_article, as_login
):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    webhook = make_webhook(events=["article.*"])
    article = make_article(slug="fish-soup", title="Fish soup")
    deliver(webhook)
    (call,) = receiver.calls
    Verifier(webhook["secret"]).verify(call.body, call.headers)
    assert call.headers["content-type"] == "application/json"
    body = call.json
    assert (body["type"], body["data"]["kind"]) == ("article.published", "article")
    assert body["data"] | {"cursor": "", "kind": ""} == {
        "kind": "",
        "uuid": str(article.uuid),
        "slug": "fish-soup",
        "url": "https://blog.example/fish-soup/",
        "former_url": None,
        "changed": [],
        "cache_tags": [f"article-{article.uuid}", "articles"],
        "cursor": "",
    }


def test_the_cursor_continues_the_feed_of_changes(receiver, make_webhook, deliver, make_article, as_reader):
    webhook = make_webhook()
    make_article()
    deliver(webhook)
    cursor = receiver.calls[-1].json["data"]["cursor"]
    second = make_article()
    changes = as_reader.get(f"/api/v1/blog/changes/?since={cursor}").json["changes"]
    assert [change["uuid"] for change in changes] == [str(second.uuid)]


def test_changes_are_reported_in_order_with_the_changed_fields(
    receiver, make_webhook, deliver, make_article, as_admin
):
    webhook = make_webhook(events=["article.*"])
    article = make_article(slug="old", title="Old")
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(path, json={"title": "New", "slug": "new"})
    as_admin.patch(path, json={"status": "draft"})
    as_admin.patch(path, json={"status": "published"})
    as_admin.delete(path)
    deliver(webhook)
    assert types(receiver) == [
        *("article.published", "article.updated", "article.unpublished"),
        *("article.published", "article.deleted"),
    ]
    assert receiver.calls[1].json["data"]["changed"] == ["seo.title", "slug", "title"]
    assert len({call.headers["webhook-id"] for call in receiver.calls}) == 5


def test_nothing_of_a_draft_is_reported(receiver, make_webhook, deliver, make_article, as_admin, as_login):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    webhook = make_webhook(events=["article.*"])
    article = make_article(status="draft", slug="secret-plan")
    path = f"{ARTICLES}{article.uuid}/"
    assert as_admin.patch(path, json={"title": "Secret too"}).status_code == 200
    other = f"{ARTICLES}{make_article(status='draft').uuid}/"
    assert as_admin.delete(other).status_code == 204
    deliver(webhook)
    assert receiver.calls == []
    as_admin.patch(path, json={"status": "published", "slug": "open"})
    as_admin.patch(path, json={"status": "draft", "slug": "hidden-again"})
    deliver(webhook)
    assert [call.json["data"]["slug"] for call in receiver.calls] == ["open", "open"]
    assert [call.json["data"]["changed"] for call in receiver.calls] == [[], []]
    sent = b"".join(call.body for call in receiver.calls)
    assert b"secret" not in sent.lower()
    assert b"hidden-again" not in sent


def test_a_scheduled_article_is_reported_when_it_is_due(
    app, receiver, make_webhook, deliver, make_article, set_clock, as_admin
):
    set_clock(NOW)
    webhook = make_webhook(events=["article.*"])
    path = f"{ARTICLES}{make_article(published_at=(NOW + timedelta(hours=1)).isoformat()).uuid}/"
    saved = as_admin.put(f"{path}working-copy/", json={"title": "Saved before its time"})
    assert (saved.status_code, saved.json["not_live"]) == (200, [])
    deliver(webhook)
    assert receiver.calls == []
    set_clock(NOW + timedelta(hours=1))
    with app.app_context():
        event_writer.write_due_events()
    deliver(webhook)
    assert types(receiver) == ["article.published"]
    assert receiver.calls[0].json["data"]["slug"] == "saved-before-its-time"


def test_terms_and_the_site_are_reported(receiver, make_webhook, deliver, as_admin, as_login):
    webhook = make_webhook(events=["category.*", "site.updated"])
    uuid = as_admin.post(CATEGORIES, json={"name": "Soup"}).json["uuid"]
    as_admin.patch(f"{CATEGORIES}{uuid}/", json={"name": "Soups"})
    as_admin.delete(f"{CATEGORIES}{uuid}/")
    as_login.patch("/api/v1/blog/site/", json={"title": "Kitchen", "navigation": []})
    deliver(webhook)
    assert types(receiver) == ["category.created", "category.updated", "category.deleted", "site.updated"]
    assert receiver.calls[1].json["data"]["changed"] == ["name"]
    assert receiver.calls[3].json["data"]["changed"] == ["title"]


def test_other_events_are_skipped(app, receiver, make_webhook, deliver, make_article, make_tag):
    webhook = make_webhook(events=["tag.created"])
    make_article()
    make_tag("soup")
    make_article()
    after = deliver(webhook)
    with app.app_context():
        assert after.position == queries.get_event_positions().last
    assert types(receiver) == ["tag.created"]


def test_a_failed_call_is_repeated_with_the_same_id_before_later_ones(
    receiver, make_webhook, deliver, make_article, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(events=["article.*"])
    make_article(slug="first")
    make_article(slug="second")
    receiver.answer(500)
    after = deliver(webhook)
    assert (after.failures, after.failing_since) == (1, NOW)
    assert timedelta(seconds=5) <= after.next_attempt - NOW <= timedelta(seconds=6)
    set_clock(NOW + timedelta(seconds=10))
    after = deliver(webhook)
    assert (after.failures, after.failing_since, after.next_attempt) == (0, None, None)
    assert [call.json["data"]["slug"] for call in receiver.calls] == ["first", "first", "second"]
    first, again, _ = receiver.calls
    assert first.headers["webhook-id"] == again.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] != again.headers["webhook-timestamp"]


def test_a_webhook_is_paused_after_three_days_of_failures(
    receiver, make_webhook, deliver, make_article, set_clock
):
    time = NOW
    set_clock(time)
    webhook = make_webhook()
    make_article()
    attempts = len(queries.RETRY_DELAYS) + 1
    for _ in range(attempts):
        receiver.answer(503)
        after = deliver(webhook)
        if after.next_attempt:
            time = after.next_attempt
            set_clock(time)
    assert (after.paused, after.paused_at) == ("failures", time)
    assert timedelta(days=3) < time - NOW < timedelta(days=4)
    assert len(receiver.calls) == attempts


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [("120", 120), ("Mon, 23 Nov 2026 13:00:00 GMT", 3600), ("999999", 86_400), ("soon", 5), ("-7", 5)],
)
def test_retry_after_is_kept(receiver, make_webhook, deliver, make_article, set_clock, retry_after, seconds):
    set_clock(NOW)
    webhook = make_webhook()
    make_article()
    receiver.answer(429, {"Retry-After": retry_after})
    after = deliver(webhook)
    assert seconds <= (after.next_attempt - NOW).total_seconds() < seconds * 1.1 + 1


def test_410_pauses_at_once(receiver, make_webhook, deliver, make_article):
    webhook = make_webhook()
    make_article()
    receiver.answer(410)
    assert deliver(webhook).paused == "gone"


def test_redirects_are_not_followed(receiver, make_webhook, deliver, make_article, as_login):
    webhook = make_webhook()
    make_article()
    receiver.answer(302, {"Location": "https://elsewhere.example/new"})
    assert deliver(webhook).failures == 1
    (call,) = as_login.get(f"{WEBHOOKS}{webhook['uuid']}/deliveries/").json
    assert call["error"] == "The address redirects to https://elsewhere.example/new; enter that address."


def test_secrets_in_an_answer_are_masked(receiver, make_webhook, deliver, make_article, as_login):
    # Some secrets begin with another one.
    headers = {"X-First": "t0ken", "Authorization": "Bearer t0ken-of-mine", "X-Last": "/secret"}
    webhook = make_webhook(headers=headers)
    make_article()
    receiver.answer(400, body=b"bad: t0ken-of-mine for /secret/hook" + b"." * 3000)
    deliver(webhook)
    assert receiver.calls[0].headers["authorization"] == "Bearer t0ken-of-mine"
    (call,) = as_login.get(f"{WEBHOOKS}{webhook['uuid']}/deliveries/").json
    assert call["answer"].startswith("bad: ••• for •••...")
    assert len(call["answer"]) <= 1024


SECRET_URL = "/s%C3%A9cret%2Fin-path/T0KEN.value:9?key=que%20ry+t0k3n&other=fünf"
REPEATED = (
    *("s%C3%A9cret%2Fin-path", "s%c3%a9cret", "sécret/in-path", "s\\u00e9cret", "in-path"),
    *("T0KEN.value:9", "T0KEN.value%3A9", "t0ken.VALUE:9", "T0KEN", "value"),
    *("que%20ry+t0k3n", "que ry t0k3n", "que+ry+t0k3n", "que%20ry%20t0k3n", "t0k3n", "f%C3%BCnf", "fünf"),
    *("Basic-pässword", "b-key 1234", "b-key%201234"),
)


@pytest.mark.parametrize("secret", REPEATED)
def test_each_form_of_each_part_of_an_address_is_masked(
    receiver, make_webhook, deliver, make_tag, as_login, caplog, secret
):
    headers = {"X-Key": "b-key 1234", "Authorization": "Basic-p%C3%A4ssword"}
    webhook = make_webhook(url=f"http://127.0.0.1:{receiver.port}{SECRET_URL}", headers=headers)
    make_tag()
    # The secret is at the end of what is kept of the answer, too.
    body = f"no <{secret}> here{'.' * 1001}{secret}".encode()
    receiver.answer(302, {"Location": f"/x/{secret}?".encode().decode("latin-1")}, body)
    assert deliver(webhook).failures == 1
    assert receiver.calls[0].path == SECRET_URL.replace("ü", "%C3%BC")
    (call,) = as_login.get(f"{WEBHOOKS}{webhook['uuid']}/deliveries/").json
    assert call["answer"].startswith("no <•••")
    assert call["error"].startswith("The address redirects to /x/•••")
    shown = f"{call['answer']} {call['error']} {caplog.text}".lower()
    words = [secret.lower(), secret[:6].lower()]
    assert [word for word in words if word in shown] == []


def test_an_exception_in_a_call_is_logged_without_the_address(
    receiver, make_webhook, deliver, make_tag, as_login, caplog, monkeypatch
):
    webhook = make_webhook()
    make_tag()
    monkeypatch.setattr(delivery.outgoing, "call_url", lambda url, *_, **__: {}[url])
    assert deliver(webhook).failures == 1
    (call,) = as_login.get(f"{WEBHOOKS}{webhook['uuid']}/deliveries/").json
    assert call["error"] == "The call failed; see the log of the service."
    assert "the calls of a webhook failed: KeyError" in caplog.text
    assert "/secret" not in caplog.text


def test_another_server_takes_over_when_the_lease_ends(
    app, receiver, make_webhook, deliver, make_article, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(events=["article.*"])
    make_article()
    deliver(webhook, server="a" * 16)
    make_article()
    with app.app_context():
        (late,) = delivery.lease_due_calls("a" * 16)
    deliver(webhook, server="b" * 16)
    assert len(receiver.calls) == 1
    set_clock(NOW + queries.LEASE_DURATION + timedelta(seconds=1))
    with app.app_context():
        (own,) = delivery.lease_due_calls("b" * 16)
        delivery.store_outcomes("a" * 16, delivery.make_calls(late))
        row = queries.get_webhook(UUID(webhook["uuid"]))
        assert queries.is_leased(row, clock.now()) and row.position == own.webhook.position
        delivery.store_outcomes("b" * 16, delivery.make_calls(own))
        assert queries.get_webhook(UUID(webhook["uuid"])).position == own.end
    first, *others = [call.headers["webhook-id"] for call in receiver.calls]
    assert len(others) == 2 and first not in others and len({*others}) == 1


def test_any_server_continues_after_a_call(receiver, make_webhook, deliver, make_article):
    webhook = make_webhook(events=["article.*"])
    for server in ("a" * 16, "b" * 16, "a" * 16):
        make_article()
        assert deliver(webhook, server=server).leased_until is None
    assert len(receiver.calls) == 3


@pytest.mark.parametrize("days", [2, 400])
@pytest.mark.parametrize("status", [204, 500])
@pytest.mark.parametrize("mode", ["each", "combined"])
def test_no_call_waits_until_a_clock_that_was_ahead_is_right(
    receiver, make_webhook, deliver, make_tag, set_clock, mode, status, days
):
    ahead = NOW + timedelta(days=days)
    webhook = make_webhook(events=["tag.*"], mode=mode, quiet_seconds=10, interval_seconds=60)
    set_clock(ahead)
    make_tag()
    set_clock(ahead + timedelta(seconds=10))
    receiver.answer(status)
    assert deliver(webhook).failures == (status == 500)
    make_tag()
    set_clock(NOW)
    webhook = deliver(webhook, server="b" * 16)
    assert webhook.failures == 0
    assert len(receiver.calls) == (3 if (mode, status) == ("each", 500) else 2)


@pytest.mark.parametrize(
    ("column", "longest"),
    [
        ("leased_until", queries.LEASE_DURATION),
        ("next_attempt", timedelta(seconds=1.1 * queries.RETRY_DELAYS[-1])),
    ],
)
def test_a_webhook_waits_as_long_as_a_server_can_have_meant(
    app, make_webhook, make_tag, set_clock, column, longest
):
    set_clock(NOW)
    webhook = make_webhook()
    make_tag()
    for wait, is_called in ((longest, False), (longest + timedelta(minutes=2), True)):
        with app.app_context():
            with transaction():
                row = queries.get_webhook(UUID(webhook["uuid"]))
                row.leased_by = "b" * 16
                setattr(row, column, NOW + wait)
            assert bool(delivery.lease_due_calls("a" * 16)) == is_called


def test_a_server_that_lost_its_lease_during_a_call_does_not_move_the_position(
    app, receiver, make_webhook, deliver, make_article
):
    webhook = make_webhook(events=["article.*"])
    make_article()
    with app.app_context():
        position = queries.get_webhook(UUID(webhook["uuid"])).position

    def take_over(call):
        with app.app_context(), transaction():
            queries.get_webhook(UUID(webhook["uuid"])).leased_by = "b" * 16

    receiver.check = take_over
    assert deliver(webhook).position == position


def test_events_that_were_deleted_are_reported_as_a_reset(
    app, receiver, make_webhook, deliver, make_article, as_admin, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(active=False)
    article = make_article()
    for title in ("one", "two"):
        as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": title})
    set_clock(NOW + timedelta(days=40))
    with app.app_context():
        background_thread.delete_old_events()
        with transaction():
            queries.get_webhook(UUID(webhook["uuid"])).paused = None
    deliver(webhook)
    deliver(webhook)
    assert types(receiver) == ["blog.reset"]


def test_one_combined_call_tells_any_number_of_changes(
    receiver, make_webhook, deliver, make_article, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(mode="combined", quiet_seconds=10, interval_seconds=60)
    make_article()
    make_article()
    set_clock(NOW + timedelta(seconds=9))
    deliver(webhook)
    assert receiver.calls == []
    set_clock(NOW + timedelta(seconds=10))
    deliver(webhook)
    (call,) = receiver.calls
    assert call.json["type"] == "blog.changed"
    assert call.json["data"]["count"] == len(call.json["data"]["changes"])
    assert [one["type"] for one in call.json["data"]["changes"]].count("article.published") == 2
    # At most one call per interval, and always one after the last change.
    set_clock(NOW + timedelta(seconds=20))
    make_article()
    set_clock(NOW + timedelta(seconds=69))
    deliver(webhook)
    assert len(receiver.calls) == 1
    set_clock(NOW + timedelta(seconds=70))
    deliver(webhook)
    assert len(receiver.calls) == 2


@pytest.mark.parametrize(
    ("quiet", "interval", "times"),
    [(10, 60, [60]), (60, 10, [60]), (20, 0, [20, 45]), (0, 20, [0, 20, 40, 60]), (5, 5, [5, 15, 25, 35])],
)
def test_changes_without_a_pause_do_not_delay_a_combined_call_for_ever(
    receiver, make_webhook, deliver, make_tag, set_clock, quiet, interval, times
):
    set_clock(NOW)
    webhook = make_webhook(mode="combined", quiet_seconds=quiet, interval_seconds=interval)
    called = []
    for second in range(0, 65, 5):
        set_clock(NOW + timedelta(seconds=second))
        make_tag()
        deliver(webhook)
        called += [second] * (len(receiver.calls) - len(called))
    assert called[: len(times)] == times


@pytest.mark.parametrize(
    ("preset", "path", "body"),
    [
        ("netlify", "/secret/hook?trigger_title=1+change", b"{}"),
        ("vercel", "/secret/hook", b""),
        ("cloudflare", "/secret/hook", b""),
        ("plain", "/secret/hook", b"{}"),
    ],
)
def test_build_hooks_get_what_their_service_expects(
    receiver, make_webhook, deliver, make_tag, preset, path, body, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(preset=preset, quiet_seconds=0)
    assert webhook["secret"] is None
    make_tag()
    deliver(webhook)
    (call,) = receiver.calls
    assert (call.path, call.body) == (path, body)
    assert "webhook-signature" not in call.headers


def test_github_gets_a_repository_dispatch(receiver, make_webhook, deliver, make_tag, set_clock):
    set_clock(NOW)
    webhook = make_webhook(preset="github", quiet_seconds=0, headers={"Authorization": "Bearer abc123"})
    make_tag()
    deliver(webhook)
    (call,) = receiver.calls
    assert call.json["event_type"] == "blogapi"
    assert call.headers["accept"] == "application/vnd.github+json"
    assert call.headers["authorization"] == "Bearer abc123"


def test_the_webhooks_of_a_copied_blog_are_paused(app, make_webhook):
    webhook, paused = make_webhook(), make_webhook(active=False)
    with app.app_context(), transaction():
        db.session.execute(PAUSE_COPIED_WEBHOOKS, {"now": clock.now()})
    with app.app_context():
        assert queries.get_webhook(UUID(webhook["uuid"])).paused == "copied"
        assert queries.get_webhook(UUID(paused["uuid"])).paused == "admin"
