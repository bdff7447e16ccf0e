"""No operation reveals or changes the items of other users."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import get_stable_headers, outcome
from tests.security.conftest import CALLERS, SECRET, full_text

# Writes that callers other than admins may make on their own items.
OWN = {"api_keys.create", "auth.login", "auth.logout"}
# They need a secret link instead of a caller, or they change nothing.
OPEN = {
    *("auth.create_first_admin", "auth.reset_password", "auth.send_reset_link"),
    *("auth.show_invitation", "auth.accept_invitation"),
    "renderings.render",
}


@pytest.mark.parametrize("caller", CALLERS)
def test_no_operation_reveals_a_secret_or_changes_anything(
    request, record_attempt, blog, operations, read_stored, caller
):
    client = request.getfixturevalue(CALLERS[caller])
    may_see = caller == "admin's read key"
    before = read_stored()
    for endpoint, method, path, body in operations:
        response = record_attempt(caller, f"{method} {endpoint}", client.open(path, method=method, json=body))
        if endpoint in OWN:
            before = read_stored()
            continue
        is_open = method == "GET" or endpoint in OPEN
        assert is_open or response.status_code in (401, 403, 404), (endpoint, response.text)
        assert read_stored() == before, endpoint
        assert may_see or SECRET not in full_text(response), endpoint
        assert may_see or blog["draft"] not in response.text, endpoint


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member"])
def test_requests_for_a_hidden_and_for_an_unknown_article_get_the_same_response(
    request, record_attempt, blog, caller
):
    client, nothing = request.getfixturevalue(CALLERS[caller]), "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"):
        for rest in ("", "?fields=title", "revisions/", "revisions/1/", "preview/"):
            path = f"{ARTICLES}{{}}/{rest}"
            absent = client.open(path.format(nothing), method=method, json={"title": "T"})
            for state in ("draft", "scheduled", "archived"):
                hidden = client.open(path.format(blog[state]), method=method, json={"title": "T"})
                assert (hidden.status_code, hidden.data, get_stable_headers(hidden)) == (
                    absent.status_code,
                    absent.data,
                    get_stable_headers(absent),
                )
                record_attempt(caller, f"{method} the {state} …/{rest}", hidden)


@pytest.mark.parametrize("caller", ["anonymous key", "admin's published key", "member"])
def test_requests_for_a_hidden_and_for_an_unknown_article_execute_the_same_number_of_statements(
    request, record_attempt, blog, record_statements, caller
):
    client, nothing = request.getfixturevalue(CALLERS[caller]), "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
    client.get(TAGS)
    counts = []
    for uuid in (blog["draft"], blog["scheduled"], nothing):
        with record_statements() as seen:
            record_attempt(caller, "count the statements behind a 404", client.get(f"{ARTICLES}{uuid}/"))
        counts.append(len(seen))
    assert len(set(counts)) == 1


@pytest.mark.parametrize("caller", ["anonymous key", "admin's published key", "member"])
def test_only_the_public_articles_of_a_category_or_tag_are_listed(request, record_attempt, blog, caller):
    client = request.getfixturevalue(CALLERS[caller])
    for path in (f"{CATEGORIES}{blog['category']}/", f"{TAGS}{blog['tag']}/"):
        response = record_attempt(
            caller, f"GET {path.split('/')[4]}/:id/ with hidden articles", client.get(path)
        )
        assert [article["title"] for article in response.json["articles"]] == ["Public"]


def test_a_member_sees_only_their_own_keys(as_member, record_attempt, blog, people):
    own = as_member.get("/api/v1/auth/me/").json["key"]
    for query in ("", "?page=1&page_size=1", "?fields=uuid"):
        response = record_attempt("member", f"GET the keys {query}", as_member.get(f"{KEYS}{query}"))
        assert [key["uuid"] for key in response.json] == [own] and response.headers["X-Total-Count"] == "1"
    for query in (f"?user={people.other_admin.uuid}", f"?user={people.member.uuid}", "?ownerless=true"):
        response = record_attempt("member", f"GET the keys {query}", as_member.get(f"{KEYS}{query}"))
        assert response.status_code == 403


@pytest.mark.parametrize("caller", ["anonymous key", "admin's published key"])
def test_a_published_key_sees_no_keys(request, record_attempt, blog, people, caller):
    client = request.getfixturevalue(CALLERS[caller])
    uuids = [people.uuid(client.key), blog["key"]]
    for path in ("/api/v1/auth/me/", KEYS, *(f"{KEYS}{uuid}/" for uuid in uuids)):
        response = record_attempt(caller, f"GET {path}", client.get(path))
        assert response.status_code == (200 if path.endswith("me/") else 403)
        assert not any(uuid in full_text(response) for uuid in uuids)


def test_a_stranger_cannot_use_the_uuid_of_a_key(as_stranger, record_attempt, read_stored):
    key = as_stranger.post(KEYS).json
    before = read_stored()
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        for header in ({}, {"X-API-KEY": key["uuid"]}, {"X-API-KEY": key["public_state"][:-1]}):
            response = as_stranger.open(
                f"{KEYS}{key['uuid']}/", method=method, json={"name": "x"}, headers=header
            )
            record_attempt("stranger", f"{method} an anonymous key of known uuid", response)
            assert response.status_code == 401
    assert read_stored() == before


def test_previews_and_revisions_can_be_read_only_through_their_own_article(
    as_admin, record_attempt, blog, read_stored
):
    before = read_stored()
    for method, rest in (("DELETE", f"preview/{blog['preview']}/"), ("GET", f"preview/{blog['preview']}/")):
        response = as_admin.open(f"{ARTICLES}{blog['public']}/{rest}", method=method)
        record_attempt("admin", f"{method} a preview of another article", response)
        assert response.status_code in (404, 405)
    response = as_admin.post(f"{ARTICLES}{blog['public']}/revisions/1/restore/")
    assert record_attempt("admin", "restore a version that another article has", response).status_code == 404
    assert read_stored() == before


# Different spellings of the same path

SPELLINGS = [
    "/api/v1/blog/articles/{draft}",
    "/api/v1/blog/articles/{DRAFT}/",
    "/api/v1/blog/articles/%7B{draft}%7D/",
    "/api/v1/blog/articles/{draft}%2F",
    "/api/v1/blog/articles/./{draft}/",
    "/api/v1/blog/articles/{public}/../{draft}/",
    "/api/v1/blog/articles/{public}/%2e%2e/{draft}/",
    "/api/v1/blog//articles/{draft}/",
    "/api/v1/blog/articles/{draft};a=b/",
    "/api/v1/blog/articles/{draft}/%00",
    "/API/v1/blog/articles/{draft}/",
    "/api/v1/blog/articles/author/ME/",
    "/api/v1/blog/articles/author/me/..;/",
    "/api/v1/blog/articles/author//me/",
    "/api/v1/blog/preview/{draft}/",
    "/api/v1/blog/preview/{preview}/",
    "/docs/../api/v1/blog/articles/{draft}/",
    "/docs/%2e%2e%2fapi%2fv1%2fblog%2farticles%2f{draft}",
]


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member"])
def test_no_spelling_of_a_path_bypasses_the_access_rule(request, app, record_attempt, blog, caller):
    client = request.getfixturevalue(CALLERS[caller])
    for spelling in SPELLINGS:
        path = spelling.format(**blog, DRAFT=blog["draft"].upper())
        response = record_attempt(caller, f"GET {spelling}", client.get(path))
        refusals = {(401, "key_missing"), (403, "forbidden"), (404, "not_found")}
        assert outcome(response) in refusals and SECRET not in full_text(response)


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key"])
def test_every_spelling_of_a_path_has_the_same_access_rule(request, record_attempt, operations, caller):
    client = request.getfixturevalue(CALLERS[caller])
    for endpoint, method, path, body in operations:
        if endpoint in OWN:
            continue
        plain = client.open(path, method=method, json=body)
        in_capitals = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", lambda uuid: uuid[0].upper(), path)
        for spelt in {path.rstrip("/"), in_capitals, in_capitals.rstrip("/")} - {path}:
            response = record_attempt(
                caller, f"{method} {endpoint} spelt otherwise", client.open(spelt, method=method, json=body)
            )
            assert (response.status_code, response.data) == (plain.status_code, plain.data), spelt


DISGUISES = [
    {"X-HTTP-Method-Override": "DELETE"},
    {"X-Method-Override": "DELETE"},
    {"X-Original-URL": "/api/v1/blog/articles/author/me/"},
    {"X-Rewrite-URL": "/api/v1/blog/articles/author/me/"},
    {"X-Forwarded-Prefix": "/api/v1/blog/articles/author/me"},
    {"Authorization": "Bearer admin"},
    {"Authorization": "Basic YWRhOg=="},
    {"X-Forwarded-User": "ada"},
    {"Remote-User": "ada"},
    {"X-API-KEY ": "x"},
]


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key"])
def test_no_header_overrides_method_path_or_caller(request, record_attempt, blog, read_stored, caller):
    client, before = request.getfixturevalue(CALLERS[caller]), read_stored()
    for headers in DISGUISES:
        ((name, value),) = headers.items()
        plain = client.post(f"{ARTICLES}{blog['public']}/")
        response = record_attempt(
            caller, f"{name}: {value}", client.post(f"{ARTICLES}{blog['public']}/", headers=headers)
        )
        assert (response.status_code, response.data) == (plain.status_code, plain.data)
        assert client.get(ARTICLES, headers=headers).data == client.get(ARTICLES).data
    assert read_stored() == before
