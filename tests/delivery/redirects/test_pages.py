"""Redirects from the addresses that pages had, of their own or because of a page above them."""

from __future__ import annotations

from types import SimpleNamespace
from urllib.parse import quote
from uuid import UUID

import pytest

from blogapi.content.articles import service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.publication.models import Event
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES
from tests.delivery.redirects.test_former_paths import add_paths as add_paths
from tests.delivery.redirects.test_routes import REDIRECTS
from tests.site.conftest import set_site as set_site

PAGES = "/api/v1/blog/pages/"
SITE = "/api/v1/blog/site/"
CHANGES = "/api/v1/blog/changes/"


@pytest.fixture(autouse=True)
def address(set_site):
    """The site is in a folder of its host."""
    set_site(url="https://example.org/blog")


@pytest.fixture
def make_page(as_admin):
    def make(title, **fields):
        answer = as_admin.post(PAGES, json={"title": title, "status": "published", **fields})
        assert answer.status_code == 201, answer.json
        return answer.json["uuid"]

    return make


@pytest.fixture
def tree(make_page):
    """Pages below each other, and one beside them: their uuids by slug."""
    about = make_page("About")
    team = make_page("Team", parent=about)
    return {
        "about": about,
        "team": team,
        "ada": make_page("Ada", parent=team),
        "imprint": make_page("Imprint"),
    }


@pytest.fixture
def change(as_admin):
    def change(uuid, **fields):
        answer = as_admin.patch(f"{PAGES}{uuid}/", json=fields)
        assert answer.status_code == 200, answer.json

    return change


def list_redirects(client):
    """Return the paths of all redirects, by their former path."""
    rows = client.get(REDIRECTS).json
    assert {row["kind"] for row in rows} <= {"page"}
    host = "https://example.org/blog"
    return {row["old_url"].removeprefix(host): row["new_url"].removeprefix(host) for row in rows}


def list_changes(client, before):
    answer = client.get(f"{CHANGES}?since={before}").json
    return {(item["kind"], item["uuid"], item["action"]) for item in answer["changes"]}


def get_cursor(client):
    return client.get(f"{CHANGES}?since=now").json["cursor"]


def test_a_new_slug_redirects_the_page_and_those_below_it(as_reader, tree, change):
    cursor = get_cursor(as_reader)
    change(tree["about"], slug="about-us")
    assert list_redirects(as_reader) == {
        "/about/": "/about-us/",
        "/about/team/": "/about-us/team/",
        "/about/team/ada/": "/about-us/team/ada/",
    }
    moved = {("page", tree[slug], "fetch") for slug in ("about", "team", "ada")}
    assert list_changes(as_reader, cursor) == moved


def test_a_row_names_the_page(as_reader, tree, change):
    change(tree["team"], slug="people")
    row = as_reader.get(REDIRECTS).json[0]
    assert {**row, "created": None} == {
        **{"kind": "page", "old": "/blog/about/team/", "new": "people"},
        **{"item": tree["team"], "article": None, "created": None},
        "old_url": "https://example.org/blog/about/team/",
        "new_url": "https://example.org/blog/about/people/",
    }
    assert as_reader.get(f"{REDIRECTS}?path=/blog/about/team").json == [row]
    assert as_reader.get(f"{REDIRECTS}?format=netlify").text.splitlines() == [
        "/blog/about/team/ /blog/about/people/ 308",
        "/blog/about/team/ada/ /blog/about/people/ada/ 308",
    ]
    assert as_reader.get(f"{PAGES}team/").headers["Location"] == f"{PAGES}people/"


def test_a_new_parent_redirects_the_page_and_those_below_it(as_reader, tree, change):
    cursor = get_cursor(as_reader)
    change(tree["team"], parent=tree["imprint"])
    assert list_redirects(as_reader) == {
        "/about/team/": "/imprint/team/",
        "/about/team/ada/": "/imprint/team/ada/",
    }
    assert list_changes(as_reader, cursor) == {
        ("page", tree["team"], "fetch"),
        ("page", tree["ada"], "fetch"),
    }


