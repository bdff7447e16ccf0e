"""With the setting PUBLIC_READS, strangers read published content, and nothing else."""

from __future__ import annotations

import pytest

from blogapi import blueprints
from blogapi.config import get_setting_default
from blogapi.web.headers import PUBLIC_VARY, VARY
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.contracts.test_access import PUBLISHED_CONTENT
from tests.security.conftest import SECRET, full_text

BLOG = "/api/v1/blog/"
PATHS = (
    *(ARTICLES, f"{ARTICLES}{{public}}/", f"{ARTICLES}?q=public&fields=*,snippet"),
    *(CATEGORIES, f"{CATEGORIES}{{category}}/", f"{CATEGORIES}?fields=name,articles_count"),
    *(TAGS, f"{TAGS}{{tag}}/", AUTHORS),
    *(
        f"{BLOG}archive/",
        f"{BLOG}archive/?tag=shared",
        f"{BLOG}archive/?fields=*,head&language=de",
        f"{BLOG}site/?fields=*,head,logo_width&language=de&page=2",
        f"{CATEGORIES}{{category}}/?fields=head&page=2",
        f"{BLOG}pages/?fields=*,html,head,translations,parent",
    ),
    *(f"{BLOG}site/", f"{BLOG}changes/?limit=100", f"{BLOG}redirects/", f"{BLOG}redirects/?format=nginx"),
    f"{ARTICLES}{{public}}/?fields=*,html,head,links,editor,working_copy,previous,next,related",
)
PUBLIC = "public, max-age=0, s-maxage=60, stale-while-revalidate=30"
KEYED_CLIENTS = (
    *("as_reader", "as_published_member", "as_reading_member", "as_member"),
    *("as_published_admin", "as_reading_admin", "as_admin"),
)
LOGIN_CLIENTS = ("as_member_login", "as_login")


@pytest.fixture
def public_app(app):
    app.config["PUBLIC_READS"] = True
    blueprints.store_operations(app)
    return app


@pytest.fixture
def paths(blog):
    return [path.format(**blog) for path in PATHS]


def read_caching(response):
    return {name: response.headers.get(name) for name in ("Cache-Control", "Vary", "Cache-Tag")}


def test_strangers_get_what_an_anonymous_key_gets(public_app, as_stranger, as_reader, paths, record_attempt):
    for path in paths:
        response = as_stranger.get(path)
        record_attempt("stranger", f"GET {path} with PUBLIC_READS", response)
        assert (response.status_code, response.data) == (200, as_reader.get(path).data), path
        assert SECRET not in full_text(response)


def test_only_responses_to_strangers_are_public(public_app, request, as_stranger, paths):
    for path in paths:
        shared = as_stranger.get(path)
        assert (shared.headers["Cache-Control"], shared.headers["Vary"]) == (PUBLIC, PUBLIC_VARY)
        again = as_stranger.get(path, headers={"If-None-Match": shared.headers["ETag"]})
        assert again.status_code == 304 and read_caching(again) == read_caching(shared)
        assert read_caching(as_stranger.head(path)) == read_caching(shared)
    for name in (*KEYED_CLIENTS, *LOGIN_CLIENTS):
        client = request.getfixturevalue(name)
        for path in paths:
            response = client.get(path)
            assert response.status_code == 200
            expected = {"Cache-Control": "private, no-cache", "Vary": PUBLIC_VARY, "Cache-Tag": None}
            assert read_caching(response) == expected, (name, path)


def test_without_the_setting_strangers_get_nothing(app, request, as_stranger, paths):
    assert get_setting_default("PUBLIC_READS") is False
    for path in paths:
        response = as_stranger.get(path)
        assert outcome(response) == (401, "key_missing")
        assert read_caching(response) == {
            "Cache-Control": "private, no-cache",
            "Vary": VARY,
            "Cache-Tag": None,
        }
    for name in (*KEYED_CLIENTS, *LOGIN_CLIENTS):
        vary = f"{VARY}, Cookie" if name in LOGIN_CLIENTS else VARY
        for path in paths:
            found = read_caching(request.getfixturevalue(name).get(path))
            assert found == {"Cache-Control": "private, no-cache", "Vary": vary, "Cache-Tag": None}


