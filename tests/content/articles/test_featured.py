"""Featured articles, and what search engines may do with the page of an article."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES
from tests.content.articles.lists.test_status_lists import titles
from tests.site.conftest import set_site

__all__ = ["set_site"]


@pytest.fixture
def shelf(make_article):
    """Four articles, from old to new, of which two public ones and a draft are featured."""
    for number, fields in enumerate(({"featured": True}, {}, {"featured": True}, {}), 1):
        make_article(title=f"A{number}", published_at=f"2026-01-0{number}T00:00:00Z", **fields)
    make_article(title="Draft", status="draft", featured=True)
    make_article(title="Unlisted", status="unlisted", featured=True)


def test_lists_select_featured_articles_and_show_them_first(as_reader, shelf):
    for query, found in (
        ("featured=true", ["A3", "A1"]),
        ("featured=false", ["A4", "A2"]),
        ("featured=true&ordering=title&page=1", ["A1", "A3"]),
        ("ordering=-featured", ["A3", "A1", "A4", "A2"]),
        ("ordering=-featured&page=2&page_size=2", ["A4", "A2"]),
        ("featured=true&q=a1", ["A1"]),
    ):
        assert titles(as_reader, query) == found, query
    answer = as_reader.get(f"{ARTICLES}?featured=true&page=1&page_size=1")
    assert answer.headers["X-Total-Count"] == "2"


def test_admins_list_featured_articles_in_any_status(as_admin, shelf):
    assert sorted(titles(as_admin, "status=any&featured=true")) == ["A1", "A3", "Draft", "Unlisted"]
    assert titles(as_admin, "status=draft&ordering=-featured") == ["Draft"]
    answer = as_admin.get(f"{ARTICLES}?status=any&ordering=-featured")
    assert (answer.status_code, list(answer.json["errors"])) == (400, ["ordering"])


@pytest.mark.parametrize("value", ["yes", "1", "", "True"])
def test_the_filter_takes_no_other_values(as_reader, value):
    assert as_reader.get(f"{ARTICLES}?featured={value}").status_code == 400


def test_a_response_has_the_fields_only_on_request(as_admin, as_reader):
    body = {"title": "T", "status": "published", "featured": True, "robots": "noindex"}
    created = as_admin.post(ARTICLES, json=body)
    assert created.status_code == 201 and not {"featured", "robots"} & created.json.keys()
    path = f"{ARTICLES}{created.json['uuid']}/"
    assert as_reader.get(f"{path}?fields=featured,robots").json == {"featured": True, "robots": "noindex"}
    # A PUT without the fields keeps them, and a version has them.
    assert as_admin.put(path, json={"title": "Other", "status": "published"}).status_code == 200
    assert as_reader.get(f"{path}?fields=featured,robots").json == {"featured": True, "robots": "noindex"}
    assert as_admin.patch(path, json={"featured": False, "robots": ""}).status_code == 200
    version = as_admin.get(f"{path}revisions/2/").json
    assert (version["featured"], version["robots"]) == (True, "noindex")
    compared = as_admin.get(f"{path}revisions/2/compare/").json["changes"]
    assert {"featured", "robots"} <= {change["field"] for change in compared}


@pytest.mark.parametrize("wrong", [{"featured": "yes"}, {"robots": "none"}, {"robots": None}])
def test_wrong_values_are_refused(as_admin, wrong):
    answer = as_admin.post(ARTICLES, json={"title": "T", **wrong})
    assert (answer.status_code, list(answer.json["errors"])) == (422, list(wrong))


def test_search_engines_get_no_page_that_they_shall_not_show(as_reader, make_article, set_site):
    set_site(url="https://blog.example", article_path="/{slug}/")
    robots = {"shown": "", "hidden": "noindex", "lonely": "noindex, nofollow"}
    for slug, value in robots.items():
        make_article(title=slug, slug=slug, robots=value)
    make_article(title="secret", slug="secret", status="unlisted")
    heads = {
        slug: as_reader.get(f"{ARTICLES}{slug}/?fields=head").json["head"]["robots"]
        for slug in (*robots, "secret")
    }
    assert heads == {**robots, "shown": "max-image-preview:large", "secret": "noindex"}
    sitemap = as_reader.get("/sitemap.xml").text
    assert [slug for slug in heads if f"/{slug}/" in sitemap] == ["shown"]