def test_a_deleted_page_redirects_those_below_it(as_admin, as_reader, tree):
    cursor = get_cursor(as_reader)
    as_admin.delete(f"{PAGES}{tree['about']}/")
    assert list_redirects(as_reader) == {"/about/team/": "/team/", "/about/team/ada/": "/team/ada/"}
    assert list_changes(as_reader, cursor) == {
        ("page", tree["about"], "drop"),
        ("page", tree["team"], "fetch"),
        ("page", tree["ada"], "fetch"),
    }


def test_a_new_pattern_redirects_all_pages(as_login, as_reader, tree):
    as_login.patch(SITE, json={"page_path": "/pages/{slug}/"})
    assert list_redirects(as_reader) == {
        "/about/": "/pages/about/",
        "/about/team/": "/pages/team/",
        "/about/team/ada/": "/pages/ada/",
        "/imprint/": "/pages/imprint/",
    }
    as_login.patch(SITE, json={"page_path": "/{path}/"})
    assert list_redirects(as_reader)["/pages/ada/"] == "/about/team/ada/"
    assert "/about/team/ada/" not in list_redirects(as_reader)


def test_an_address_that_a_page_has_again_is_no_redirect(as_reader, tree, change):
    change(tree["about"], slug="about-us")
    change(tree["about"], slug="about")
    assert list_redirects(as_reader) == {
        "/about-us/": "/about/",
        "/about-us/team/": "/about/team/",
        "/about-us/team/ada/": "/about/team/ada/",
    }
    assert as_reader.get(f"{REDIRECTS}?path=/blog/about/").json == []


def test_a_page_that_leaves_an_address_again_is_redirected_from_it(as_reader, tree, change):
    for slug in ("legal", "imprint", "contact"):
        change(tree["imprint"], slug=slug)
    assert list_redirects(as_reader) == {"/imprint/": "/contact/", "/legal/": "/contact/"}


@pytest.mark.parametrize("kind", ["article", "page"])
def test_an_address_that_two_items_had_leads_to_the_last_one(
    as_reader, as_admin, tree, change, add_paths, kind
):
    path = ARTICLES if kind == "article" else PAGES
    other = as_admin.post(path, json={"title": "Imported", "status": "published"}).json
    add_paths(SimpleNamespace(uuid=UUID(other["uuid"])), "/blog/imprint/")
    change(tree["imprint"], slug="legal")
    (row,) = as_reader.get(f"{REDIRECTS}?path=/blog/imprint/").json
    assert (row["item"], row["new_url"]) == (tree["imprint"], "https://example.org/blog/legal/")


@pytest.mark.parametrize("status", ["draft", "archived"])
def test_addresses_of_hidden_pages_are_not_redirected(as_admin, as_reader, tree, change, make_page, status):
    hidden = make_page("Plans", status="draft", parent=tree["about"])
    cursor = get_cursor(as_reader)
    change(tree["team"], status=status)
    change(tree["about"], slug="about-us")
    assert list_redirects(as_reader).keys() == {"/about/", "/about/team/ada/"}
    assert as_reader.get(REDIRECTS).headers["ETag"] != ""
    assert as_reader.get(f"{REDIRECTS}?path=/blog/about/team/").json == []
    assert hidden not in str(list_changes(as_reader, cursor))
    # No reader knew the address of the draft.
    change(hidden, status="published")
    assert "/about/plans/" not in list_redirects(as_reader)


def test_an_unlisted_page_is_redirected_only_for_those_who_ask_for_its_path(as_reader, tree, change):
    change(tree["ada"], status="unlisted")
    change(tree["about"], slug="about-us")
    assert "/about/team/ada/" not in list_redirects(as_reader)
    (row,) = as_reader.get(f"{REDIRECTS}?path={quote('/blog/about/team/ada/')}").json
    assert row["item"] == tree["ada"]


