"""Who has an article open in the editor."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from blogapi.content import presence
from blogapi.content.articles.responses import article_bodies
from blogapi.content.presence import OpenArticle
from blogapi.publication import events
from blogapi.storage.database import db
from tests.conftest import ARTICLES

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def as_other(app, make_client, people):
    """The client of another admin."""
    return make_client(app, people.key(people.other_admin, "write"))


def list_open(client, article):
    fields = client.get(f"{ARTICLES}{article.uuid}/?fields=open_by").json["open_by"]
    return None if fields is None else [user["username"] for user in fields]


def test_others_see_who_has_an_article_open_for_a_minute(
    as_admin, as_other, as_reader, make_article, people, set_clock
):
    set_clock(NOW)
    article, other = make_article(), make_article()
    path = f"{ARTICLES}{article.uuid}/open/"
    assert as_admin.post(path).json == []
    assert [user["username"] for user in as_other.post(path).json] == [people.admin.username]
    assert [user["username"] for user in as_admin.post(path).json] == [people.other_admin.username]
    assert list_open(as_admin, article) == [people.other_admin.username]
    assert list_open(as_admin, other) == []
    assert list_open(as_reader, article) is None
    set_clock(NOW + timedelta(seconds=61))
    assert list_open(as_admin, article) == []
    assert as_admin.post(path).json == []


def test_reports_of_a_clock_that_was_ahead_end_with_the_next_one(
    as_admin, as_other, make_article, people, set_clock
):
    article = make_article()
    path = f"{ARTICLES}{article.uuid}/open/"
    set_clock(NOW + timedelta(days=2))
    assert as_other.post(path).json == []
    set_clock(NOW)
    assert as_admin.post(path).json == []
    assert list_open(as_admin, article) == []
    assert [user["username"] for user in as_other.post(path).json] == [people.admin.username]


def test_reports_are_no_changes(app, as_admin, as_other, as_reader, make_article):
    article = make_article()
    before = as_reader.get(ARTICLES).headers["ETag"]
    with app.app_context():
        position = events.get_last_position()
    own = as_admin.get(f"{ARTICLES}?fields=open_by").headers["ETag"]
    as_other.post(f"{ARTICLES}{article.uuid}/open/")
    with app.app_context():
        assert events.get_last_position() == position
    assert as_reader.get(ARTICLES).headers["ETag"] == before
    assert as_admin.get(f"{ARTICLES}?fields=open_by").headers["ETag"] != own


def test_few_articles_of_a_user_are_remembered(app, as_admin, make_article, monkeypatch, set_clock):
    monkeypatch.setattr(presence, "MAX_OPEN_ARTICLES", 2)
    articles = [make_article() for _ in range(4)]
    for seconds, article in enumerate(articles):
        set_clock(NOW + timedelta(seconds=seconds))
        as_admin.post(f"{ARTICLES}{article.uuid}/open/")
    with app.app_context():
        assert set(db.session.scalars(select(OpenArticle.article_id))) == {
            article.uuid for article in articles[2:]
        }
    set_clock(NOW + timedelta(hours=1))
    as_admin.post(f"{ARTICLES}{articles[0].uuid}/open/")
    with app.app_context():
        assert db.session.scalar(select(func.count()).select_from(OpenArticle)) == 1


def test_only_articles_that_exist_can_be_open(as_admin, make_article):
    article = make_article()
    as_admin.delete(f"{ARTICLES}{article.uuid}/")
    assert as_admin.post(f"{ARTICLES}{article.uuid}/open/").status_code == 404


def test_an_author_neither_opens_the_articles_of_others_nor_learns_of_them(as_admin, as_author, make_article):
    article = make_article()
    as_admin.post(f"{ARTICLES}{article.uuid}/open/")
    assert as_author.post(f"{ARTICLES}{article.uuid}/open/").status_code == 403
    assert list_open(as_author, article) is None
    own = as_author.post(ARTICLES, json={"title": "Mine"}).json["uuid"]
    assert as_author.post(f"{ARTICLES}{own}/open/").json == []
    assert len(as_admin.post(f"{ARTICLES}{own}/open/").json) == 1
    (user,) = as_author.get(f"{ARTICLES}{own}/?fields=open_by").json["open_by"]
    assert user["username"] == "ada"


def test_a_long_list_has_another_etag_when_somebody_opens_an_article(
    as_admin, as_other, make_article, monkeypatch
):
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 1)
    article, _ = make_article(), make_article()
    path = f"{ARTICLES}?status=any&fields=title,open_by"
    before = as_admin.get(path)
    as_other.post(f"{ARTICLES}{article.uuid}/open/")
    after = as_admin.get(path)
    assert before.headers["ETag"] != after.headers["ETag"]
    assert sum(len(item["open_by"]) for item in after.json) == 1
