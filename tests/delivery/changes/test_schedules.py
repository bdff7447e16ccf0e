"""The feed of changes reports each scheduled article when it becomes public, although nothing is written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from blogapi.content.articles import service as articles
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.storage.database import transaction
from tests.conftest import ARTICLES
from tests.contracts.client import outcome
from tests.delivery.changes.test_routes import CHANGES

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ONE = NOON + HOUR


class Feed:
    """A client that follows the feed from its beginning, with up to `limit` changes per request."""

    def __init__(self, client, cursor="0", limit=1000):
        self.client, self.cursor, self.limit = client, cursor, limit

    def read(self):
        """Return the uuid and the action of each new change."""
        found, more = [], True
        while more:
            page = self.client.get(f"{CHANGES}?since={self.cursor}&limit={self.limit}").json
            assert len(page["changes"]) <= self.limit and (page["changes"] or not page["more"])
            self.cursor, more = page["cursor"], page["more"]
            found += [(change["uuid"], change["action"]) for change in page["changes"]]
        return found


def read_elsewhere(feed):
    """Read the feed in another thread, which does not see the uncommitted transaction of the test."""
    with ThreadPoolExecutor() as threads:
        return threads.submit(feed.read).result()


@pytest.fixture
def schedule(set_clock, make_article):
    """Schedules an article at noon and returns its uuid. The default publication time is one o'clock."""
    set_clock(NOON)

    def create(time=ONE, **fields):
        return str(make_article(published_at=time.isoformat(), **fields).uuid)

    return create


@pytest.fixture
def feed(as_reader, make_article):
    """The feed of a reader who has already read the change of a public article."""
    make_article()
    feed = Feed(as_reader)
    feed.read()
    return feed


@pytest.fixture
def admin_feed(as_admin, feed):
    """The feed of an admin who has already read the change of a public article."""
    feed = Feed(as_admin)
    feed.read()
    return feed


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_articles_with_the_same_publication_time_are_each_reported_once_for_any_value_of_limit(
    schedule, feed, as_reader, set_clock, limit, make_tag
):
    uuids = [schedule() for _ in range(3)]
    later = schedule(ONE + HOUR)
    feed.limit = limit
    assert feed.read() == []
    set_clock(ONE)
    tag = str(make_tag().uuid)
    assert sorted(feed.read()) == sorted((uuid, "fetch") for uuid in [*uuids, tag])
    assert feed.read() == []
    set_clock(ONE + HOUR)
    assert feed.read() == [(later, "fetch")]
    assert {(uuid, "fetch") for uuid in [*uuids, later, tag]} < set(Feed(as_reader, limit=limit).read())
    assert len(Feed(as_reader, limit=limit).read()) == 8


def test_a_response_without_new_changes_has_the_same_etag_and_cursor(schedule, feed, as_reader, set_clock):
    schedule()
    set_clock(ONE)
    feed.read()
    path = f"{CHANGES}?since={feed.cursor}"
    before = as_reader.get(path)
    schedule(ONE + 9 * HOUR)
    set_clock(ONE + HOUR)
    after = as_reader.get(path)
    assert (after.json["cursor"], after.headers["ETag"]) == (feed.cursor, before.headers["ETag"])


def test_a_reader_gets_no_changes_of_an_article_before_its_publication_time(
    schedule, feed, as_admin, set_clock
):
    cursor = feed.cursor
    uuid = schedule()
    path = f"{ARTICLES}{uuid}/"
    for body in ({"title": "New"}, {"published_at": (ONE + HOUR).isoformat()}, {"status": "draft"}):
        assert feed.read() == []
        assert as_admin.patch(path, json=body).status_code == 200
    as_admin.delete(path)
    set_clock(ONE + 2 * HOUR)
    assert (feed.read(), feed.cursor) == ([], cursor)


