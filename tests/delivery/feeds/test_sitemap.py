"""The sitemap and robots.txt."""

from __future__ import annotations

from urllib.robotparser import RobotFileParser
from xml.etree.ElementTree import fromstring

import pytest
from sqlalchemy import event

from blogapi.delivery.feeds import sitemap
from blogapi.storage.database import db
from tests.conftest import ARTICLES, CATEGORIES

XML = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def get_locations(client, path="/sitemap.xml"):
    response = client.get(path)
    assert (response.status_code, response.content_type) == (200, "application/xml; charset=utf-8")
    return [element.text for element in fromstring(response.data).iter(f"{XML}loc")]  # noqa: S314


def test_there_is_no_sitemap_before_the_site_has_a_url(as_stranger, make_article):
    make_article()
    assert as_stranger.get("/sitemap.xml").status_code == 404
    assert as_stranger.get("/sitemap-1.xml").status_code == 404


def test_the_sitemap_lists_every_page_with_public_articles(
    as_stranger, site, make_article, make_category, make_tag
):
    used, unused = make_tag("used"), make_tag("unused")
    category = make_category(name="Used & more")
    make_category(name="Unused")
    article = make_article(title="Straße 日本", tags=(used,), category=category)
    make_article(status="draft", tags=(unused,))
    make_article(published_at="2999-01-01T00:00:00Z", tags=(unused,))
    locations = get_locations(as_stranger)
    assert locations[:3] == [
        "https://blog.example/",
        f"https://blog.example/category/{category.slug}/",
        "https://blog.example/tag/used/",
    ]
    assert locations[-1] == "https://blog.example/strasse-%E6%97%A5%E6%9C%AC/"
    assert article.slug == "strasse-日本"
    assert not [location for location in locations if "unused" in location]


@pytest.mark.parametrize(
    ("canonical_url", "is_listed"),
    [
        ("", True),
        ("https://blog.example/{slug}/", True),
        ("https://BLOG.example:443/{slug}", True),
        ("/{slug}/", True),
        ("https://medium.example/{slug}/", False),
        ("https://blog.example/another/", False),
        ("https://blog.example/{slug}/?page=2", False),
    ],
)
def test_an_item_whose_canonical_address_is_another_one_is_left_out(
    as_stranger, as_admin, site, make_category, canonical_url, is_listed
):
    category = make_category(name="straße")
    article = {"title": "Brød", "slug": "brod", "status": "published", "category": {"slug": category.slug}}
    page = {"title": "Über", "slug": "uber", "status": "published"}
    for path, body in ((ARTICLES, article), ("/api/v1/blog/pages/", page)):
        body |= {"content": "x", "seo": {"canonical_url": canonical_url.format(slug=body["slug"])}}
        assert as_admin.post(path, json=body).status_code == 201
    listed = get_locations(as_stranger)
    assert "https://blog.example/" in listed
    for slug in ("brod", "uber"):
        assert (f"https://blog.example/{slug}/" in listed) == is_listed
    own = f"category/{category.slug}"
    assert f"https://blog.example/{own}/" in listed
    body = {"canonical_url": canonical_url.format(slug=own)}
    assert as_admin.patch(f"{CATEGORIES}{category.uuid}/", json=body).status_code == 200
    assert (f"https://blog.example/{own}/" in get_locations(as_stranger)) == is_listed


@pytest.mark.parametrize("limits", [{"MAX_ENTRIES": 3}, {"MAX_SITEMAP_BYTES": 400}])
def test_a_sitemap_that_is_too_long_becomes_an_index(as_stranger, site, make_article, monkeypatch, limits):
    for _ in range(5):
        make_article()
    whole = get_locations(as_stranger)
    for name, value in (limits | {"ENTRIES_PER_PART": 3}).items():
        monkeypatch.setattr(sitemap, name, value)
    make_article(status="draft")
    as_stranger.application.extensions["blogapi-response-cache"].cache._evict_all()
    parts = get_locations(as_stranger)
    assert parts == [f"https://blog.example/sitemap-{n}.xml" for n in range(1, -(-len(whole) // 3) + 1)]
    found = [get_locations(as_stranger, part.removeprefix("https://blog.example")) for part in parts]
    assert [location for part in found for location in part] == whole
    assert {len(part) for part in found[:-1]} == {3}
    for number in (0, len(parts) + 1, 10**20):
        assert as_stranger.get(f"/sitemap-{number}.xml").status_code == 404


@pytest.mark.parametrize("address", ["/feeds/rss.xml", "/media/0/cat.jpg", "/sitemap.xml", "/sitemap-2.xml"])
def test_robots_may_fetch_feeds_sitemaps_and_media_only(as_stranger, address):
    parser = RobotFileParser()
    response = as_stranger.get("/robots.txt")
    assert response.content_type == "text/plain; charset=utf-8"
    parser.parse(response.text.splitlines())
    assert parser.can_fetch("any", address)
    for other in ("/", "/api/v1/blog/articles/", "/docs/", "/openapi.json"):
        assert not parser.can_fetch("any", other)


@pytest.mark.sqlite("the query planner chooses the wrong order")
def test_tags_without_public_articles_do_not_make_sqlite_read_all_articles(
    app, as_stranger, site, make_article
):
    make_article()
    with app.app_context():
        executed = []
        listener = "before_cursor_execute", lambda *args: executed.append(args[2:4])
        event.listen(db.engine, *listener)
        as_stranger.get("/sitemap.xml")
        event.remove(db.engine, *listener)
        of_terms = [(text, values) for text, values in executed if "EXISTS" in text and "article_tag" in text]
        assert len(of_terms) == 1
        with db.engine.connect() as connection:
            for text, values in of_terms:
                plan = [
                    row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)
                ]
                inner = plan[next(i for i, line in enumerate(plan) if "CORRELATED" in line) :]
                assert not [line for line in inner if "(status=?" in line], plan
