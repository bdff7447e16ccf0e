"""Events: one for each change by a commit, and one for each article that becomes public by schedule."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from blogapi.content.articles import service as articles
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.publication import background_thread, event_writer
from blogapi.publication.models import ChangeType, Event
from blogapi.storage.database import CommitCounter, db, savepoint, transaction
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.delivery.changes.test_routes import CHANGES

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def read_events(app):
    """Returns the events of a kind as (what, time), oldest first."""

    def read(kind="article"):
        with app.app_context():
            found = db.session.scalars(select(Event).where(Event.kind == kind).order_by(Event.position))
            return [(event.change, event.time) for event in found]

    return read


def read_public(kind, app):
    """Return what happened to items of a kind according to the events that readers see."""
    with app.app_context():
        statement = select(Event.change).where(Event.kind == kind, Event.public_position.is_not(None))
        return db.session.scalars(statement.order_by(Event.position)).all()


def test_each_write_of_an_article_is_one_event(app, as_admin, make_article, read_events):
    path = f"{ARTICLES}{make_article(status='draft').uuid}/"
    for body in ({"title": "New"}, {"status": "published"}, {"title": "Newer"}, {"status": "archived"}):
        assert as_admin.patch(path, json=body).status_code == 200
    as_admin.patch(path, json={"status": "archived"})
    as_admin.delete(path)
    found = [what for what, _ in read_events()]
    assert found == ["created", "updated", "published", "updated", "unpublished", "deleted"]
    assert read_public("article", app) == ["published", "updated", "unpublished"]


def test_the_events_of_a_commit_have_one_tag_and_no_other_commit_has_it(app, people, make_category):
    category = {"uuid": str(make_category().uuid)}
    with app.app_context():
        for title in ("a", "b"):
            with transaction():
                for number in range(2):
                    body = {"title": f"{title}{number}", "category": category}
                    articles.create_article_in_transaction(people.admin.uuid, ArticleBodySchema().load(body))
        tags = db.session.scalars(
            select(Event.tag).where(Event.kind == "article").order_by(Event.position)
        ).all()
    assert tags[0] == tags[1] != tags[2] == tags[3]


def test_an_item_that_is_changed_twice_has_one_event_from_the_first_to_the_last_state(
    app, people, as_admin, make_article, read_events
):
    article = make_article(status="draft", slug="first")
    with app.app_context(), transaction():
        for body in ({"slug": "second"}, {"slug": "third", "status": "published"}):
            articles.change_article_in_transaction(
                people.admin.uuid, article.uuid, ArticleBodySchema(partial=True).load(body)
            )
    assert [what for what, _ in read_events()] == ["created", "published"]
    with app.app_context():
        last = db.session.scalars(
            select(Event).where(Event.kind == "article").order_by(-Event.position)
        ).first()
        assert (last.slug_before, last.slug, last.path) == ("first", "third", "/third/")


def test_a_part_that_is_rolled_back_has_no_event(app, people, make_article, read_events):
    article = make_article()
    with app.app_context(), transaction(), pytest.raises(ZeroDivisionError), savepoint():
        articles.delete_item(people.admin.uuid, article.uuid)
        raise ZeroDivisionError
    assert [what for what, _ in read_events()] == ["published"]


def test_an_author_is_published_and_unpublished_with_their_articles(app, as_admin, make_article, make_guest):
    guest = make_guest("Emmy").uuid
    body = {"authors": [{"uuid": str(guest)}]}
    paths = [f"{ARTICLES}{make_article(**body).uuid}/" for _ in range(2)]
    as_admin.patch(f"{AUTHORS}{guest}/", json={"bio": "New"})
    for path in paths:
        as_admin.patch(path, json={"status": "draft"})
    assert read_public("author", app) == ["published", "updated", "unpublished"]


def test_terms_and_the_site_have_events(app, as_admin, as_login, make_tag, make_category):
    for path, item in ((TAGS, make_tag()), (CATEGORIES, make_category())):
        as_admin.patch(f"{path}{item.uuid}/", json={"name": "New"})
        as_admin.delete(f"{path}{item.uuid}/")
    as_login.patch("/api/v1/blog/site/", json={"title": "New"})
    for kind in ("tag", "category"):
        assert read_public(kind, app) == ["published", "updated", "deleted"]
    assert read_public("site", app) == ["updated"]


# Due events


@pytest.fixture
def schedule(make_article, set_clock):
    """Schedules articles for the hours after noon; sets the clock to noon."""
    set_clock(NOON)
    return lambda *hours: [
        make_article(published_at=(NOON + number * HOUR).isoformat(), slug=f"in-{number}") for number in hours
    ]


@pytest.mark.parametrize("writer", ["tag", "feed", "thread"])
def test_an_article_has_an_event_with_its_own_time_when_it_becomes_public(
    app, as_reader, schedule, set_clock, read_events, make_tag, writer
):
    schedule(2, 1, 9)
    set_clock(NOON + 3 * HOUR)
    for _ in range(2):
        if writer == "tag":
            make_tag()
        elif writer == "feed":
            as_reader.get(CHANGES)
        else:
            with app.app_context():
                event_writer.write_due_events()
    published = [time for what, time in read_events() if what == "published"]
    assert published == [NOON + HOUR, NOON + 2 * HOUR]


def test_a_due_event_moves_the_caches_and_names_the_page(app, schedule, set_clock):
    schedule(1)
    with app.app_context():
        before = db.session.scalar(select(CommitCounter.visible))
        set_clock(NOON + HOUR)
        event_writer.write_due_events()
        db.session.rollback()
        event = db.session.scalars(
            select(Event).where(Event.change == ChangeType.PUBLISHED, Event.kind == "article")
        ).one()
        assert (event.slug, event.path, event.slug_before) == ("in-1", "/in-1/", None)
        assert db.session.scalar(select(CommitCounter.visible)) != before


def test_clocks_that_differ_by_seconds_publish_an_article_once(
    app, as_reader, schedule, set_clock, read_events
):
    (article,) = schedule(1)
    cursor = as_reader.get(f"{CHANGES}?since=now").json["cursor"]
    seen = []
    # One server is 30 seconds ahead; both read the feed again and again.
    for second in range(-40, 50, 10):
        for offset in (30, 0):
            set_clock(NOON + HOUR + (second + offset) * SECOND)
            page = as_reader.get(f"{CHANGES}?since={cursor}").json
            cursor = page["cursor"]
            found = [change for change in page["changes"] if change["kind"] == "article"]
            seen += found
            if found:
                assert as_reader.get(f"{ARTICLES}{article.uuid}/").status_code == 200
    assert [change["action"] for change in seen] == ["fetch"]
    assert [what for what, _ in read_events()] == ["created", "published"]


def wait_until(is_done):
    """Wait up to 30 seconds until the function returns True."""
    for _ in range(3000):
        if is_done():
            break
        time.sleep(0.01)


def test_the_thread_of_a_server_writes_due_events(app, schedule, set_clock, read_events, monkeypatch):
    schedule(1)
    set_clock(NOON + HOUR)
    monkeypatch.setattr(background_thread, "CHECK_SECONDS", 0.01)
    end = background_thread.start_background_thread(app)
    try:
        wait_until(lambda: len(read_events()) == 2)
    finally:
        end()
    assert read_events()[1:] == [("published", NOON + HOUR)]


@pytest.mark.parametrize("error", [ValueError("damaged"), OperationalError("SELECT", None, Exception())])
def test_a_daily_task_that_fails_neither_ends_the_thread_nor_starts_again_at_once(
    app, schedule, set_clock, read_events, monkeypatch, caplog, error
):
    schedule(1)
    calls = []

    def fail():
        calls.append("fails")
        raise error

    monkeypatch.setattr(background_thread, "CHECK_SECONDS", 0.01)
    end = background_thread.start_background_thread(app, fail, lambda: calls.append("next"))
    try:
        wait_until(lambda: "fails" in calls)
        set_clock(NOON + HOUR)
        wait_until(lambda: len(read_events()) == 2)
    finally:
        end()
    assert read_events()[1:] == [("published", NOON + HOUR)]
    assert calls == ["fails", "next"]
    assert "a daily task failed" in caplog.text


def test_an_unexpected_error_ends_neither_the_thread_nor_its_daily_tasks(app, monkeypatch, caplog):
    calls, write = [], background_thread.event_writer.write_due_events

    def fail_once():
        calls.append("due")
        if len(calls) == 1:
            raise ValueError("damaged")
        write()

    monkeypatch.setattr(background_thread.event_writer, "write_due_events", fail_once)
    monkeypatch.setattr(background_thread, "CHECK_SECONDS", 0.01)
    monkeypatch.setattr(background_thread, "_ERROR_PAUSE_SECONDS", 0.01)
    end = background_thread.start_background_thread(app, lambda: calls.append("daily"))
    try:
        wait_until(lambda: calls.count("due") > 1)
    finally:
        end()
    assert calls[:3] == ["due", "daily", "due"]
    assert caplog.text.count("the events of due items could not be written") == 1


# Old events


def test_old_events_are_deleted_except_the_newest_of_each_item(
    app, as_admin, as_reader, make_article, set_clock
):
    set_clock(NOON)
    path = f"{ARTICLES}{make_article().uuid}/"
    first = as_reader.get(CHANGES).json["cursor"]
    set_clock(NOON + 400 * 24 * HOUR)
    as_admin.patch(path, json={"title": "New"})
    last = as_reader.get(CHANGES).json["cursor"]
    with app.app_context():
        for days, count in ((429, 2), (431, 1)):
            set_clock(NOON + days * 24 * HOUR)
            background_thread.delete_old_events()
            found = db.session.scalars(select(Event).where(Event.kind == "article")).all()
            assert len(found) == count
            db.session.rollback()
    assert as_reader.get(f"{CHANGES}?since={last}").status_code == 200
    assert as_reader.get(f"{CHANGES}?since={first}").status_code in (200, 400)
    assert len(as_reader.get(CHANGES).json["changes"]) == 3
