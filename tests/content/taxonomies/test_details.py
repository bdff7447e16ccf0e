"""The description, the cover and the SEO data of terms, and the head of their pages."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES

BLOG = "/api/v1/blog/"
CATEGORIES, TAGS, AUTHORS = (f"{BLOG}{name}/" for name in ("categories", "tags", "authors"))
EACH = pytest.mark.parametrize("path", [CATEGORIES, TAGS, AUTHORS])
PICTURE = "https://pictures.example/rye.jpg"
DETAILS = {
    "cover_image": PICTURE,
    "seo_title": "All about rye",
    "seo_description": "What rye is",
    "og_image": "https://pictures.example/og.jpg",
    "canonical_url": "https://elsewhere.example/rye/",
}
NAMES = ",".join(DETAILS)
DOCUMENTED = {
    CATEGORIES: {"uuid", "name", "description", "cover_image", "slug"},
    TAGS: {"uuid", "created", "last_updated", "name", "slug", "user"},
    AUTHORS: {"uuid", "name", "slug", "bio", "url", "avatar", "user"},
}


@pytest.fixture
def make(as_admin):
    """Creates a term and returns its uuid."""

    def create(path, name="Rye", **fields):
        response = as_admin.post(path, json={"name": name, **fields})
        assert response.status_code == 201, response.json
        return response.json["uuid"]

    return create


@pytest.fixture
def set_site(as_login):
    """Sets fields of the site."""
    return lambda **fields: as_login.patch(f"{BLOG}site/", json=fields)


def get_graph(head, kind):
    (found,) = [node for node in head["json_ld"]["@graph"] if node["@type"] == kind]
    return found


@EACH
def test_the_details_are_shown_only_if_they_are_requested(as_admin, make, path):
    term = make(path, **DETAILS)
    assert as_admin.get(f"{path}{term}/?fields={NAMES}").json == DETAILS
    assert as_admin.get(f"{path}?fields=slug,{NAMES}&slug=rye").json == [{"slug": "rye", **DETAILS}]
    assert set(as_admin.get(f"{path}?slug=rye").json[0]) == DOCUMENTED[path]
    changed = as_admin.patch(f"{path}{term}/?fields=seo_title,og_image", json={"seo_title": "Rye"})
    assert changed.json == {"seo_title": "Rye", "og_image": DETAILS["og_image"]}


@EACH
def test_a_replaced_term_keeps_the_details_that_the_body_does_not_name(as_admin, make, path):
    term = make(path, **DETAILS)
    cover = {"cover_image": PICTURE} if path == CATEGORIES else {}
    assert (
        as_admin.put(f"{path}{term}/", json={"name": "Rye", **cover, "seo_title": "New"}).status_code == 200
    )
    assert as_admin.get(f"{path}{term}/?fields={NAMES}").json == DETAILS | {"seo_title": "New"}
    (shown,) = as_admin.get(f"{path}?fields=*,{NAMES},head&slug=rye").json
    written = as_admin.put(f"{path}{term}/?fields=*,{NAMES},head", json=shown)
    # The body contains all that a reader sees, so that only the time of the change differs.
    assert written.json | {"last_updated": ""} == shown | {"last_updated": ""}


@EACH
@pytest.mark.parametrize("name", ["cover_image", "og_image", "canonical_url"])
def test_addresses_are_checked(as_admin, path, name):
    response = as_admin.post(path, json={"name": "Rye", name: "javascript:alert(1)"})
    assert (response.status_code, list(response.json["errors"])) == (422, [name])


@EACH
def test_a_change_of_a_detail_changes_the_etag_and_needs_the_current_one(as_admin, make, path):
    term = make(path)
    etag = as_admin.get(f"{path}{term}/").headers["ETag"]
    assert as_admin.patch(f"{path}{term}/", json={"seo_title": "New"}).status_code == 200
    stale = as_admin.patch(f"{path}{term}/", json={"seo_title": "Old"}, headers={"If-Match": etag})
    assert stale.status_code == 412


@EACH
@pytest.mark.parametrize(("client", "status"), [("as_stranger", 401), ("as_reader", 403), ("as_member", 403)])
def test_readers_cannot_write_details(request, make, path, client, status):
    term = make(path)
    response = request.getfixturevalue(client).patch(f"{path}{term}/", json={"seo_title": "Mine"})
    assert response.status_code == status


def test_the_details_of_an_author_are_as_hidden_as_their_name(as_reader, as_admin, make):
    author = make(AUTHORS, **DETAILS)
    for query in (f"{AUTHORS}{author}/?fields=seo_title", f"{AUTHORS}rye/?fields=head"):
        assert as_reader.get(query).status_code == 404
        assert as_admin.get(query).status_code == 200
    assert as_reader.get(f"{AUTHORS}?fields=seo_title").json == []


def test_the_head_of_a_term(as_reader, make, set_site):
    set_site(url="https://blog.example", title="Crumbs", language="en-GB")
    tag = make(TAGS, description="A dark\nloaf", cover_image=PICTURE)
    head = as_reader.get(f"{TAGS}{tag}/?fields=head").json["head"]
    url = "https://blog.example/tag/rye/"
    assert {name: head[name] for name in ("title", "description", "canonical")} == {
        "title": "Rye",
        "description": "A dark loaf",
        "canonical": url,
    }
    assert head["open_graph"] == {
        "og:type": "website",
        "og:title": "Rye",
        "og:description": "A dark loaf",
        "og:url": url,
        "og:image": PICTURE,
        "og:site_name": "Crumbs",
        "og:locale": "en_GB",
    }
    assert head["twitter"]["twitter:image"] == PICTURE
    assert get_graph(head, "CollectionPage")["url"] == url
    assert [item["name"] for item in get_graph(head, "BreadcrumbList")["itemListElement"]] == [
        "Crumbs",
        "Rye",
    ]
    assert "<title>Rye</title>" in head["html"]


@EACH
def test_the_head_of_a_page_of_the_articles_has_its_own_title_and_address(as_admin, make, set_site, path):
    set_site(url="https://blog.example", title="Crumbs")
    term = make(path)
    first = as_admin.get(f"{path}{term}/?fields=head").json["head"]
    assert as_admin.get(f"{path}rye/?fields=head&page=1").json["head"] == first
    second = as_admin.get(f"{path}rye/?fields=head&page=2").json["head"]
    assert (second["title"], second["canonical"]) == ("Rye (2)", f"{first['canonical']}page/2/")
    assert second["open_graph"]["og:url"] == second["canonical"]
    as_admin.patch(f"{path}{term}/", json={"canonical_url": "https://elsewhere.example/rye/"})
    second = as_admin.get(f"{path}{term}/?fields=head&page=2").json["head"]
    assert (second["title"], second["canonical"]) == ("Rye (2)", "https://elsewhere.example/rye/")
    for query in ("page=0", "page=x", "page=1&page_size=5"):
        assert as_admin.get(f"{path}{term}/?{query}").status_code == 400


def test_the_head_of_an_author_describes_a_person(as_admin, make):
    author = make(AUTHORS, bio="Bakes", url="https://ada.example/", **DETAILS)
    head = as_admin.get(f"{AUTHORS}{author}/?fields=head").json["head"]
    assert (head["title"], head["canonical"]) == (DETAILS["seo_title"], DETAILS["canonical_url"])
    person = get_graph(head, "ProfilePage")["mainEntity"]
    assert (person["name"], person["sameAs"]) == ("Rye", "https://ada.example/")


@EACH
@pytest.mark.parametrize("number", [1, 20])
def test_the_details_of_a_list_cost_the_same_statements_for_any_length(
    as_admin, make, record_statements, path, number
):
    for index in range(number):
        make(path, f"Name {index}")
    as_admin.get(path)
    with record_statements() as statements:
        as_admin.get(f"{path}?fields=slug,head,seo_title")
    with record_statements() as plain:
        as_admin.get(f"{path}?fields=slug")
    assert len(statements) - len(plain) == (2 if path == CATEGORIES else 1)


def test_articles_show_terms_without_their_details(as_reader, as_admin, make):
    category, tag = make(CATEGORIES, **DETAILS), make(TAGS, description="Dark", **DETAILS)
    body = {"title": "Loaf", "status": "published", "category": {"uuid": category}, "tags": [{"uuid": tag}]}
    article = as_admin.post(ARTICLES, json=body).json
    shown = as_reader.get(f"{ARTICLES}{article['uuid']}/").json
    assert set(shown["tags"][0]) == DOCUMENTED[TAGS]
    assert set(shown["category"]) == DOCUMENTED[CATEGORIES] | {"user", "created", "last_updated"}