@pytest.mark.parametrize("key", ["", "0", f"blogapi_{'a' * 38}"])
def test_an_invalid_key_is_refused(public_app, as_stranger, paths, record_attempt, key):
    for path in paths:
        response = as_stranger.get(path, headers={"X-API-KEY": key})
        record_attempt("stranger", f"GET {path} with the key {key!r} and PUBLIC_READS", response)
        assert outcome(response) == (401, "key_invalid")
        assert response.headers["Cache-Control"] == "private, no-cache"


def test_a_login_that_has_ended_is_refused(public_app, as_stranger, paths, record_attempt):
    for path in paths:
        as_stranger.set_cookie("blogapi_session", "forged")
        response = as_stranger.get(path)
        record_attempt("stranger", f"GET {path} with a forged cookie and PUBLIC_READS", response)
        assert outcome(response) == (401, "login_over")
        assert response.headers["Cache-Control"] == "private, no-cache"


def test_another_cookie_is_no_credential(public_app, as_stranger, blog):
    as_stranger.set_cookie("theme", "dark")
    response = as_stranger.get(ARTICLES)
    assert (response.status_code, response.headers["Cache-Control"]) == (200, PUBLIC)


@pytest.mark.parametrize("name", ["draft", "scheduled", "archived"])
def test_hidden_articles_do_not_exist_for_strangers(public_app, as_stranger, blog, record_attempt, name):
    for path in (
        f"{ARTICLES}{blog[name]}/",
        f"{ARTICLES}{SECRET}-renamed/",
        f"{ARTICLES}{blog[name]}/?fields=*",
    ):
        response = as_stranger.get(path)
        record_attempt("stranger", f"GET the {name} article with PUBLIC_READS", response)
        assert outcome(response) == (404, "not_found")
        # A scheduled article must not stay missing when it is due.
        assert read_caching(response) == {
            "Cache-Control": "private, no-cache",
            "Vary": PUBLIC_VARY,
            "Cache-Tag": None,
        }


def test_strangers_can_do_nothing_but_read_published_content(app, as_stranger, operations, record_attempt):
    for endpoint, method, path, body in operations:
        if endpoint in PUBLISHED_CONTENT:
            continue
        responses = []
        for public_reads in (False, True):
            app.config["PUBLIC_READS"] = public_reads
            blueprints.store_operations(app)
            responses.append(as_stranger.open(path, method=method, json=body))
        record_attempt("stranger", f"{method} {endpoint} with PUBLIC_READS", responses[1])
        found = [(outcome(response), read_caching(response)) for response in responses]
        assert found[0] == found[1], endpoint


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{ARTICLES}?status=any", (403, "forbidden")),
        (f"{ARTICLES}?working_copy=true", (403, "forbidden")),
        (f"{ARTICLES}author/me/", (401, "key_missing")),
        ("/api/v1/blog/article-counts/", (401, "key_missing")),
        ("/api/v1/auth/me/", (401, "key_missing")),
        (KEYS, (401, "key_missing")),
        (f"{ARTICLES}?unknown=1", (400, "invalid_query")),
    ],
)
def test_refusals_are_not_shared(public_app, as_stranger, path, expected):
    response = as_stranger.get(path)
    assert outcome(response) == expected
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_a_method_that_published_content_does_not_support_gets_405(public_app, as_stranger):
    assert outcome(as_stranger.delete("/api/v1/blog/redirects/")) == (405, "method_not_allowed")


def test_the_document_says_that_published_content_needs_no_key(make_app):
    document = make_app(PUBLIC_READS=True).test_client().get("/openapi.json").json
    listed, created = (document["paths"][ARTICLES][method] for method in ("get", "post"))
    assert {} in listed["security"] and {} not in created["security"]
    assert listed["description"].startswith("For: everyone")


def test_a_browser_of_an_allowed_origin_needs_no_preflight(make_app):
    origin = "https://front.example"
    client = make_app(PUBLIC_READS=True, CORS_ORIGINS=origin).test_client()
    responses = [client.get(TAGS, headers={"Origin": sent}) for sent in (origin, "https://evil.example")]
    # A GET with no other header than `Accept` is simple: the browser sends it at once.
    assert responses[0].headers["Access-Control-Allow-Origin"] == origin
    assert responses[1].headers.get("Access-Control-Allow-Origin") in (None, origin)
    assert all("origin" in response.headers["Vary"] for response in responses)


def test_the_limit_on_requests_counts_strangers(make_app):
    client = make_app(PUBLIC_READS=True, REQUEST_ADDRESS_LIMIT="2 per hour").test_client()
    responses = [client.get(TAGS) for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert responses[2].headers["Cache-Control"] == "private, no-cache"
