"""Changes of unlisted items: which webhooks receive them; the feed of changes has none of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from blogapi import blueprints
from blogapi.delivery.webhooks import messages, queries
from blogapi.publication import background_thread, event_writer, events
from blogapi.storage.database import CommitCounter, db, transaction
from tests.conftest import ARTICLES

PAGES, CHANGES, WEBHOOKS = "/api/v1/blog/pages/", "/api/v1/blog/changes/", "/api/v1/webhooks/"
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PATHS = {"article": ARTICLES, "page": PAGES}
LATER = "2999-01-01T00:00:00Z"


@pytest.fixture
def site(as_login):
    """Gives the site an address."""
    assert as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"}).status_code == 200


@pytest.fixture
def add(as_admin, make_category):
    """Returns a function that creates an item of a kind and returns its path."""
    category = {"category": {"uuid": str(make_category().uuid)}}

    def add(kind, **fields):
        body = {"title": "Hidden", **(category if kind == "article" else {}), **fields}
        answer = as_admin.post(PATHS[kind], json=body)
        assert answer.status_code == 201, answer.json
        return f"{PATHS[kind]}{answer.json['uuid']}/"

    return add


@pytest.fixture
def change(as_admin):
    """Returns a function that changes an item, or deletes it without fields."""

    def change(path, **fields):
        answer = as_admin.patch(path, json=fields) if fields else as_admin.delete(path)
        assert answer.status_code in (200, 204), answer.json

    return change


def get_received(receiver):
    """Return the type, and whether the item is readable (None: not said), of each call."""
    return [
        (call.json["type"].partition(".")[2], call.json["data"].get("readable")) for call in receiver.calls
    ]


# Each step as the fields that change, and what the webhooks with all types receive.
STEPS = (
    ({"status": "unlisted"}, ("unlisted", True)),
    ({"title": "New"}, ("unlisted", True)),
    ({"slug": "moved"}, ("unlisted", True)),
    ({"status": "draft"}, ("unlisted", False)),
    ({"title": "Newer"}, None),
    ({"status": "unlisted"}, ("unlisted", True)),
    ({"published_at": LATER}, ("unlisted", False)),
    ({"title": "Newest"}, None),
    ({"status": "draft"}, None),
    ({"status": "published", "published_at": "2026-01-01T00:00:00Z"}, ("published", None)),
    ({"status": "unlisted"}, ("unpublished", None)),
    ({"status": "archived"}, ("unlisted", False)),
    ({"status": "draft"}, None),
    ({"status": "unlisted"}, ("unlisted", True)),
    ({"status": "published"}, ("published", None)),
    ({"status": "unlisted"}, ("unpublished", None)),
    ({}, ("unlisted", False)),
)


@pytest.mark.parametrize("kind", PATHS)
def test_each_transition_is_reported_once_to_webhooks_that_name_the_type(
    receiver, make_webhook, deliver, add, change, kind
):
    path = add(kind)
    webhook = make_webhook(events=[f"{kind}.*", f"{kind}.unlisted"])
    for fields, received in STEPS:
        receiver.calls.clear()
        change(path, **fields)
        deliver(webhook)
        assert get_received(receiver) == [received][: received is not None], fields


@pytest.mark.parametrize("patterns", [["*"], ["article.*", "page.*"], ["*", "page.unlisted"]])
def test_other_webhooks_receive_the_same_calls_as_before(
    receiver, make_webhook, deliver, add, change, patterns
):
    path = add("article")
    webhook = make_webhook(events=patterns)
    for fields, _ in STEPS:
        change(path, **fields)
    after = deliver(webhook)
    kinds = [call.json["type"] for call in receiver.calls if call.json["type"].startswith("article")]
    assert kinds == ["article.published", "article.unpublished"] * 2
    assert all("readable" not in call.json["data"] for call in receiver.calls)
    assert after.position > 0


def test_a_scheduled_unlisted_item_is_reported_when_it_is_due(
    app, receiver, make_webhook, deliver, add, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(events=["page.unlisted"])
    add("page", status="unlisted", published_at=(NOW + HOUR).isoformat())
    deliver(webhook)
    assert receiver.calls == []
    set_clock(NOW + HOUR)
    with app.app_context():
        event_writer.write_due_events()
    deliver(webhook)
    assert get_received(receiver) == [("unlisted", True)]


@pytest.mark.parametrize("kind", PATHS)
def test_a_call_has_the_address_the_own_cache_tag_and_the_cursor_of_the_last_public_change(
    receiver, make_webhook, deliver, add, change, as_reader, site, kind
):
    webhook = make_webhook(events=["article.unlisted", "page.unlisted"])
    path = add(kind, slug="before")
    change(path, status="unlisted", slug="hidden")
    change(path, slug="moved")
    change(path, status="draft", slug="again-a-draft")
    deliver(webhook)
    first, moved, withdrawn = (call.json["data"] for call in receiver.calls)
    assert (first["slug"], first["former_url"], first["changed"]) == ("hidden", None, [])
    assert (moved["url"], moved["former_url"]) == (
        "https://blog.example/moved/",
        "https://blog.example/hidden/",
    )
    assert "slug" in moved["changed"]
    assert (withdrawn["slug"], withdrawn["former_url"], withdrawn["changed"]) == ("moved", None, [])
    assert b"again-a-draft" not in receiver.calls[2].body
    uuid, cursor = path.split("/")[-2], as_reader.get(f"{CHANGES}?since=now").json["cursor"]
    for data in (first, moved, withdrawn):
        assert data["cache_tags"] == [f"{kind}-{uuid}"]
        assert data["cursor"] == cursor != "0"


def test_the_cursor_of_a_combined_call_is_that_of_the_last_public_change_before(
    receiver, make_webhook, deliver, add, make_tag, as_reader, set_clock
):
    set_clock(NOW)
    webhook = make_webhook(mode="combined", quiet_seconds=0, events=["*", "page.unlisted"])
    cursors = [as_reader.get(f"{CHANGES}?since=now").json["cursor"]]
    add("page", status="unlisted")
    make_tag()
    cursors.append(as_reader.get(f"{CHANGES}?since=now").json["cursor"])
    add("page", status="unlisted")
    deliver(webhook)
    (call,) = receiver.calls
    received = {change["type"]: change["cursor"] for change in call.json["data"]["changes"][:-1]}
    assert received["page.unlisted"], received["tag.created"] == cursors
    last = call.json["data"]["changes"][-1]
    assert (last["type"], last["cursor"]) == ("page.unlisted", cursors[1])


def test_the_cursor_of_a_blog_without_public_changes_is_null(receiver, make_webhook, deliver, as_admin):
    webhook = make_webhook(events=["page.unlisted"])
    assert as_admin.post(PAGES, json={"title": "x", "status": "unlisted"}).status_code == 201
    deliver(webhook)
    assert receiver.calls[0].json["data"]["cursor"] is None


@pytest.mark.parametrize("preset", [name for name in messages.PRESETS if name != "standard"])
def test_build_hooks_are_always_called(receiver, make_webhook, deliver, add, set_clock, preset):
    set_clock(NOW)
    webhook = make_webhook(preset=preset, quiet_seconds=0, events=["tag.*"])
    add("article", status="draft")
    deliver(webhook)
    assert receiver.calls == []
    add("article", status="unlisted")
    deliver(webhook)
    assert len(receiver.calls) == 1


def test_the_ids_of_calls_are_unique_and_those_of_public_changes_stay(
    app, receiver, make_webhook, deliver, add, people
):
    webhook = make_webhook(events=["*", "article.unlisted"])
    with app.app_context():
        begin = events.get_last_position()
    # In one commit, the position of an unlisted item is the public position of another one.
    with app.app_context(), transaction():
        db.session.execute(
            CommitCounter.__table__.update().values(public_position=CommitCounter.position + 1)
        )
        for number, listed in enumerate((False, True, True)):
            state = events.ItemState(events.EPOCH, listed=listed)
            events.note_change("article", UUID(int=number + 1), None, state, has_earlier_events=False)
    deliver(webhook)
    ids = [call.headers["webhook-id"] for call in receiver.calls]
    with app.app_context():
        found = db.session.scalars(
            select(events.Event).where(events.Event.position > begin).order_by(events.Event.position)
        ).all()
    expected = [f"msg_{one.tag}_{one.public_position or f'u{one.position}'}" for one in found]
    assert ids == expected
    assert len({*ids}) == len(ids) == 3


def test_an_item_that_is_rendered_again_is_not_told(app, receiver, make_webhook, deliver, add):
    webhook = make_webhook(events=["article.unlisted"])
    uuid = UUID(add("article", status="unlisted").split("/")[-2])
    with app.app_context(), transaction():
        state = events.ItemState(events.EPOCH, listed=False)
        events.note_change("article", uuid, state, state, change=events.ChangeType.RENDERED)
    deliver(webhook)
    assert get_received(receiver) == [("unlisted", True)]


def test_deleted_changes_of_unlisted_items_are_a_gap_only_for_webhooks_that_receive_them(
    app, make_webhook, add, change, set_clock, as_login
):
    set_clock(NOW)
    hooks = [make_webhook(events=patterns) for patterns in (["*"], ["article.unlisted"])]
    path = add("article", status="unlisted")
    for title in ("one", "two"):
        change(path, title=title)
    set_clock(NOW + timedelta(days=40))
    with app.app_context():
        background_thread.delete_old_events()
    set_clock(NOW)
    gaps = [as_login.get(f"{WEBHOOKS}{hook['uuid']}/").json["has_gap"] for hook in hooks]
    assert gaps == [False, True]


def test_a_reset_does_not_say_how_many_drafts_are_written(
    app, receiver, make_webhook, deliver, add, change, as_admin, set_clock
):
    set_clock(NOW)
    webhook = make_webhook()
    path = add("article", status="published")
    for title in ("one", "two"):
        change(path, title=title)
    for _ in range(20):
        add("article", status="draft")
    set_clock(NOW + timedelta(days=40))
    with app.app_context():
        background_thread.delete_old_events()
        last = db.session.scalar(select(CommitCounter.public_position))
    deliver(webhook)
    (call,) = receiver.calls
    assert call.json["type"] == "blog.reset"
    assert call.headers["webhook-id"].rpartition("_")[2] == str(last)
    with app.app_context():
        assert queries.get_webhook(UUID(webhook["uuid"])).position == events.get_last_position()


# The feed of changes


def read_feed(clients):
    """Return the bodies and the headers of the feed for readers, from each place in it."""
    found = []
    for client in clients:
        cursors = ["0", "now"]
        page = client.get(f"{CHANGES}?limit=1").json
        while page["more"]:
            cursors.append(page["cursor"])
            page = client.get(f"{CHANGES}?limit=1&since={page['cursor']}").json
        for cursor in cursors:
            answer = client.get(f"{CHANGES}?since={cursor}")
            assert answer.status_code == 200
            headers = {name: value for name, value in answer.headers if name != "X-Request-ID"}
            found.append((cursor, answer.data, headers))
        lists = client.get(f"{ARTICLES}?page=1"), client.get(PAGES)
        found += [(answer.data, answer.headers.get("ETag")) for answer in lists]
    return found


@pytest.mark.parametrize("kind", PATHS)
def test_the_feed_is_byte_for_byte_the_same_with_and_without_changes_of_unlisted_items(
    app, as_reader, as_published_member, as_stranger, add, change, make_article, set_clock, kind
):
    app.config["PUBLIC_READS"] = True
    blueprints.store_operations(app)
    set_clock(NOW)
    make_article()
    make_article()
    clients = (as_reader, as_published_member, as_stranger)
    path, other = add(kind), add(kind)
    public = ("published", "unpublished")
    before = read_feed(clients)
    for fields, received in STEPS:
        change(path, **fields)
        after = read_feed(clients)
        assert (after == before) is (received is None or received[0] not in public), fields
        before = after
    change(other, status="unlisted", published_at=(NOW + HOUR).isoformat())
    set_clock(NOW + HOUR)
    assert read_feed(clients) == before
    with app.app_context():
        event_writer.write_due_events()
    assert read_feed(clients) == before
