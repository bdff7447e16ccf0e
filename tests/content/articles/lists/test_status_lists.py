"""Lists of articles in any status for admins, their order by the last change, and the counts by status."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from blogapi import clock
from blogapi.content.articles.models import WorkingCopy
from blogapi.content.articles.responses import article_bodies
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES
from tests.contracts.client import outcome

COUNTS = "/api/v1/blog/article-counts/"
RENDER = "/api/v1/blog/render/"
DATE = "2026-05-01T00:00:00Z"
START = datetime.fromisoformat(DATE)


@pytest.fixture
def shown(make_article, make_category, make_tag, people, monkeypatch):
    """Articles in every status, by title; each is written one day after the former one."""
    category, tag, other, now = make_category(name="Kitchen"), make_tag("bread"), make_tag("other"), START
    monkeypatch.setattr(clock, "now", lambda: now)
    found = {}
    for title, status, fields in (
        ("Draft", "draft", {"category": category}),
        ("Public", "published", {"category": category, "tags": (tag,), "published_at": DATE}),
        ("Later", "scheduled", {"tags": (other,), "published_at": "2030-01-01T00:00:00Z"}),
        ("Old", "archived", {"tags": (other,), "published_at": DATE}),
    ):
        found[title] = make_article(title=title, status=status, content="words and marmalade", **fields).uuid
        now += timedelta(days=1)
    return found


def save_copy(app, article, people, *, at):
    """Store a working copy of the article."""
    with app.app_context(), transaction():
        db.session.add(
            WorkingCopy(
                article_id=article,
                user_id=people.admin.uuid,
                base_version=1,
                content="{}",
                created=at,
                last_updated=at,
            )
        )


def titles(client, query):
    """Return the titles of a list."""
    response = client.get(f"{ARTICLES}?{query}&fields=title")
    assert response.status_code == 200, response.json
    return [article["title"] for article in response.json]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("draft", ["Draft"]),
        ("published", ["Public"]),
        ("scheduled", ["Later"]),
        ("archived", ["Old"]),
        ("any", ["Draft", "Later", "Old", "Public"]),
    ],
)
def test_an_admin_lists_the_articles_of_all_authors_in_a_status(as_admin, shown, status, expected):
    assert sorted(titles(as_admin, f"status={status}")) == expected
    assert sorted(titles(as_admin, f"status={status}&q=marmalade&page=1")) == expected
    response = as_admin.get(f"{ARTICLES}?status={status}&page=1&page_size=1")
    assert response.headers["X-Total-Count"] == str(len(expected))


def test_a_list_in_any_status_takes_the_other_filters(as_admin, people, shown):
    assert sorted(titles(as_admin, "status=any&category=kitchen")) == ["Draft", "Public"]
    assert titles(as_admin, "status=any&category=kitchen&tag=bread&author=ada") == ["Public"]
    assert titles(as_admin, "status=any&q=public&ordering=title") == ["Public"]
    for user, found in ((people.admin, ["Public"]), (people.other_admin, [])):
        assert titles(as_admin, f"status=any&q=public&author={user.uuid}") == found


@pytest.mark.parametrize("caller", ["as_reader", "as_member", "as_published_admin"])
@pytest.mark.parametrize(
    "query", ["status=published", "status=any", "working_copy=true", "working_copy=false"]
)
def test_readers_cannot_select_by_status(request, shown, caller, query):
    assert outcome(request.getfixturevalue(caller).get(f"{ARTICLES}?{query}")) == (403, "forbidden")


def test_the_order_of_the_last_change_counts_working_copies(app, as_admin, as_reader, people, shown):
    by_change = "status=any&ordering=-last_updated"
    assert titles(as_admin, by_change) == ["Old", "Later", "Public", "Draft"]
    save_copy(app, shown["Public"], people, at=START + timedelta(days=9000))
    save_copy(app, shown["Later"], people, at=START)
    assert titles(as_admin, by_change) == ["Public", "Old", "Later", "Draft"]
    assert titles(as_admin, "status=any&ordering=last_updated") == ["Draft", "Later", "Old", "Public"]
    assert titles(as_admin, "working_copy=true&ordering=-last_updated") == ["Public", "Later"]
    assert titles(as_admin, "working_copy=false&ordering=title") == ["Draft", "Old"]


@pytest.mark.parametrize("query", ["status=any&ordering=-last_updated", "working_copy=false"])
def test_the_etag_of_a_long_list_changes_with_its_items(app, as_admin, people, shown, monkeypatch, query):
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 2)
    before = as_admin.get(f"{ARTICLES}?{query}&fields=title")
    save_copy(app, shown["Draft"], people, at=START + timedelta(days=9000))
    after = as_admin.get(f"{ARTICLES}?{query}&fields=title")
    assert before.data != after.data
    assert before.headers["ETag"] != after.headers["ETag"]


def test_readers_order_by_the_last_change_of_the_article_alone(app, as_reader, people, make_article):
    first, _ = (make_article(title=title, status="published").uuid for title in ("First", "Second"))
    save_copy(app, first, people, at=clock.now() + timedelta(days=1))
    assert titles(as_reader, "ordering=-last_updated") == ["Second", "First"]
    assert titles(as_reader, "ordering=last_updated") == ["First", "Second"]


def test_the_counts_of_all_statuses_come_in_one_request(app, as_admin, people, shown):
    save_copy(app, shown["Public"], people, at=START)
    assert as_admin.get(COUNTS).json == {
        **{"draft": 1, "published": 1, "unlisted": 0, "archived": 1, "scheduled": 1},
        **{"any": 4, "edited": 1},
    }
    for query, total in (("q=marmalade", 4), ("q=draft", 1), ("category=kitchen", 2), ("tag=bread", 1)):
        counts = as_admin.get(f"{COUNTS}?{query}&author=ada").json
        assert (counts["any"], counts["edited"]) == (total, 0 if query == "q=draft" else 1)
        # The numbers of a category or a tag alone are stored, and all articles have the author.
        assert as_admin.get(f"{COUNTS}?{query}").json == counts
    later = {"draft": 0, "published": 0, "unlisted": 0, "archived": 1, "scheduled": 1, "any": 2, "edited": 0}
    category = as_admin.get(f"{ARTICLES}{shown['Later']}/").json["category"]["slug"]
    for query in (f"category={category}", "tag=other"):
        assert as_admin.get(f"{COUNTS}?{query}").json == later


def test_the_published_articles_of_a_tag_are_listed_without_scheduled_ones(as_admin, shown):
    for ordering in ("published_at", "-published_at", "title", "last_updated"):
        for tag, found in (("bread", ["Public"]), ("other", [])):
            assert titles(as_admin, f"status=published&tag={tag}&ordering={ordering}") == found


def test_an_article_without_a_category_gets_the_default_category(as_admin):
    created = [as_admin.post(ARTICLES, json={"title": "T"}).json for _ in range(2)]
    assert [article["category"]["name"] for article in created] == ["Uncategorised"] * 2
    assert created[0]["category"]["uuid"] == created[1]["category"]["uuid"]


def test_a_replaced_article_without_a_category_keeps_its_category(as_admin, make_article, make_category):
    article = make_article(category=make_category(name="Kitchen"))
    response = as_admin.put(f"{ARTICLES}{article.uuid}/", json={"title": "T"})
    assert response.json["category"]["name"] == "Kitchen"


def test_a_text_is_rendered_as_the_content_of_an_article(as_reading_admin, as_admin):
    text = {"content": "# Héllo\n\nwörds <script>x</script>\n", "content_type": "markdown"}
    rendered = as_reading_admin.post(RENDER, json=text).json
    path = as_admin.post(ARTICLES, json={"title": "T", **text}).headers["Location"]
    names = ("html", "toc", "excerpt", "word_count", "reading_minutes")
    others = {"slug": None, "url": None, "free_slug": None, "removed": ["script"], "shown_as_text": False}
    assert rendered == as_admin.get(f"{path}?fields={','.join(names)}").json | others
    assert as_reading_admin.post(RENDER, json={"content": "<b>a"}).json["html"] == "<b>a</b>"


def test_a_rendered_text_shows_files(as_admin, make_article):
    from tests.content.media.rows import SCALABLE, add_media

    uuid = add_media(as_admin.application, **SCALABLE)
    for article in (None, str(make_article().uuid)):
        given = {"content": f"![a](media:{uuid})", "content_type": "markdown", "article": article}
        assert "srcset=" in as_admin.post(RENDER, json=given).json["html"]


@pytest.mark.parametrize(
    "wrong", [{"content": 1}, {"content_type": "rst"}, {"article": "x"}, {"colour": "T"}]
)
def test_an_invalid_text_to_render_is_refused(as_admin, wrong):
    response = as_admin.post(RENDER, json=wrong)
    assert (response.status_code, list(response.json["errors"])) == (422, list(wrong))
