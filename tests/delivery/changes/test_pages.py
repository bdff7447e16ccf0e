"""The feed of changes names the page of each item to drop, but nothing that its reader has never seen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from blogapi.content.articles import service as articles
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.storage.database import transaction
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import outcome
from tests.delivery.changes.test_routes import CHANGES
from tests.site.conftest import set_site as set_site

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FUTURE = "2999-01-01T00:00:00Z"
READERS = ["as_reader", "as_published_member", "as_published_admin", "as_reading_member", "as_member"]
ADMINS = ["as_reading_admin", "as_admin", "as_login"]
WITHDRAW = {
    "draft": lambda admin, path: admin.patch(path, json={"status": "draft"}),
    "archived": lambda admin, path: admin.patch(path, json={"status": "archived"}),
    "scheduled": lambda admin, path: admin.patch(path, json={"published_at": FUTURE}),
    "deleted": lambda admin, path: admin.delete(path),
    "renamed draft": lambda admin, path: admin.patch(path, json={"status": "draft", "slug": "secret"}),
}


@pytest.fixture
def get_drops(as_reader):
    """Returns the (kind, slug, url) of each item that the feed says to drop, except for one kind."""

    def get(client=as_reader, ignored="author"):
        changes = client.get(CHANGES).json["changes"]
        for change in changes:
            assert change["action"] == "drop" or change.keys() == {"kind", "uuid", "action"}
        dropped = [change for change in changes if change["action"] == "drop" and change["kind"] != ignored]
        return [(change["kind"], change.get("slug"), change.get("url")) for change in dropped]

    return get


@pytest.mark.parametrize("caller", READERS)
@pytest.mark.parametrize("how", WITHDRAW)
def test_a_withdrawn_article_is_dropped_with_the_slug_that_readers_saw(
    request, as_admin, make_article, get_drops, caller, how
):
    path = f"{ARTICLES}{make_article(slug='first').uuid}/"
    as_admin.patch(path, json={"slug": "second"})
    assert WITHDRAW[how](as_admin, path).status_code in (200, 204)
    expected = [("article", "second", None)]
    client = request.getfixturevalue(caller)
    assert get_drops(client) == expected
    if how != "deleted":
        # Readers do not see the later changes of the draft.
        as_admin.patch(path, json={"slug": "hidden"})
        assert get_drops(client) == expected
        as_admin.delete(path)
    assert get_drops(client) == expected
    answer = client.get(CHANGES)
    assert (answer.status_code, "hidden" in answer.text) == (200, False)


@pytest.mark.parametrize("fields", [{"status": "draft"}, {"status": "archived"}, {"published_at": FUTURE}])
def test_an_article_that_was_never_public_is_dropped_only_for_admins(
    as_admin, as_reader, make_article, get_drops, fields
):
    before = as_reader.get(CHANGES).data
    path = f"{ARTICLES}{make_article(slug='secret', **fields).uuid}/"
    as_admin.patch(path, json={"slug": "secret-2"})
    as_admin.delete(path)
    after = as_reader.get(CHANGES)
    assert ([change["kind"] for change in after.json["changes"]], get_drops()) == (["category"], [])
    assert b"secret" not in after.data and after.data != before
    assert get_drops(as_admin) == [("article", "secret-2", None)]


@pytest.mark.parametrize("caller", ADMINS)
def test_an_admin_drops_only_deleted_items(request, as_admin, make_article, make_tag, get_drops, caller):
    client = request.getfixturevalue(caller)
    path = f"{ARTICLES}{make_article(slug='first').uuid}/"
    assert as_admin.patch(path, json={"status": "draft"}).status_code == 200
    assert get_drops(client) == []
    as_admin.delete(path)
    as_admin.delete(f"{TAGS}{make_tag('rye').uuid}/")
    assert get_drops(client) == [("article", "first", None), ("tag", "rye", None)]


def test_the_feed_needs_credentials(as_stranger):
    for since in ("0", "now"):
        assert outcome(as_stranger.get(f"{CHANGES}?since={since}")) == (401, "key_missing")


def test_a_deleted_category_or_tag_is_dropped_with_its_last_slug(
    as_admin, make_category, make_tag, get_drops
):
    for path in (f"{CATEGORIES}{make_category().uuid}/", f"{TAGS}{make_tag().uuid}/"):
        as_admin.patch(path, json={"slug": "renamed"})
        as_admin.delete(path)
    assert get_drops() == [("category", "renamed", None), ("tag", "renamed", None)]


def test_an_article_that_became_public_by_schedule_is_dropped_with_its_slug(
    as_admin, make_article, get_drops, set_clock
):
    set_clock(NOON)
    path = f"{ARTICLES}{make_article(slug='first', published_at=(NOON + HOUR).isoformat()).uuid}/"
    as_admin.patch(path, json={"slug": "second"})
    set_clock(NOON + HOUR)
    as_admin.patch(path, json={"status": "draft", "slug": "third"})
    assert get_drops() == [("article", "second", None)]


def test_the_slug_of_an_article_scheduled_again_is_the_one_that_readers_saw(
    as_admin, make_article, get_drops, set_clock
):
    set_clock(NOON)
    path = f"{ARTICLES}{make_article(slug='first').uuid}/"
    as_admin.patch(path, json={"published_at": (NOON + HOUR).isoformat(), "slug": "second"})
    assert get_drops() == [("article", "first", None)]
    set_clock(NOON + HOUR)
    assert get_drops() == []
    as_admin.patch(path, json={"status": "draft"})
    assert get_drops() == [("article", "second", None)]


def test_an_article_published_again_is_dropped_with_its_new_slug(as_admin, make_article, get_drops):
    path = f"{ARTICLES}{make_article(slug='first').uuid}/"
    for body in ({"status": "draft"}, {"status": "published", "slug": "second"}):
        assert as_admin.patch(path, json=body).status_code == 200
    assert get_drops() == []
    as_admin.delete(path)
    assert get_drops() == [("article", "second", None)]


@pytest.mark.parametrize("create", [False, True])
def test_an_article_that_is_hidden_while_it_becomes_public_is_dropped_with_its_former_slug(
    app, people, make_article, get_drops, set_clock, create
):
    set_clock(NOON)
    fields = {"slug": "soon", "published_at": (NOON + HOUR).isoformat()}
    article = None if create else make_article(**fields)
    category = {"uuid": str(make_article().category_id)}
    with app.app_context(), transaction():
        if article is None:
            body = {"title": "x", "status": "published", "category": category} | fields
            article = articles.create_article_in_transaction(
                people.admin.uuid, ArticleBodySchema().load(body)
            )
        changes = ArticleBodySchema(partial=True).load({"status": "draft", "slug": "secret"})
        articles.change_article_in_transaction(people.admin.uuid, UUID(str(article.uuid)), changes)
        set_clock(NOON + HOUR)
    # No reader could see an article that was created in the same transaction.
    assert get_drops() == ([] if create else [("article", "soon", None)])


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("/{slug}/", "/first/"),
        ("/{year}/{month}/{day}/{slug}", "/2026/01/01/first"),
        ("/{category}/{slug}/", None),
    ],
)
@pytest.mark.parametrize("how", WITHDRAW)
def test_an_article_is_dropped_with_the_address_of_its_page(
    as_admin, make_article, get_drops, set_site, pattern, address, how
):
    set_site(url="https://example.org", article_path=pattern)
    path = f"{ARTICLES}{make_article(slug='first').uuid}/"
    WITHDRAW[how](as_admin, path)
    if how != "deleted":
        as_admin.patch(path, json={"status": "draft", "published_at": None})
    assert get_drops() == [("article", "first", address and f"https://example.org{address}")]


def test_a_category_or_tag_is_dropped_with_the_address_of_its_page(
    as_admin, make_category, make_tag, get_drops, set_site
):
    set_site(url="https://example.org/blog", tag_path="/t/{uuid}/{slug}")
    category, tag = make_category(name="面包"), make_tag("rye")
    as_admin.delete(f"{CATEGORIES}{category.uuid}/")
    as_admin.delete(f"{TAGS}{tag.uuid}/")
    assert get_drops() == [
        ("category", "面包", "https://example.org/blog/category/%E9%9D%A2%E5%8C%85/"),
        ("tag", "rye", f"https://example.org/blog/t/{tag.uuid}/rye"),
    ]


def test_an_author_without_public_articles_is_dropped_with_the_slug_that_readers_saw(
    as_admin, people, make_article, get_drops, set_site
):
    set_site(url="https://example.org")
    path = f"{ARTICLES}{make_article().uuid}/"
    (author,) = as_admin.get(f"{path}?fields=authors").json["authors"]
    as_admin.patch(f"{AUTHORS}{author['uuid']}/", json={"slug": "countess"})
    as_admin.patch(path, json={"status": "draft"})
    expected = [("author", "countess", "https://example.org/author/countess/")]
    assert get_drops(ignored="article") == expected
    assert as_admin.patch(f"{AUTHORS}{author['uuid']}/", json={"slug": "secret"}).status_code == 200
    assert get_drops(ignored="article") == expected
    as_admin.patch(path, json={"status": "published"})
    assert get_drops(ignored="article") == []


@pytest.mark.parametrize("rows", [1, 20])
def test_the_drops_cost_one_statement_for_the_site(as_admin, as_reader, make_tag, record_statements, rows):
    make_tag()
    as_reader.get(CHANGES)
    counts = []
    for _ in range(2):
        with record_statements() as executed:
            as_reader.get(CHANGES)
        counts.append(len(executed))
        for _ in range(rows):
            as_admin.delete(f"{TAGS}{make_tag().uuid}/")
        as_reader.get(CHANGES)
    assert counts[1] == counts[0] + 1


# since=now


@pytest.mark.parametrize(
    "caller", ["as_reader", "as_published_admin", "as_member", "as_reading_admin", "as_admin"]
)
def test_now_is_the_cursor_of_a_client_that_has_read_all_changes(
    request, as_admin, make_article, set_clock, caller
):
    client = request.getfixturevalue(caller)
    set_clock(NOON)
    for hours in (0, 1, 2):
        make_article(published_at=(NOON + hours * HOUR).isoformat())
        make_article(status="draft")
    for hours in (0, 1, 1.5, 2, 3):
        set_clock(NOON + hours * HOUR)
        everything = client.get(CHANGES).json
        assert client.get(f"{CHANGES}?since=now").json == {**everything, "changes": []}
        assert client.get(f"{CHANGES}?since=now&limit=1").json["cursor"] == everything["cursor"]


def test_after_now_every_later_change_is_listed(as_admin, as_reader, make_article, make_tag, set_clock):
    set_clock(NOON)
    scheduled = make_article(published_at=(NOON + HOUR).isoformat())
    cursor = as_reader.get(f"{CHANGES}?since=now").json["cursor"]
    assert as_reader.get(f"{CHANGES}?since={cursor}").json == {"changes": [], "cursor": cursor, "more": False}
    tag = make_tag()
    set_clock(NOON + HOUR)
    changes = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    listed = [change["uuid"] for change in changes if change["kind"] != "author"]
    assert listed == [str(tag.uuid), str(scheduled.uuid)]


@pytest.mark.parametrize("since", ["NOW", "now ", "nowx", "p-now"])
def test_only_the_exact_word_is_accepted(as_reader, since):
    assert outcome(as_reader.get(f"{CHANGES}?since={since}")) == (400, "invalid_query")


def test_now_executes_few_statements(as_reader, make_article, record_statements):
    for _ in range(10):
        make_article()
    as_reader.get(CHANGES)
    with record_statements() as executed:
        as_reader.get(f"{CHANGES}?since=now")
    assert len(executed) <= 4