@pytest.mark.parametrize("read_before", [True, False])
@pytest.mark.parametrize(
    ("change", "action"),
    [
        (lambda admin, path: admin.patch(path, json={"title": "New"}), "fetch"),
        (lambda admin, path: admin.patch(path, json={"status": "draft"}), "drop"),
        (lambda admin, path: admin.patch(path, json={"published_at": "2030-01-01T23:00:00Z"}), "drop"),
        (lambda admin, path: admin.delete(path), "drop"),
    ],
    ids=["edited", "draft", "later", "deleted"],
)
def test_a_change_after_the_publication_time_is_reported_once(
    schedule, feed, as_admin, set_clock, change, action, read_before
):
    uuid = schedule()
    set_clock(ONE)
    if read_before:
        assert feed.read() == [(uuid, "fetch")]
    assert change(as_admin, f"{ARTICLES}{uuid}/").status_code in (200, 204)
    assert feed.read() == [(uuid, action)]
    assert feed.read() == []


def test_an_article_that_was_withdrawn_and_scheduled_again_is_reported_again(
    schedule, feed, as_admin, set_clock
):
    uuid = schedule()
    set_clock(ONE)
    assert feed.read() == [(uuid, "fetch")]
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"published_at": (ONE + HOUR).isoformat()})
    unread = Feed(feed.client, feed.cursor)
    assert feed.read() == [(uuid, "drop")]
    set_clock(ONE + HOUR)
    # A client that has not seen the withdrawal gets one change.
    for follower in (feed, unread, Feed(feed.client)):
        assert [change for change in follower.read() if change[0] == uuid] == [(uuid, "fetch")]
        assert follower.read() == []


def test_the_feed_of_an_admin_reports_each_change_of_a_scheduled_article_and_when_it_becomes_public(
    schedule, admin_feed, as_admin, set_clock
):
    uuid = schedule()
    assert admin_feed.read() == [(uuid, "fetch")]
    assert as_admin.patch(f"{ARTICLES}{uuid}/", json={"title": "New"}).status_code == 200
    assert admin_feed.read() == [(uuid, "fetch")]
    assert (uuid, "fetch") in Feed(as_admin).read()
    set_clock(ONE)
    assert admin_feed.read() == [(uuid, "fetch")]
    assert admin_feed.read() == []


@pytest.mark.parametrize(
    "cursor",
    ["p2.", "p2.0", "p2.x", "p2.1.", "p2.1.x", "p2.-1", "p2." + "9" * 18, "0.1", "p2.1." + "0" * 33, "x-p2"],
)
def test_a_malformed_time_in_a_cursor_is_refused(as_reader, cursor):
    assert outcome(as_reader.get(f"{CHANGES}?since={cursor}")) == (400, "invalid_query")


def test_a_cursor_with_a_time_in_the_future_skips_no_article(schedule, feed, set_clock):
    uuid = schedule()
    follower = Feed(feed.client, f"{feed.cursor}." + "9" * 17)
    assert follower.read() == []
    set_clock(ONE)
    assert follower.read() == [(uuid, "fetch")]


@pytest.mark.parametrize("change", [{"title": "New"}, {"status": "draft"}], ids=["edited", "withdrawn"])
def test_an_article_that_becomes_public_while_it_is_changed_is_reported_after_the_commit(
    app, schedule, people, feed, set_clock, change
):
    uuid, other = schedule(), schedule()
    with app.app_context(), transaction():
        article = articles.change_article_in_transaction(
            people.admin.uuid, UUID(uuid), ArticleBodySchema(partial=True).load(change)
        )
        set_clock(ONE)
        # The transaction has the write lock, so nobody else can write the events.
        assert read_elsewhere(feed) == []
    action = "fetch" if article.status == "published" else "drop"
    assert sorted(feed.read()) == sorted([(uuid, action), (other, "fetch")])
    assert feed.read() == []


def test_an_article_that_becomes_public_while_it_is_created_is_reported_after_the_commit(
    app, people, schedule, feed, set_clock, make_category
):
    other = schedule()
    body = {"title": "x", "category": {"uuid": str(make_category().uuid)}, "status": "published"}
    feed.read()
    with app.app_context(), transaction():
        given = ArticleBodySchema().load(body | {"published_at": ONE.isoformat()})
        created = articles.create_article_in_transaction(people.admin.uuid, given)
        set_clock(ONE)
        assert read_elsewhere(feed) == []
    assert sorted(feed.read()) == sorted([(str(created.uuid), "fetch"), (other, "fetch")])
    assert feed.read() == []
