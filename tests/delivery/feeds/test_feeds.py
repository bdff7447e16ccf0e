"""The feeds of articles."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import feedparser
import pytest

from blogapi.delivery.feeds import entries
from blogapi.delivery.feeds.entries import MAX_FEED_ENTRIES
from tests.conftest import ARTICLES

TYPES = {
    "/feeds/rss.xml": "application/rss+xml",
    "/feeds/atom.xml": "application/atom+xml",
    "/feeds/feed.json": "application/feed+json",
}
FEEDS = list(TYPES)
HIDDEN = [
    {"status": "draft"},
    {"status": "archived"},
    {"published_at": "2999-01-01T00:00:00Z"},
]

every_feed = pytest.mark.parametrize("path", FEEDS)


@every_feed
def test_a_feed_does_not_exist_before_the_site_has_a_url(as_stranger, make_article, path):
    make_article()
    response = as_stranger.get(path)
    assert (response.status_code, response.json["code"]) == (404, "not_found")


@every_feed
def test_a_parser_reads_back_every_special_character(get_feed, site, make_article, make_tag, path):
    title = "\"A\" & <b>'B'</b> ]]> 日本 🍞"
    content = '<p>5 &lt; 6 &amp; "7" ]]&gt; <em>日本</em></p>'
    article = make_article(title=title, slug="bread", content=content, tags=(make_tag("R&D <x>"),))
    feed_title, (entry,) = get_feed(path)
    assert feed_title == "Rye & <Bread>"
    assert entry["id"] == article.uuid.urn
    assert (entry["title"], entry["url"]) == (title, f"https://blog.example/{article.slug}/")
    assert (entry["labels"], entry["authors"]) == (["Shelf", "R&D <x>"], ["ada"])
    assert "5 &lt; 6 &amp; " in entry["content"] and "<em>日本</em>" in entry["content"]
    assert entry["summary"] == '5 < 6 & "7" ]]> 日本'


@every_feed
def test_a_parser_reads_a_feed_with_characters_that_xml_cannot_contain(
    set_site, get_feed, site, make_article, make_tag, path
):
    set_site(title="Rye\ufffe", description="\uffff")
    content = "<p>a&#1;b&#11;c&#xFFFE;d</p>"
    make_article(title="Bread\ufffe", content=content, tags=(make_tag("rye\uffff"),))
    feed_title, (entry,) = get_feed(path)
    texts = (feed_title, entry["title"], entry["labels"][1], entry["content"], entry["summary"])
    shown = [text.translate(dict.fromkeys((0x1, 0xB, 0xFFFE, 0xFFFF))) for text in texts]
    assert shown[:3] == ["Rye", "Bread", "rye"]
    assert shown[3].strip() == "<p>abcd</p>"


@every_feed
def test_a_feed_shows_the_newest_public_articles(get_feed, site, make_article, path):
    for day in range(1, MAX_FEED_ENTRIES + 3):
        make_article(title=f"Day {day}", published_at=f"2026-01-{day:02}T00:00:00Z")
    for fields in HIDDEN:
        make_article(title="Hidden", content="<p>Hidden.</p>", **fields)
    _, found = get_feed(path)
    assert [entry["title"] for entry in found] == [f"Day {day}" for day in range(MAX_FEED_ENTRIES + 2, 2, -1)]


@every_feed
def test_an_empty_feed_is_valid(get_feed, site, as_stranger, path):
    assert get_feed(path) == ("Rye & <Bread>", [])
    assert as_stranger.get(path).headers["ETag"] == as_stranger.get(path).headers["ETag"]


@every_feed
@pytest.mark.parametrize("kind", ["category", "tag"])
def test_a_feed_of_one_term_is_found_by_its_slug_and_its_uuid(
    get_feed, site, make_article, make_category, make_tag, path, kind
):
    term = {"category": make_category, "tag": make_tag}[kind](name="Oats & more")
    options = {"category": {"category": term}, "tag": {"tags": (term,)}}[kind]
    make_article(title="With", **options)
    make_article(title="Without")
    make_article(title="Hidden", status="draft", **options)
    for reference in (term.slug, term.uuid):
        title, found = get_feed(f"{path}?{kind}={reference}")
        assert (title, [entry["title"] for entry in found]) == ("Oats & more - Rye & <Bread>", ["With"])


@every_feed
@pytest.mark.parametrize("query", ["category=none", "tag=none", "author=none"])
def test_the_feed_of_an_unknown_term_is_not_found(as_stranger, site, path, query):
    assert as_stranger.get(f"{path}?{query}").status_code == 404


@every_feed
def test_an_author_without_public_articles_has_no_feed(
    as_stranger, as_admin, site, people, make_article, make_category, path
):
    category = make_category(name="Bread")
    make_article(category=category)
    make_article(category=category, author=people.other_admin, status="draft")
    for query in ("author=grace", "author=grace&category=bread", f"author={people.other_admin.uuid}"):
        response = as_stranger.get(f"{path}?{query}")
        assert (response.status_code, b"grace" in response.data) == (404, False)
    assert as_stranger.get(f"{path}?author=ada&category=bread").status_code == 200


@every_feed
@pytest.mark.parametrize("query", ["category=", "tag=a&tag=b", "utm_source=x&tag=" + "a" * 256])
def test_a_wrong_query_is_refused(as_stranger, site, path, query):
    response = as_stranger.get(f"{path}?{query}")
    assert (response.status_code, response.json["code"]) == (400, "invalid_query")


@every_feed
def test_a_feed_of_excerpts_contains_no_content(app, get_feed, site, make_article, path):
    app.config["FEED_CONTENT"] = "excerpt"
    make_article(content=f"<p>{'word ' * 100}</p><p>The end.</p>")
    _, (entry,) = get_feed(path)
    assert "The end" not in entry["content"]
    assert entry["content"].startswith("word word")


@every_feed
def test_a_long_feed_shows_older_articles_as_excerpts(get_feed, site, make_article, monkeypatch, path):
    monkeypatch.setattr(entries, "MAX_FEED_CHARACTERS", 1_500)
    for day in (1, 2, 3):
        make_article(content=f"<p>{'word ' * 100}</p><p>The end.</p>", published_at=f"2026-01-0{day}")
    assert ["The end" in entry["content"] for entry in get_feed(path)[1]] == [True, True, False]


@every_feed
def test_addresses_in_the_content_are_absolute(get_feed, site, make_article, path):
    article = make_article(content='<p><a href="#a">1</a> <a href="/b">2</a> <img src="c.png"></p>')
    _, (entry,) = get_feed(path)
    page = f"https://blog.example/{article.slug}/"
    for address in (f"{page}#a", "https://blog.example/b", f"{page}c.png"):
        assert f'"{address}"' in entry["content"]


@every_feed
def test_a_feed_has_a_content_type_and_its_own_address(as_stranger, site, set_site, make_article, path):
    make_article()
    assert as_stranger.get(path).data.count(b"https://api.example") == 0
    set_site(service_url="https://api.example")
    response = as_stranger.get(path)
    assert response.content_type == f"{TYPES[path]}; charset=utf-8"
    assert f"https://api.example{path}".encode() in response.data


@every_feed
def test_a_feed_needs_no_key_and_ignores_a_wrong_one(as_stranger, as_admin, site, make_article, path):
    make_article(title="Hidden", status="draft")
    expected = as_stranger.get(path).data
    assert as_admin.get(path).data == expected
    assert as_stranger.get(path, headers={"X-API-KEY": "wrong"}).data == expected


@every_feed
def test_a_scheduled_article_appears_when_it_is_due(get_feed, site, set_clock, make_article, path):
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    make_article(title="Later", published_at="2030-01-02T00:00:00Z")
    assert get_feed(path)[1] == []
    set_clock(datetime(2030, 1, 3, tzinfo=UTC))
    assert [entry["title"] for entry in get_feed(path)[1]] == ["Later"]


@every_feed
def test_an_unchanged_feed_is_answered_with_304(as_stranger, as_admin, site, make_article, path):
    article = make_article()
    etag = as_stranger.get(path).headers["ETag"]
    conditional = {"headers": {"If-None-Match": etag}}
    assert as_stranger.get(path, **conditional).status_code == 304
    make_article(status="draft")
    assert as_stranger.get(path, **conditional).status_code == 304
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": "Changed"})
    assert as_stranger.get(path, **conditional).status_code == 200


@every_feed
def test_a_feed_costs_a_fixed_number_of_statements(
    app, site, as_stranger, make_article, make_tag, record_statements, path
):
    tags = (make_tag(), make_tag())

    def count_statements():
        with record_statements() as statements:
            assert as_stranger.get(path).status_code == 200
        return len(statements)

    make_article(tags=tags)
    before = count_statements()
    for _ in range(5):
        make_article(tags=tags)
    assert count_statements() == before <= 6
    # The second request is answered from the cache.
    assert count_statements() == 0


def test_the_correction_of_an_older_article_updates_the_feed(
    as_stranger, as_admin, site, set_clock, make_article
):
    articles = [make_article(published_at=f"2026-01-{day:02}T00:00:00Z") for day in (1, 2, 3)]
    for month, article in ((2, articles[0]), (3, articles[1])):
        set_clock(datetime(2031, month, 1, tzinfo=UTC))
        as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"subtitle": "Corrected"})
        for path in FEEDS[:2]:
            feed = feedparser.parse(as_stranger.get(path).data).feed
            assert tuple(feed.updated_parsed[:3]) == (2031, month, 1)


def test_the_update_of_an_entry_is_not_before_its_publication(as_stranger, site, set_clock, make_article):
    make_article(published_at="2031-01-01T00:00:00Z")
    set_clock(datetime(2031, 1, 2, tzinfo=UTC))
    (item,) = json.loads(as_stranger.get("/feeds/feed.json").data)["items"]
    parsed = feedparser.parse(as_stranger.get("/feeds/atom.xml").data)
    assert item["date_modified"] == "2031-01-01T00:00:00+00:00"
    assert parsed.entries[0].updated == parsed.feed.updated == "2031-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("", "/"),
        ("?tag=bread", "/tag/bread/"),
        ("?category=kitchen", "/category/kitchen/"),
        ("?author=ada", "/author/ada/"),
        ("?tag=bread&category=kitchen", "/"),
        ("?tag=bread&author=ada", "/"),
    ],
)
def test_each_feed_has_its_own_id_and_the_address_of_its_page(
    as_stranger, as_admin, site, make_article, make_category, make_tag, query, page
):
    tag = make_tag("bread")
    make_article(category=make_category(name="Kitchen"), tags=(tag,))
    atom, rss = (
        feedparser.parse(as_stranger.get(f"{path}{query}").data).feed for path in (FEEDS[1], FEEDS[0])
    )
    address = f"https://blog.example{page}"
    assert [(link.rel, link.href) for link in atom.links] == [("alternate", address)]
    assert (
        rss.link == json.loads(as_stranger.get(f"/feeds/feed.json{query}").data)["home_page_url"] == address
    )
    assert (atom.id == "https://blog.example/") == (query == "")
    if query.startswith("?tag"):
        make_tag("other")
        changed = feedparser.parse(as_stranger.get(f"{FEEDS[1]}{query}".replace("bread", "other")).data).feed
        assert changed.id not in (atom.id, "https://blog.example/")
        as_admin.patch(f"/api/v1/blog/tags/{tag.uuid}/", json={"slug": "loaves"})
        renamed = feedparser.parse(as_stranger.get(f"{FEEDS[1]}{query}".replace("bread", "loaves")).data).feed
        assert renamed.id == atom.id


@every_feed
@pytest.mark.parametrize(
    ("cover", "url"),
    [
        ("", None),
        ("/cover.png?a=1&b=2", "https://blog.example/cover.png?a=1&b=2"),
    ],
)
def test_a_feed_carries_the_cover(as_stranger, site, make_article, path, cover, url):
    make_article(cover_image=cover)
    data = as_stranger.get(path).data
    if path.endswith(".json"):
        assert json.loads(data)["items"][0].get("image") == url
    else:
        parsed = feedparser.parse(data)
        (entry,) = parsed.entries
        assert [dict(one) for one in entry.get("media_content", [])] == (
            [{"url": url, "medium": "image"}] if url else []
        )
        assert not parsed.bozo


def test_json_feed_has_the_members_of_its_standard(as_stranger, site, make_article):
    make_article(cover_image="/cover.png")
    feed = json.loads(as_stranger.get("/feeds/feed.json").data)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert (feed["home_page_url"], feed["language"]) == ("https://blog.example/", "de")
    (item,) = feed["items"]
    assert item["image"] == "https://blog.example/cover.png"
    assert item["date_published"] == "2026-01-01T00:00:00+00:00"


def test_the_dates_of_rss_and_atom_are_read_back(as_stranger, site, make_article):
    make_article()
    for path in FEEDS[:2]:
        (entry,) = feedparser.parse(as_stranger.get(path).data).entries
        assert tuple(entry.published_parsed[:6]) == (2026, 1, 1, 0, 0, 0)
