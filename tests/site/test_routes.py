"""GET and PATCH of the site."""

from __future__ import annotations

import pytest

from tests.contracts.client import outcome

SITE = "/api/v1/blog/site/"
CHANGES = "/api/v1/blog/changes/"
DEFAULTS = {
    **{"title": "", "description": "", "language": "en", "time_zone": "UTC", "url": "", "service_url": ""},
    **{"logo": "", "icon": "", "article_path": "/{slug}/", "category_path": "/category/{slug}/"},
    **{"tag_path": "/tag/{slug}/", "author_path": "/author/{slug}/", "preview_url": "", "navigation": []},
}
COMPLETE = {
    **{"title": 'Bread & "Butter" 🥖', "description": "Über\nBrot", "language": "de-AT"},
    **{"time_zone": "Europe/Vienna", "url": "https://blog.example"},
    **{"service_url": "http://127.0.0.1:8000", "logo": "/logo.svg", "icon": "https://cdn.example/i.png"},
    **{"article_path": "/{year}/{month}/{day}/{category}/{slug}/", "category_path": "/c/{slug}"},
    **{"tag_path": "/t/{uuid}", "author_path": "/a/{slug}", "preview_url": "/preview"},
    "navigation": [{"label": "Über", "url": "/about/"}, {"label": "Shop", "url": "https://shop.example"}],
}


def read(client):
    shown = client.get(SITE).json
    return {name: value for name, value in shown.items() if name in DEFAULTS}


def test_a_new_blog_has_a_site_without_addresses(as_reader):
    assert read(as_reader) == DEFAULTS


def test_patch_stores_every_field(as_login, as_reader):
    response = as_login.patch(SITE, json=COMPLETE)
    assert response.status_code == 200
    assert response.json == as_reader.get(SITE).json | {"built_in": False, "mcp": False}
    assert read(as_reader) == COMPLETE


def test_patch_changes_only_the_given_fields(as_admin, as_login):
    as_login.patch(SITE, json=COMPLETE)
    before = as_admin.get(SITE).json
    after = as_login.patch(SITE, json={"title": "New", "navigation": []}).json
    assert after == before | {"title": "New", "navigation": [], "last_updated": after["last_updated"]}
    assert after["last_updated"] > before["last_updated"]


