"""Only a write that readers can see invalidates the cached responses of readers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from blogapi.accounts.users import service as users
from blogapi.content.articles.models import Article
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, KEYS, TAGS
from tests.databases import other_connection
from tests.delivery.response_cache.cached_blog import warm
from tests.delivery.response_cache.conftest import ME

FIELDS = "/api/v1/blog/fields/"
FUTURE = "2999-01-01T00:00:00Z"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def save(**fields):
    """Return a write that changes the draft."""
    return lambda blog: blog.admin.patch(blog.draft, json=fields)


def define_field(blog, read_by):
    body = {"name": "mood", "label": "Mood", "type": "text", "read_by": read_by}
    return blog.login.post(FIELDS, json=body)


def get_hidden_field(blog):
    """Define a field that only admins read, and return its path."""
    return f"{FIELDS}{define_field(blog, 'admins').json['uuid']}/"


HIDDEN_WRITES = {
    "create a draft": lambda blog: blog.admin.post(
        ARTICLES, json={"title": "New", "category": {"uuid": blog.category}}
    ),
    "change a draft": save(title="Another title", content="<p>Other words</p>"),
    "change the slug of a draft": save(slug="another-slug"),
    "change the SEO record of a draft": save(seo={"title": "For robots"}),
    "archive a draft": save(status="archived"),
    "restore a version of a draft": lambda blog: blog.admin.post(f"{blog.draft}revisions/1/restore/"),
    "delete a draft": lambda blog: blog.admin.delete(blog.draft),
    "save a working copy": lambda blog: blog.admin.put(f"{blog.article}working-copy/", json={"title": "New"}),
    "add a version": lambda blog: blog.admin.post(f"{blog.article}revisions/", json={"name": "New"}),
    "link to a preview": lambda blog: blog.admin.post(f"{blog.draft}preview/"),
    "create a key": lambda blog: blog.admin.post(KEYS),
    "define a field of admins": lambda blog: define_field(blog, "admins"),
    "change a field of admins": lambda blog: blog.login.patch(get_hidden_field(blog), json={"label": "M"}),
    "delete a field of admins": lambda blog: blog.login.delete(get_hidden_field(blog)),
}
VISIBLE_WRITES = {
    "publish": save(status="published"),
    "schedule": save(status="scheduled", published_at=FUTURE),
    "change an article": lambda blog: blog.admin.patch(blog.article, json={"title": "New"}),
    "change a scheduled article": lambda blog: blog.admin.patch(blog.scheduled, json={"title": "New"}),
    "publish a working copy": lambda blog: (
        blog.admin.put(f"{blog.article}working-copy/", json={"title": "New"})
        and blog.admin.post(f"{blog.article}working-copy/publish/")
    ),
    "unpublish": lambda blog: blog.admin.patch(blog.article, json={"status": "draft"}),
    "unschedule": lambda blog: blog.admin.patch(blog.scheduled, json={"status": "draft"}),
    "delete an article": lambda blog: blog.admin.delete(blog.article),
    "rename a tag": lambda blog: blog.admin.patch(f"{TAGS}{blog.tag}/", json={"name": "New"}),
    "create a category": lambda blog: blog.admin.post(CATEGORIES, json={"name": "New"}),
    "change the site": lambda blog: blog.login.patch("/api/v1/blog/site/", json={"title": "New"}),
    "define a field": lambda blog: define_field(blog, "everyone"),
    "open a field to all": lambda blog: blog.login.patch(
        get_hidden_field(blog), json={"read_by": "everyone"}
    ),
    "create an author": lambda blog: blog.admin.post(AUTHORS, json={"name": "New"}),
    "change a byline": lambda blog: blog.admin.patch(blog.article, json={"authors": [{"slug": "grace"}]}),
    "delete a key": lambda blog: blog.admin.delete(f"{KEYS}{blog.other_key}/"),
}


class Blog:
    """A blog with a draft, a scheduled and a published article, and a reader whose list is cached."""

    def __init__(self, as_admin, as_login, as_reader, category, tag, articles, other_key, cached):
        self.admin, self.login, self.reader = as_admin, as_login, as_reader
        self.category, self.tag = str(category.uuid), tag.uuid
        self.uuids = [article.uuid for article in articles]
        self.draft, self.scheduled, self.article = (f"{ARTICLES}{uuid}/" for uuid in self.uuids)
        self.other_key, self.cached = other_key, cached
        as_admin.patch(self.draft, json={"subtitle": "A version"})
        as_admin.get(ME)

    def is_cached(self):
        """Return whether the reader gets the list from the cache."""
        before = len(self.cached.application.paths)
        assert self.reader.get(ARTICLES).status_code == 200
        return len(self.cached.application.paths) == before


@pytest.fixture
def blog(as_admin, as_login, as_reader, make_category, make_tag, make_article, people, cached_blog):
    category, tag = make_category(), make_tag()
    articles = [
        make_article(title=title, category=category, tags=(tag,), **fields)
        for title, fields in (
            ("Draft", {"status": "draft"}),
            ("Scheduled", {"status": "scheduled", "published_at": FUTURE}),
            ("Public", {}),
        )
    ]
    other_key = people.uuid(people.key(None))
    blog = Blog(as_admin, as_login, as_reader, category, tag, articles, other_key, cached_blog)
    warm(as_reader, ARTICLES)
    return blog


@pytest.mark.parametrize("name", HIDDEN_WRITES)
def test_a_write_that_readers_cannot_see_keeps_the_cached_responses_of_readers(blog, name):
    assert HIDDEN_WRITES[name](blog).status_code < 300
    assert blog.is_cached()


@pytest.mark.parametrize("name", VISIBLE_WRITES)
def test_a_write_that_readers_can_see_invalidates_the_cached_responses_of_readers(blog, name):
    assert VISIBLE_WRITES[name](blog).status_code < 300
    assert not blog.is_cached()


def test_a_draft_in_the_default_category_keeps_them_once_the_category_exists(blog):
    assert blog.admin.post(ARTICLES, json={"title": "First"}).status_code == 201
    assert not blog.is_cached()
    warm(blog.reader, ARTICLES)
    assert blog.admin.post(ARTICLES, json={"title": "Second"}).status_code == 201
    assert blog.is_cached()


def test_a_login_keeps_the_cached_responses_of_readers(app, blog, people):
    with app.app_context():
        users.start_login(people.admin, lifetime=timedelta(days=1))
    assert blog.is_cached()


def test_the_key_of_a_disabled_user_gets_no_cached_responses(app, blog, people, as_member):
    warm(as_member, ARTICLES)
    with app.app_context():
        users.change_user(people.member.uuid, {"disabled": True})
    assert as_member.get(ARTICLES).status_code == 401


def test_the_use_of_another_key_keeps_the_cached_responses_of_readers(blog, as_member):
    assert as_member.get(ARTICLES).status_code == 200
    assert blog.is_cached()


def test_admins_see_each_write_of_a_draft_immediately(blog):
    for number in range(3):
        with_copy = f"{ARTICLES}?fields=working_copy"
        for path in (blog.draft, f"{ARTICLES}author/me/", with_copy):
            warm(blog.admin, path)
        blog.admin.put(f"{blog.article}working-copy/", json={"title": f"Edits {number}"})
        assert f"Edits {number}" in blog.admin.get(with_copy).text
        warm(blog.admin, with_copy)
        blog.admin.patch(blog.draft, json={"title": f"Title {number}"})
        assert blog.admin.get(blog.draft).json["title"] == f"Title {number}"
        assert f"Title {number}" in blog.admin.get(f"{ARTICLES}author/me/").text
        assert blog.is_cached()


def test_a_write_of_another_program_shows_after_a_repair(app, blog):
    # `last_updated` is the time of the session.
    with app.app_context(), other_connection(app) as connection:
        connection.execute(update(Article).where(Article.uuid == blog.uuids[2]).values(slug="renamed"))
    assert blog.is_cached()
    result = app.test_cli_runner().invoke(args=["doctor", "--repair"])
    assert "changed without an event" in result.output
    assert not blog.is_cached()
    assert app.test_cli_runner().invoke(args=["doctor", "--full"]).exit_code == 0


def test_a_change_made_on_a_server_with_a_slow_clock_is_shown(blog, set_clock):
    # By the clock of one server, the article is public. By the clock of another server, it is scheduled.
    set_clock(datetime(2999, 1, 2, tzinfo=UTC))
    assert len(warm(blog.reader, ARTICLES).json) == 2
    set_clock(NOON)
    blog.admin.patch(blog.scheduled, json={"title": "Changed"})
    set_clock(datetime(2999, 1, 2, tzinfo=UTC) + timedelta(seconds=1))
    assert {article["title"] for article in blog.reader.get(ARTICLES).json} == {"Changed", "Public"}
