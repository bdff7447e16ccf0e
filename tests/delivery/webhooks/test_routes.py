"""The endpoints of webhooks."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from io import BytesIO
from zipfile import ZipFile

import pytest
from sqlalchemy import update

from blogapi.storage.database import CommitCounter, db, transaction
from tests.delivery.webhooks.rows import add_webhook

WEBHOOKS = "/api/v1/webhooks/"
pytestmark = pytest.mark.no_database


def test_a_webhook_is_shown_without_its_secrets(as_login, make_webhook, receiver):
    created = make_webhook(headers={"Authorization": "Bearer t0ken"})
    assert len(base64.b64decode(created["secret"].removeprefix("whsec_"))) == 32
    answer = as_login.get(f"{WEBHOOKS}{created['uuid']}/")
    assert answer.json["address"] == f"http://127.0.0.1:{receiver.port}/•••"
    assert answer.json["header_names"] == ["Authorization"]
    for secret in (b"t0ken", b"/secret", created["secret"].encode()):
        assert secret not in answer.data
    assert as_login.get(WEBHOOKS).json == [answer.json]


def test_the_response_with_the_secret_is_not_stored(as_login, make_webhook):
    uuid = make_webhook()["uuid"]
    assert as_login.post(f"{WEBHOOKS}{uuid}/rotate/").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "https://10.0.0.7/"),
        ("url", "http://hooks.example/"),
        ("url", "/path"),
        ("url", ""),
        ("name", ""),
        ("preset", "nothing"),
        ("mode", "often"),
        ("events", []),
        ("events", ["article.renamed"]),
        ("headers", {"Host": "other"}),
        ("headers", {"Webhook-Id": "x"}),
        ("headers", {"X-A": "b\r\nX-C: d"}),
        ("headers", {"X A": "b"}),
        ("headers", {"X-A": "ü"}),
        ("headers", {f"X-{number}": "a" for number in range(11)}),
        ("quiet_seconds", -1),
        ("interval_seconds", 86_401),
        ("active", "yes"),
    ],
)
def test_bad_input_is_refused(as_login, field, value):
    body = {"name": "hook", "url": "https://hooks.example/"} | {field: value}
    answer = as_login.post(WEBHOOKS, json=body)
    assert answer.status_code == 422
    assert all(name.partition(".")[0] == field for name in answer.json["errors"])


def test_a_build_hook_is_not_called_for_each_change(as_login):
    body = {"name": "site", "url": "https://hooks.example/", "preset": "vercel", "mode": "each"}
    answer = as_login.post(WEBHOOKS, json=body)
    assert answer.json["errors"] == {"mode": ["Must be combined for this preset."]}


def test_the_number_of_webhooks_is_limited(app, as_login):
    for _ in range(20):
        add_webhook(app)
    answer = as_login.post(WEBHOOKS, json={"name": "hook", "url": "https://hooks.example/"})
    assert answer.status_code == 409


def test_pausing_and_resuming(as_login, make_webhook, make_article, receiver, deliver):
    path = f"{WEBHOOKS}{make_webhook(events=['article.*'])['uuid']}/"
    paused = as_login.patch(path, json={"active": False}).json
    assert (paused["active"], paused["paused"]) == (False, "admin")
    make_article()
    assert as_login.get(path).json["waiting"] == 1
    resumed = as_login.patch(path, json={"active": True, "name": "other"}).json
    assert (resumed["paused"], resumed["paused_at"], resumed["waiting"]) == (None, None, 1)
    deliver(resumed)
    assert as_login.get(path).json["waiting"] == 0


def test_a_test_call_returns_the_answer(as_login, make_webhook, receiver):
    path = f"{WEBHOOKS}{make_webhook()['uuid']}/"
    receiver.answer(200, body=b"<b>thanks</b>")
    call = as_login.post(f"{path}test/").json
    assert (call["succeeded"], call["status"], call["answer"]) == (True, 200, "<b>thanks</b>")
    assert receiver.calls[0].json["type"] == "webhook.test"
    assert as_login.get(f"{path}deliveries/").json == [call]
    assert as_login.get(f"{path}deliveries/{call['uuid']}/").json.items() >= call.items()


def test_the_answer_to_a_webhook_without_secrets_is_shown_as_it_is(as_login, make_webhook, receiver):
    webhook = make_webhook(url=f"http://127.0.0.1:{receiver.port}/")
    receiver.answer(200, body=b"thanks")
    assert as_login.post(f"{WEBHOOKS}{webhook['uuid']}/test/").json["answer"] == "thanks"


def test_a_webhook_is_tried_before_it_is_created(app, as_login, receiver):
    app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    receiver.answer(401, body=b"no /secret/hook here")
    body = {"name": "site", "url": receiver.url, "preset": "netlify", "headers": {"X-Key": "k3y"}}
    call = as_login.post(f"{WEBHOOKS}test/", json=body).json
    assert (call["succeeded"], call["status"], call["reason"]) == (False, 401, "Unauthorized")
    assert call["answer"] == "no ••• here"
    assert receiver.calls[0].path == "/secret/hook?trigger_title=Test"
    assert as_login.get(WEBHOOKS).json == []


def test_a_call_shows_its_request_without_secrets(as_login, make_webhook):
    path = f"{WEBHOOKS}{make_webhook(headers={'X-Key': 'k3y'})['uuid']}/"
    call = as_login.post(f"{path}test/").json
    sent = as_login.get(f"{path}deliveries/{call['uuid']}/").json["sent"]
    assert '"webhook.test"' in sent["body"]
    assert (sent["headers"]["X-Key"], sent["headers"]["Webhook-Signature"]) == ("•••", "v1,…")
    assert sent["headers"]["Webhook-Id"] == call["message_id"]


def test_a_webhook_shows_when_it_is_called_for_waiting_changes(app, as_login, make_webhook, make_tag):
    paths = [
        f"{WEBHOOKS}{make_webhook(preset=preset, quiet_seconds=30)['uuid']}/"
        for preset in ("standard", "netlify")
    ]
    assert [as_login.get(path).json["next_call"] for path in paths] == [None, None]
    make_tag()
    each, combined = [datetime.fromisoformat(as_login.get(path).json["next_call"]) for path in paths]
    assert combined - each == timedelta(seconds=30)
    as_login.patch(paths[0], json={"active": False})
    assert as_login.get(paths[0]).json["next_call"] is None


def test_a_webhook_shows_that_changes_are_gone(app, as_login, make_webhook):
    path = f"{WEBHOOKS}{make_webhook()['uuid']}/"
    assert as_login.get(path).json["has_gap"] is False
    with app.app_context(), transaction():
        db.session.execute(update(CommitCounter).values(deleted_position=CommitCounter.position + 1))
    assert as_login.get(path).json["has_gap"] is True


def test_a_call_is_sent_again_with_the_same_id(as_login, make_webhook, make_tag, receiver, deliver):
    webhook = make_webhook(events=["tag.*"])
    make_tag()
    deliver(webhook)
    path = f"{WEBHOOKS}{webhook['uuid']}/deliveries/"
    (call,) = as_login.get(path).json
    again = as_login.post(f"{path}{call['uuid']}/send/").json
    first, second = receiver.calls
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)
    assert again["message_id"] == call["message_id"]


def test_the_last_100_calls_are_kept(as_login, make_webhook):
    path = f"{WEBHOOKS}{make_webhook()['uuid']}/"
    for _ in range(102):
        last = as_login.post(f"{path}test/").json
    calls = as_login.get(f"{path}deliveries/").json
    assert (len(calls), calls[0]) == (100, last)
    assert len(as_login.get(path).json["latest_calls"]) == 20


def test_a_call_of_another_webhook_is_not_found(app, as_login):
    one, other = add_webhook(app), add_webhook(app)
    assert as_login.get(f"{WEBHOOKS}{one[0]}/deliveries/{other[1]}/").status_code == 404


def test_a_build_starts_at_once(as_login, make_webhook, receiver):
    path = f"{WEBHOOKS}{make_webhook(preset='netlify')['uuid']}/"
    assert as_login.post(f"{path}build/").json["succeeded"]
    assert receiver.calls[0].path == "/secret/hook?trigger_title=Build"


def test_a_replay_tells_the_changes_again(as_login, make_webhook, make_tag, receiver, deliver):
    webhook = make_webhook(events=["tag.*"])
    make_tag()
    make_tag()
    deliver(webhook)
    path = f"{WEBHOOKS}{webhook['uuid']}/"
    assert as_login.post(f"{path}replay/", json={"since": "2020-01-01"}).json["waiting"] == 2
    deliver(webhook)
    ids = [call.headers["webhook-id"] for call in receiver.calls]
    assert ids[:2] == ids[2:]
    assert as_login.post(f"{path}replay/", json={"since": "2999-01-01"}).json["waiting"] == 0


def test_both_secrets_sign_during_the_overlap(as_login, make_webhook, receiver):
    webhook = make_webhook()
    path = f"{WEBHOOKS}{webhook['uuid']}/"
    new = as_login.post(f"{path}rotate/", json={"overlap_seconds": 60}).json
    assert new["secret"] != webhook["secret"]
    as_login.post(f"{path}test/")
    assert len(receiver.calls[-1].headers["webhook-signature"].split()) == 2
    as_login.post(f"{path}rotate/")
    as_login.post(f"{path}test/")
    assert len(receiver.calls[-1].headers["webhook-signature"].split()) == 1


def test_a_sample_shows_what_is_sent(as_login):
    sample = as_login.post(f"{WEBHOOKS}sample/", json={"preset": "netlify"}).json
    assert (sample["query"], sample["body"]) == ("trigger_title=3+changes", "{}")
    sample = as_login.post(f"{WEBHOOKS}sample/", json={}).json
    assert '"type":"article.published"' in sample["body"]
    assert sample["headers"]["Webhook-Signature"] == "v1,…"


def test_the_kinds_of_receivers_are_listed(as_login):
    names = [preset["name"] for preset in as_login.get(f"{WEBHOOKS}presets/").json]
    assert names == ["standard", "netlify", "vercel", "cloudflare", "github", "plain"]


def test_an_export_contains_no_webhook(as_login, make_webhook):
    make_webhook()
    answer = as_login.get("/api/v1/export/")
    assert answer.status_code == 200
    with ZipFile(BytesIO(answer.data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files
    assert [name for name, content in files.items() if b"secret/hook" in content] == []