def test_the_response_of_a_read_is_a_valid_body(as_admin, as_login):
    as_login.patch(SITE, json=COMPLETE)
    shown = as_admin.get(SITE).json
    assert as_login.patch(SITE, json=shown).json == shown


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("https://blog.example/", "https://blog.example"),
        ("https://example.org/blog//", "https://example.org/blog"),
        ("HTTPS://Blog.Example", "https://blog.example"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("http://localhost:3000/", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("name", ["url", "service_url"])
def test_a_public_address_is_stored_in_ascii_without_a_trailing_slash(as_login, name, given, stored):
    assert as_login.patch(SITE, json={name: given}).json[name] == stored


def test_patch_cannot_set_what_the_service_sets(as_admin, as_login):
    before = as_admin.get(SITE).json
    for name, value in (
        ("uuid", "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"),
        ("created", "2001-01-01T00:00:00"),
        ("last_updated", "2001-01-01T00:00:00"),
    ):
        assert as_login.patch(SITE, json={name: value}).status_code in (200, 422)
    assert as_admin.get(SITE).json == before


ADDRESSES = [
    *("blog.example", "/blog", "//blog.example", "ftp://blog.example", "javascript:alert(1)", "https://"),
    *("https://ada:secret@blog.example", "https://ada@blog.example", "https://blog.example/?q=1"),
    *("https://blog.example/?", "https://blog.example/#top", "https://blog.example/#", "https://a b"),
    *("https://blog.example:99999", "https://blog.example:x", "https://[::1", "https://-.example", 7, None),
]
INVALID = [
    *(({"url": address}, "url") for address in ADDRESSES),
    ({"service_url": "https://api.example?x"}, "service_url"),
    ({"language": ""}, "language"),
    ({"language": "german"}, "language"),
    ({"language": "de_AT"}, "language"),
    ({"language": "de-"}, "language"),
    ({"language": "x" * 36}, "language"),
    *(
        ({"time_zone": zone}, "time_zone")
        for zone in ("", "Berlin", "europe/berlin", "../UTC", "/etc/passwd")
    ),
    *(({"time_zone": zone}, "time_zone") for zone in ("localtime", "posix/UTC", "Europe", "UTC+1", "\u0000")),
    ({"logo": "javascript:alert(1)"}, "logo"),
    ({"icon": "https://ada:x@blog.example/i.png"}, "icon"),
    ({"preview_url": "//blog.example/p"}, "preview_url"),
    ({"article_path": "/{slug}" + "x" * 250}, "article_path"),
    ({"article_path": ""}, "article_path"),
    ({"tag_path": "/{slug}/{year}"}, "tag_path"),
    ({"author_path": "/authors/"}, "author_path"),
    ({"title": "x" * 256}, "title"),
    ({"title": "a\u0007b"}, "title"),
    ({"description": "x" * 10_001}, "description"),
    ({"navigation": [{"label": "", "url": "/"}]}, "navigation.0.label"),
    ({"navigation": [{"label": "About"}]}, "navigation.0.url"),
    ({"navigation": [{"label": "A", "url": "javascript:alert(1)"}]}, "navigation.0.url"),
    ({"navigation": [{"label": "A", "url": "/", "rel": "x"}]}, "navigation.0.rel"),
    ({"navigation": [{"label": "A", "url": "/"}] * 101}, "navigation"),
    ({"navigation": {"label": "A", "url": "/"}}, "navigation"),
    ({"navigation": None}, "navigation"),
    ({"colour": "red"}, "colour"),
]


@pytest.mark.parametrize(("body", "field"), INVALID, ids=lambda value: repr(value)[:60])
def test_patch_refuses_an_invalid_field_and_changes_nothing(as_admin, as_login, body, field):
    response = as_login.patch(SITE, json={"title": "New"} | body)
    assert (outcome(response), list(response.json["errors"])) == ((422, "invalid_fields"), [field])
    assert read(as_admin) == DEFAULTS


def test_an_unknown_placeholder_is_named(as_login):
    response = as_login.patch(SITE, json={"article_path": "/{yaer}/{slug}/"})
    (message,) = response.json["errors"]["article_path"]
    assert message.startswith("{yaer} is not a placeholder; use {slug}, {uuid}, {year}")


@pytest.mark.parametrize(
    "language", ["en", "de-AT", "zh-Hant-TW", "sl-rozaj-biske", "es-419", "de-DE-u-co-phonebk"]
)
def test_language_tags_of_bcp_47_are_accepted(as_login, language):
    assert as_login.patch(SITE, json={"language": language}).json["language"] == language


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_the_site_can_only_be_read_and_changed(as_admin, method):
    response = as_admin.open(SITE, method=method, json={})
    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, PATCH, HEAD, OPTIONS"


# Conditional requests


def test_an_unchanged_site_gets_a_304(as_reader, as_login):
    etag = as_reader.get(SITE).headers["ETag"]
    assert as_reader.get(SITE, headers={"If-None-Match": etag}).status_code == 304
    as_login.patch(SITE, json={"title": "New"})
    assert as_reader.get(SITE, headers={"If-None-Match": etag}).status_code == 200


def test_a_change_with_an_outdated_etag_is_refused(as_admin, as_login):
    etag = as_admin.get(SITE).headers["ETag"]
    changed = as_login.patch(SITE, json={"title": "One"}, headers={"If-Match": etag})
    refused = as_login.patch(SITE, json={"title": "Two"}, headers={"If-Match": etag})
    assert outcome(refused) == (412, "stale")
    assert changed.headers["ETag"] == refused.headers["ETag"] == as_admin.get(SITE).headers["ETag"]
    assert read(as_admin)["title"] == "One"


def test_a_change_without_if_match_can_be_forbidden(app, as_login):
    app.config["REQUIRE_IF_MATCH"] = True
    assert as_login.patch(SITE, json={"title": "One"}).status_code == 428


def test_a_change_without_effect_keeps_the_etag(as_admin, as_login):
    as_login.patch(SITE, json=COMPLETE)
    etag = as_admin.get(SITE).headers["ETag"]
    assert as_login.patch(SITE, json=COMPLETE).headers["ETag"] == etag


# The feed of changes


@pytest.mark.parametrize("caller", ["as_reader", "as_admin"])
def test_the_feed_of_changes_shows_a_change_of_the_site(request, as_login, caller):
    client = request.getfixturevalue(caller)
    uuid = client.get(SITE).json["uuid"]
    cursor = client.get(CHANGES).json["cursor"]
    as_login.patch(SITE, json={"title": "New"})
    response = client.get(f"{CHANGES}?since={cursor}")
    assert response.status_code == 200, (cursor, response.text)
    assert response.json["changes"] == [{"kind": "site", "uuid": uuid, "action": "fetch"}]
