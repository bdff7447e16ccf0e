"""A change purges every response that shared caches may have stored and that the change concerns."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import select

from blogapi import blueprints
from blogapi.publication import events, shared_caching
from blogapi.publication.models import Event
from blogapi.storage.database import db
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.site.conftest import set_site as set_site

BLOG = "/api/v1/blog/"
PAGES = f"{BLOG}pages/"
SITE, REDIRECTS, CHANGES = f"{BLOG}site/", f"{BLOG}redirects/", f"{BLOG}changes/"


@pytest.fixture
def names(app, fill_blog, fill_public_blog):
    """The uuids of the items of a public blog."""
    app.config["PUBLIC_READS"] = True
    blueprints.store_operations(app)
    return fill_blog("shared caching", fill_public_blog)


@pytest.fixture
def fill_public_blog(as_admin, set_site, make_article, make_category, make_tag, make_guest):
    """Return a function that creates the items."""

    def fill():
        set_site(url="https://site.example", article_path="/{category}/{slug}/")
        category, tag, author = make_category(name="Rack"), make_tag("fish"), make_guest("Ann")
        terms = {"category": category, "tags": (tag,), "authors": [{"uuid": str(author.uuid)}]}
        first = make_article(title="First", published_at="2026-01-01T00:00:00Z", **terms)
        second = make_article(title="Second", published_at="2026-01-02T00:00:00Z", **terms)
        other = make_article(title="Other", published_at="2025-01-01T00:00:00Z", category=make_category())
        draft = make_article(title="Draft", status="draft", **terms)
        items = {"first": first, "second": second, "other": other, "draft": draft}
        items |= {"category": category, "tag": tag, "author": author}
        uuids = {name: str(item.uuid) for name, item in items.items()}
        for title in ("About", "Team", "Notes"):
            body = {"title": title, "status": "unlisted" if title == "Notes" else "published"}
            body["parent"] = uuids.get("about")
            body["content"] = f'<a href="article:{uuids["first"]}">First</a>'
            uuids[title.lower()] = as_admin.post(PAGES, json=body).json["uuid"]
        links = "".join(f'<a href="article:{uuids[name]}">{name}</a>' for name in ("team", "notes", "draft"))
        translations = {"translation_key": "key", "language": "de", "content": links, "slug": "zweiter"}
        as_admin.patch(f"{ARTICLES}{uuids['second']}/", json={"translation_key": "key"})
        body = {"title": "Zweiter", "status": "published", "category": {"slug": "rack"}, **translations}
        uuids["zweiter"] = as_admin.post(ARTICLES, json=body).json["uuid"]
        return uuids

    return fill


PATHS = (
    *(ARTICLES, f"{ARTICLES}?fields=title,url,links,authors", f"{ARTICLES}?q=first", f"{ARTICLES}?tag=fish"),
    *(f"{ARTICLES}{{first}}/", f"{ARTICLES}first/?fields=*,url,head,links,authors"),
    *(f"{ARTICLES}{{first}}/?fields=previous,next", f"{ARTICLES}{{first}}/?fields=title,related"),
    *(CATEGORIES, f"{CATEGORIES}?fields=name,articles_count,url", f"{CATEGORIES}{{category}}/"),
    *(
        TAGS,
        f"{TAGS}?fields=name,articles_count",
        f"{TAGS}{{tag}}/",
        f"{TAGS}fish/?fields=name,articles_count",
    ),
    *(AUTHORS, f"{AUTHORS}?fields=name,articles_count,page_url", f"{AUTHORS}{{author}}/"),
    *(PAGES, f"{PAGES}?fields=url,head&page=1", f"{PAGES}?parent=about", f"{PAGES}{{team}}/?fields=url,head"),
    *(f"{PAGES}team/?fields=html,translations", f"{PAGES}notes/?fields=url,head", f"{PAGES}{{about}}/"),
    *(f"{ARTICLES}zweiter/?fields=html", f"{ARTICLES}second/?fields=head,translations"),
    *(f"{ARTICLES}?language=de", "/feeds/rss.xml?language=de"),
    *(SITE, REDIRECTS, f"{REDIRECTS}?format=nginx", CHANGES),
    *("/feeds/rss.xml", "/feeds/atom.xml?tag=fish", "/feeds/feed.json", "/sitemap.xml", "/robots.txt"),
)
WRITES = (
    ("PATCH", f"{ARTICLES}{{first}}/", {"title": "New title"}),
    ("PATCH", f"{ARTICLES}{{first}}/", {"slug": "new-slug"}),
    ("PATCH", f"{ARTICLES}{{second}}/", {"status": "archived"}),
    ("PATCH", f"{ARTICLES}{{second}}/", {"tags": []}),
    ("PATCH", f"{ARTICLES}{{draft}}/", {"status": "published", "published_at": "2026-01-03T00:00:00Z"}),
    ("DELETE", f"{ARTICLES}{{other}}/", None),
    ("POST", ARTICLES, {"title": "Third", "category": {"slug": "rack"}, "status": "published"}),
    ("PATCH", f"{CATEGORIES}{{category}}/", {"name": "New name", "slug": "new-name"}),
    ("PATCH", f"{TAGS}{{tag}}/", {"name": "New name"}),
    ("DELETE", f"{TAGS}{{tag}}/", None),
    ("POST", TAGS, {"name": "New tag"}),
    ("PATCH", f"{AUTHORS}{{author}}/", {"name": "New name"}),
    ("PATCH", f"{PAGES}{{about}}/", {"slug": "about-us"}),
    ("PATCH", f"{PAGES}{{about}}/", {"title": "About us"}),
    ("PATCH", f"{PAGES}{{about}}/", {"status": "draft"}),
    ("PATCH", f"{PAGES}{{team}}/", {"parent": None, "position": 7}),
    ("PATCH", f"{PAGES}{{team}}/", {"status": "archived"}),
    ("PATCH", f"{PAGES}{{notes}}/", {"status": "published"}),
    ("PATCH", f"{PAGES}{{notes}}/", {"slug": "new-notes"}),
    ("PATCH", f"{PAGES}{{notes}}/", {"title": "New notes"}),
    ("PATCH", f"{PAGES}{{notes}}/", {"status": "draft"}),
    ("DELETE", f"{PAGES}{{notes}}/", None),
    ("DELETE", f"{PAGES}{{about}}/", None),
    ("PATCH", f"{ARTICLES}{{zweiter}}/", {"language": "fr"}),
    ("PATCH", f"{ARTICLES}{{zweiter}}/", {"status": "unlisted"}),
    ("PATCH", SITE, {"language": "de"}),
    ("PATCH", SITE, {"title": "New title", "article_path": "/a/{slug}/"}),
)


@pytest.fixture
def list_purged(app):
    """Return a function that returns the tags that the changes after a position purge."""

    def list_purged(position):
        statement = select(Event.kind, Event.uuid, Event.unlisted).where(Event.position > position)
        with app.app_context():
            rows = db.session.execute(statement).all()
        return {
            tag
            for kind, uuid, unlisted in rows
            for tag in shared_caching.list_purged_cache_tags(kind, uuid, listed=not unlisted)
        }

    return list_purged


def get_tags(response):
    return set(response.headers["Surrogate-Key"].split())


@pytest.fixture(scope="module")
def saved_responses():
    """The responses of `before` by the uuid of an article; copies of a blog have the same responses."""
    return {}


@pytest.fixture
def before(as_stranger, names, saved_responses):
    """The responses of all paths before a change."""
    if names["first"] not in saved_responses:
        found = {path.format(**names): as_stranger.get(path.format(**names)) for path in PATHS}
        assert all(response.status_code == 200 for response in found.values())
        saved_responses[names["first"]] = found
    return saved_responses[names["first"]]


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_change_purges_every_response_that_it_changes(
    app, as_login, as_stranger, names, before, list_purged, method, path, body
):
    with app.app_context():
        position = events.get_last_position()
    written = as_login.open(path.format(**names), method=method, json=body)
    assert written.status_code in (200, 201, 204), written.json
    purged = list_purged(position)
    changed = [path for path in before if as_stranger.get(path).data != before[path].data]
    assert changed
    for path in changed:
        assert get_tags(before[path]) & purged, path


def test_an_article_carries_its_own_tag_and_those_of_its_terms(as_stranger, names):
    expected = {"site"} | {f"{kind}-{names[kind]}" for kind in ("category", "tag", "author")}
    for id in (names["first"], "first"):
        assert get_tags(as_stranger.get(f"{ARTICLES}{id}/")) == expected | {f"article-{names['first']}"}
    shown = as_stranger.get(f"{ARTICLES}first/?fields=title,related")
    assert "articles" in get_tags(shown)


def test_a_page_carries_its_own_tag_and_those_of_its_links(as_admin, as_stranger, names):
    links = f'<a href="article:{names["notes"]}">Notes</a>'
    assert as_admin.patch(f"{PAGES}{names['team']}/", json={"content": links}).status_code == 200
    found = get_tags(as_stranger.get(f"{PAGES}team/?fields=html"))
    assert {f"page-{names['team']}", f"page-{names['notes']}", "pages", "articles"} <= found


def test_an_article_that_can_get_translations_carries_the_tag_of_all_articles(as_admin, as_stranger, names):
    as_admin.patch(f"{ARTICLES}{names['first']}/", json={"translation_key": "first"})
    for name in ("head", "translations"):
        tags = [get_tags(as_stranger.get(f"{ARTICLES}{slug}/?fields={name}")) for slug in ("first", "other")]
        assert ["articles" in found for found in tags] == [True, False]


def test_a_list_carries_the_tags_of_the_kinds_that_it_shows(as_stranger, names):
    response = as_stranger.get(ARTICLES)
    assert response.headers["Cache-Tag"] == "articles,authors,categories,pages,site,tags"
    assert get_tags(as_stranger.get(TAGS)) == {"articles", "site", "tags"}
    assert f"category-{names['category']}" in get_tags(as_stranger.get(f"{CATEGORIES}rack/"))


def test_long_tags_are_replaced_by_that_of_their_kind(app, as_stranger, names, make_tag, make_article):
    tags = tuple(make_tag(f"tag {number}") for number in range(50))
    article = make_article(tags=tags)
    found = get_tags(as_stranger.get(f"{ARTICLES}{article.uuid}/"))
    assert {f"article-{article.uuid}", "tags"} <= found
    assert not any(tag.startswith("tag-") for tag in found)


def test_a_former_slug_is_not_cached(as_admin, as_stranger, names):
    as_admin.patch(f"{ARTICLES}{names['first']}/", json={"slug": "new-slug"})
    response = as_stranger.get(f"{ARTICLES}first/")
    assert (response.status_code, response.headers["Cache-Control"]) == (308, "private, no-cache")


def test_the_settings_choose_the_times(app, as_stranger, names):
    app.config.update(SHARED_MAX_AGE=86_400, STALE_WHILE_REVALIDATE=0)
    for path in (ARTICLES, "/feeds/rss.xml", "/docs/static/docs.css"):
        assert as_stranger.get(path).headers["Cache-Control"] == (
            "public, max-age=0, s-maxage=86400, stale-while-revalidate=0"
        )


def test_a_scheduled_article_does_not_change_the_times(as_stranger, names, make_article):
    make_article()
    before = [as_stranger.get(path.format(**names)).headers for path in PATHS]
    make_article(published_at="2999-01-01T00:00:00Z")
    after = [as_stranger.get(path.format(**names)).headers for path in PATHS]
    for name in ("Cache-Control", "Cache-Tag", "ETag"):
        assert [headers[name] for headers in before] == [headers[name] for headers in after]


def test_a_key_costs_no_look_up_of_tags(as_reader, as_stranger, names, record_statements):
    path = f"{ARTICLES}{names['first']}/"
    as_reader.get(TAGS)
    counts = []
    for client in (as_reader, as_stranger):
        with record_statements() as seen:
            client.get(path)
        counts.append(len(seen))
    # Two statements read the article and its terms; one looks up the key, or the terms of the cache tags.
    assert counts == [3, 3]


def test_an_error_of_a_feed_is_not_cached(app, as_stranger):
    response = as_stranger.get("/feeds/rss.xml")
    assert (response.status_code, response.headers["Cache-Control"]) == (404, "private, no-cache")
    missing = as_stranger.get(f"{ARTICLES}{uuid4()}/")
    assert missing.headers["Cache-Control"] == "private, no-cache"


def test_a_compressed_asset_varies_with_the_accepted_encoding(as_stranger):
    headers = as_stranger.get("/docs/static/scalar.js").headers
    assert headers["Vary"] == "Accept, origin, Accept-Encoding"
    assert headers["Cache-Tag"] == headers["Surrogate-Key"] == "site"