def test_the_count_leaves_out_what_the_list_leaves_out(as_admin, as_reader, tree, change, make_article):
    article = make_article(slug="rye")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "rye-bread"})
    change(tree["about"], slug="about-us")
    change(tree["ada"], published_at="2999-01-01T00:00:00Z")
    answer = as_reader.get(f"{REDIRECTS}?page=1")
    assert [row["old"] for row in answer.json] == ["/blog/about/", "/blog/about/team/", "rye"]
    assert answer.headers["X-Total-Count"] == "3"


def test_the_address_of_a_page_hides_the_former_path_of_an_article(
    as_reader, tree, change, make_article, add_paths
):
    article = make_article(slug="rye")
    add_paths(article, "/blog/about/team/", "/blog/rye-2009/")
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["/blog/rye-2009/"]
    change(tree["about"], status="draft")
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["/blog/rye-2009/"]
    change(tree["team"], status="draft")
    rows = as_reader.get(REDIRECTS).json
    assert [(row["old"], row["new"]) for row in rows] == [
        ("/blog/about/team/", "rye"),
        ("/blog/rye-2009/", "rye"),
    ]


@pytest.mark.parametrize("pages", [1, 12])
def test_a_move_takes_the_same_statements_for_any_number_of_pages(
    as_admin, make_page, record_statements, pages
):
    top = make_page("Top")
    for number in range(pages):
        make_page(f"Page {number}", parent=top)
    with record_statements() as executed:
        assert as_admin.patch(f"{PAGES}{top}/", json={"slug": "new"}).status_code == 200
    assert len(executed) == 16


def test_the_events_of_pages_below_have_their_addresses(app, as_admin, tree, change):
    change(tree["about"], slug="about-us")
    with app.app_context():
        event = (
            db.session.query(Event).filter(Event.uuid == UUID(tree["ada"]), Event.newest.is_not(None)).one()
        )
        assert (event.path_before, event.path) == ("/about/team/ada/", "/about-us/team/ada/")
        assert event.changed_fields == ["url"]


def test_pages_that_one_transaction_creates_and_moves_have_no_former_path(app, people, as_reader):
    with app.app_context(), transaction():
        admin = people.admin.uuid
        published = {"status": "published", "type": "page"}
        top = service.create_article_in_transaction(
            admin, ArticleInput(texts={"title": "Top"}, **published)
        ).uuid
        below = service.create_article_in_transaction(
            admin, ArticleInput(texts={"title": "Below"}, **published)
        ).uuid
        service.change_article_in_transaction(admin, below, ArticleInput(type="page", parent=top))
    assert list_redirects(as_reader) == {}
    assert as_reader.get(f"{PAGES}{below}/?fields=url").json == {"url": "https://example.org/blog/top/below/"}


def test_a_page_that_moves_while_it_is_hidden_keeps_the_address_that_readers_knew(as_reader, tree, change):
    for fields in ({"status": "draft"}, {"slug": "law"}, {"slug": "legal"}, {"status": "published"}):
        change(tree["imprint"], **fields)
    assert list_redirects(as_reader)["/imprint/"] == "/legal/"


def test_the_move_of_a_page_tells_of_no_hidden_page_below_it(as_reader, as_admin, tree, change, make_page):
    later = {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"}
    for title, fields in (("Later", later), ("Notes", {"status": "unlisted"})):
        make_page(title, parent=tree["about"], **fields)
    draft = make_page("Draft", parent=tree["about"], status="draft")
    before = get_cursor(as_reader), get_cursor(as_admin)
    change(tree["about"], slug="about-us")
    moved = {("page", tree[slug], "fetch") for slug in ("about", "team", "ada")}
    assert list_changes(as_reader, before[0]) == moved
    # The draft has no address that could change.
    assert draft not in {uuid for _, uuid, _ in list_changes(as_admin, before[1])}


def test_another_language_of_the_site_redirects_the_pages_with_a_language(as_login, as_reader, tree):
    assert as_login.patch(SITE, json={"page_path": "/{language}/{path}/"}).status_code == 200
    assert as_login.patch(SITE, json={"language": "de"}).status_code == 200
    assert list_redirects(as_reader)["/en/about/team/"] == "/de/about/team/"
