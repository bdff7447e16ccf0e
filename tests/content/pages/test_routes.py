"""Pages: like articles, with a place in a tree and without a category, and in no list of articles."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.site.conftest import set_site

__all__ = ["set_site"]

PAGES = "/api/v1/blog/pages/"
ARTICLES = "/api/v1/blog/articles/"


def test_a_page_has_no_category_and_a_place(make_page, as_reader):
    about = make_page("About")
    team = make_page("Team", parent=about["uuid"], position=2)
    assert (team["parent"], team["position"], team["slug"]) == (about["uuid"], 2, "team")
    assert "category" not in team
    assert as_reader.get(f"{PAGES}{team['uuid']}/").json == team
    assert as_reader.get(f"{PAGES}team/").json == team


def test_pages_are_listed_by_their_position(make_page, as_reader):
    for position, title in ((3, "Third"), (1, "First"), (2, "Second")):
        make_page(title, position=position)
    assert [page["title"] for page in as_reader.get(PAGES).json] == ["First", "Second", "Third"]
    page = as_reader.get(f"{PAGES}?ordering=-title&page=1&page_size=2&fields=title")
    assert page.json == [{"title": "Third"}, {"title": "Second"}]
    assert page.headers["X-Total-Count"] == "3"


LISTS = (
    ARTICLES,
    f"{ARTICLES}?q=imprint",
    f"{ARTICLES}?ordering=title",
    f"{ARTICLES}?ordering=-last_updated",
    f"{ARTICLES}?ordering=-featured",
    f"{ARTICLES}?tag=law",
    f"{ARTICLES}?author=ada",
    f"{ARTICLES}?slug=imprint",
    f"{ARTICLES}?status=published",
    f"{ARTICLES}?status=any",
    f"{ARTICLES}?status=any&q=imprint",
    f"{ARTICLES}?status=any&tag=law",
    f"{ARTICLES}?status=any&tag=law&q=imprint",
    f"{ARTICLES}?status=any&author=ada&q=imprint",
    f"{ARTICLES}?status=any&category=shelf&tag=law&q=imprint",
    f"{ARTICLES}?status=any&language=en&q=imprint",
    f"{ARTICLES}?tag=law&q=imprint&page=1&page_size=1",
    f"{ARTICLES}own/?status=any&tag=law&q=imprint",
    f"{ARTICLES}?status=any&ordering=title",
    f"{ARTICLES}?status=any&ordering=last_updated",
    f"{ARTICLES}author/me/",
    f"{ARTICLES}own/?status=published",
    "/api/v1/blog/archive/",
    "/feeds/rss.xml",
)


def test_a_page_is_in_no_list_of_articles(as_admin, make_page, set_site):
    set_site(url="https://blog.test")
    as_admin.post("/api/v1/blog/tags/", json={"name": "law"})
    before = {path: as_admin.get(path) for path in LISTS}
    make_page("Imprint", tags=[{"slug": "law"}], content="imprint")
    for path in LISTS:
        after = as_admin.get(path)
        assert before[path].status_code == after.status_code == 200, path
        assert "Imprint" not in after.text, path
        assert before[path].headers.get("X-Total-Count") == after.headers.get("X-Total-Count"), path


def test_counts_leave_out_pages(as_admin, make_page):
    tag = as_admin.post("/api/v1/blog/tags/", json={"name": "law"}).json
    page = make_page("Imprint", tags=[{"slug": "law"}])
    draft = make_page("Draft", status="draft")
    as_admin.put(f"{PAGES}{draft['uuid']}/working-copy/", json={"title": "Edited"})
    counts = as_admin.get("/api/v1/blog/article-counts/").json
    assert (counts["any"], counts["edited"], counts["published"]) == (0, 0, 0)
    shown = as_admin.get(f"/api/v1/blog/tags/{tag['uuid']}/?fields=articles_by_status").json
    assert set(shown["articles_by_status"].values()) <= {0}
    assert as_admin.delete(f"{PAGES}{page['uuid']}/").status_code == 204
    assert as_admin.get("/api/v1/blog/article-counts/").json["any"] == 0


@pytest.mark.parametrize("method", ["get", "patch", "delete", "put"])
def test_neither_path_knows_the_items_of_the_other(as_admin, make_page, make_article, method):
    page, article = make_page("Imprint"), make_article(title="Rye")
    body = {} if method == "get" else {"json": {"title": "Other"}}
    for path in (f"{ARTICLES}{page['uuid']}/", f"{PAGES}{article.uuid}/"):
        assert getattr(as_admin, method)(path, **body).status_code == 404, path
    assert as_admin.get(f"{ARTICLES}imprint/").status_code == 404
    assert as_admin.get(f"{PAGES}{page['uuid']}/").json == page


def test_a_page_cannot_be_below_itself(as_admin, make_page):
    top = make_page("Top")
    below = make_page("Below", parent=top["uuid"])
    for parent in (top["uuid"], below["uuid"], str(uuid4())):
        answer = as_admin.patch(f"{PAGES}{top['uuid']}/", json={"parent": parent})
        assert (answer.status_code, [*answer.json["errors"]]) == (422, ["parent"])
    assert as_admin.post(PAGES, json={"title": "x", "category": {"slug": "y"}}).status_code == 422


def test_at_most_20_pages_are_above_a_page(as_admin, make_page):
    chain = [make_page("Page 0")["uuid"]]
    for number in range(1, 21):
        chain.append(make_page(f"Page {number}", parent=chain[-1])["uuid"])
    other = make_page("Other")["uuid"]
    below = make_page("Below", parent=other)["uuid"]
    moves = [{"uuid": other, "parent": chain[19]}]
    for method, path, body in (
        ("POST", PAGES, {"title": "Too deep", "parent": chain[20]}),
        ("PATCH", f"{PAGES}{below}/", {"parent": chain[20]}),
        ("PATCH", f"{PAGES}{other}/", {"parent": chain[19]}),
        ("PATCH", PAGES, moves),
        ("PUT", f"{PAGES}{uuid4()}/", {"title": "Too deep", "parent": chain[20]}),
    ):
        answer = as_admin.open(path, method=method, json=body)
        assert answer.status_code == 422, (method, path)
        assert "at most 20 pages" in str(answer.json["errors"])
    assert as_admin.patch(f"{PAGES}{other}/", json={"parent": chain[18]}).status_code == 200


def test_the_address_of_a_page_joins_the_slugs_above_it(as_admin, make_page, as_reader, set_site):
    set_site(url="https://blog.test")
    about = make_page("About")
    team = make_page("Team", parent=about["uuid"])
    path = f"{PAGES}{team['uuid']}/?fields=url,head"
    shown = as_reader.get(path).json
    assert shown["url"] == "https://blog.test/about/team/" == shown["head"]["canonical"]
    sitemap = as_reader.get("/sitemap.xml").text
    assert "<loc>https://blog.test/about/team/</loc>" in sitemap
    set_site(url="https://blog.test", page_path="/p/{slug}.html")
    assert as_reader.get(path).json["url"] == "https://blog.test/p/team.html"
    assert as_admin.patch(f"{PAGES}{team['uuid']}/", json={"robots": "noindex"}).status_code == 200
    answer = as_reader.get("/sitemap.xml")
    assert (answer.status_code, "team" in answer.text) == (200, False)


@pytest.mark.parametrize("status", ["draft", "archived", "unlisted"])
def test_a_page_that_is_not_listed_is_in_no_list(as_admin, make_page, as_reader, status):
    page = make_page("Imprint", status="draft")
    if status != "draft":
        as_admin.patch(f"{PAGES}{page['uuid']}/", json={"status": status})
    assert as_reader.get(PAGES).json == []
    assert as_reader.get(f"{PAGES}imprint/").status_code == (200 if status == "unlisted" else 404)
    assert [item["title"] for item in as_admin.get(f"{PAGES}?status=any").json] == ["Imprint"]


def test_a_page_has_versions_and_a_working_copy(as_admin, make_page):
    page = make_page("Imprint", content="old")
    path = f"{PAGES}{page['uuid']}/"
    assert as_admin.put(f"{path}working-copy/", json={"title": "Imprint", "content": "new"}).status_code in (
        200,
        201,
    )
    assert as_admin.post(f"{path}working-copy/publish/?fields=title").status_code == 200
    assert as_admin.get(f"{PAGES}{page['uuid']}/").json["content"] == "new"
    versions = as_admin.get(f"{path}revisions/").json
    assert as_admin.post(f"{path}revisions/{versions[-1]['number']}/restore/?fields=title").status_code == 200
    assert as_admin.get(f"{PAGES}{page['uuid']}/").json["content"] == "old"


def test_changes_name_pages(as_admin, make_page, as_reader):
    page = make_page("Imprint")
    changes = as_reader.get("/api/v1/blog/changes/?since=0").json["changes"]
    assert {"kind": "page", "uuid": page["uuid"], "action": "fetch"} in changes


def test_pages_below_a_deleted_page_move_to_the_top(as_admin, make_page, as_reader, set_site):
    set_site(url="https://blog.example")
    about = make_page("About")
    team = make_page("Team", parent=about["uuid"])
    assert as_admin.delete(f"{PAGES}{about['uuid']}/").status_code == 204
    found = as_reader.get(f"{PAGES}{team['uuid']}/?fields=parent,url").json
    assert found == {"parent": None, "url": "https://blog.example/team/"}


@pytest.fixture
def tree(make_page):
    """Pages at the top and below another, with a hidden page in each place: uuids by slug."""
    pages = {}
    for position, (slug, above, status) in enumerate(
        (
            *(("about", "", "published"), ("plans", "", "draft"), ("imprint", "", "published")),
            *(("team", "about", "published"), ("jobs", "about", "draft"), ("press", "about", "published")),
            *(("ada", "team", "published"), ("leaflet", "plans", "published")),
        )
    ):
        parent = {"parent": pages[above]} if above else {}
        pages[slug] = make_page(slug, position=position, status=status, **parent)["uuid"]
    return pages


def list_slugs(client, query):
    answer = client.get(f"{PAGES}?fields=slug&{query}")
    assert answer.status_code == 200, answer.json
    return [page["slug"] for page in answer.json]


def test_pages_are_filtered_by_the_page_above(as_admin, as_reader, tree):
    assert list_slugs(as_reader, "parent=about") == ["team", "press"]
    assert list_slugs(as_reader, f"parent={tree['about']}") == ["team", "press"]
    assert list_slugs(as_reader, "parent=") == ["about", "imprint"]
    assert list_slugs(as_reader, "parent=about&ordering=-title") == ["team", "press"]
    assert list_slugs(as_reader, "parent=about&q=press") == ["press"]
    assert list_slugs(as_admin, "parent=about&status=any") == ["team", "jobs", "press"]
    assert list_slugs(as_admin, "parent=&status=draft") == ["plans"]
    page = as_reader.get(f"{PAGES}?parent=about&page=2&page_size=1&fields=slug")
    assert (page.json, page.headers["X-Total-Count"]) == ([{"slug": "press"}], "2")


def test_a_former_slug_filters_too(as_admin, as_reader, tree):
    as_admin.patch(f"{PAGES}{tree['about']}/", json={"slug": "us"})
    assert list_slugs(as_reader, "parent=about") == list_slugs(as_reader, "parent=us") == ["team", "press"]


def test_the_filter_by_the_page_above_does_not_tell_of_hidden_pages(as_admin, as_reader, tree, make_article):
    make_article(slug="rye")
    for unknown in ("plans", "jobs", "nothing", "rye", str(uuid4()), "..", "none"):
        assert list_slugs(as_reader, f"parent={unknown}") == []
    assert list_slugs(as_admin, "parent=plans") == ["leaflet"]


@pytest.mark.parametrize("query", [f"parent={'a' * 256}", "parent=a&parent=b", "parent=%00", "parents=about"])
def test_a_malformed_filter_is_refused(as_reader, query):
    assert as_reader.get(f"{PAGES}?{query}").status_code == 400


@pytest.mark.parametrize("fields", ["url", "head", "*,html,url,links,head,custom", "working_copy"])
def test_the_response_to_a_write_has_the_fields_that_it_names(as_admin, as_login, as_stranger, fields):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.test"})
    path = f"{PAGES}?fields={fields}"
    created = as_admin.post(path, json={"title": "Imprint", "status": "published"})
    assert created.status_code == 201, created.json
    item = created.headers["Location"]
    assert as_admin.get(f"{item}?fields={fields}").json == created.json
    assert as_admin.patch(f"{item}?fields={fields}", json={"content": "x"}).status_code == 200
    as_admin.put(f"{item}working-copy/", json={"title": "Edited"})
    link = as_admin.post(f"{item}preview/").json["api_url"]
    assert as_stranger.get(f"{link}?fields={fields}").json.keys() <= created.json.keys()
    assert as_admin.post(f"{item}working-copy/publish/?fields={fields}").json.keys() == created.json.keys()


def test_pages_have_the_filters_of_articles(as_admin, as_login, as_reader, make_page, make_guest):
    guest = make_guest()
    for name, kind in (("company", "page"), ("rating", "article")):
        body = {"name": name, "label": name, "type": "text", "kinds": [kind]}
        assert as_login.post("/api/v1/blog/fields/", json=body).status_code == 201
    as_admin.post("/api/v1/blog/tags/", json={"name": "law"})
    law = {"tags": [{"slug": "law"}], "authors": [{"uuid": str(guest.uuid)}], "featured": True}
    imprint = make_page("Imprint", custom={"company": "Rye"}, published_at="2020-01-01T00:00:00Z", **law)
    about = make_page("About", published_at="2026-01-01T00:00:00Z")
    make_page("Draft", status="draft", **law)
    for query in (
        *("tag=law", "tags_all=law", f"author={guest.uuid}", "custom.company=Rye", "featured=true"),
        *(f"uuid={imprint['uuid']}", "published_before=2021-01-01", "tag=law&custom.company=Rye&q=imprint"),
    ):
        assert list_slugs(as_reader, query) == ["imprint"], query
        page = as_reader.get(f"{PAGES}?{query}&page=1&ordering=-published_at")
        assert (page.headers["X-Total-Count"], len(page.json)) == ("1", 1), query
    assert list_slugs(as_reader, "published_after=2021-01-01") == ["about"]
    assert list_slugs(as_reader, "not_tag=law&featured=false") == ["about"]
    assert list_slugs(as_reader, "updated_after=2999-01-01") == []
    assert sorted(list_slugs(as_admin, "tag=law&status=any")) == ["draft", "imprint"]
    as_admin.put(f"{PAGES}{about['uuid']}/working-copy/", json={"title": "Edited"})
    assert list_slugs(as_admin, "working_copy=true") == ["about"]
    for query in ("status=any", "working_copy=true", "working_copy=false"):
        assert as_reader.get(f"{PAGES}?{query}").status_code == 403
    for query in (
        "category=shelf",
        "exact=true",
        "not_category=shelf",
        "custom.secret=1",
        "ordering=-featured",
    ):
        assert as_reader.get(f"{PAGES}?{query}").status_code == 400, query


def test_an_custom_field_of_articles_is_none_of_pages(as_admin, as_login, make_page, make_article):
    for name, kind in (("company", "page"), ("rating", "article")):
        body = {"name": name, "label": name, "type": "text", "kinds": [kind]}
        assert as_login.post("/api/v1/blog/fields/", json=body).status_code == 201
    page, article = f"{PAGES}{make_page('Imprint')['uuid']}/", f"{ARTICLES}{make_article().uuid}/"
    for path, own, other in ((page, "company", "rating"), (article, "rating", "company")):
        assert as_admin.patch(path, json={"custom": {own: "x"}}).status_code == 200
        for method, part in (("PATCH", ""), ("PUT", "working-copy/")):
            refused = as_admin.open(
                f"{path}{part}", method=method, json={"title": "T", "custom": {other: "x"}}
            )
            assert (refused.status_code, [*refused.json["errors"]]) == (422, [f"custom.{other}"])
        assert as_admin.patch(path, json={"custom": {other: None}}).status_code == 200
