"""Every operation of the route map, tried on what is not the caller's: nothing is told, nothing changes."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import lasting, outcome
from tests.security.conftest import SECRET, WHO, told

# What writes though the caller is not an admin, each to their own only.
OWN = {"api_keys.create", "auth.login", "auth.logout"}


@pytest.mark.parametrize("who", WHO)
def test_nothing_secret_is_told_and_nothing_changes(request, attempt, blog, operations, contents, who):
    client = request.getfixturevalue(WHO[who])
    may_see = who == "admin's read key"
    before = contents()
    for endpoint, method, path, body in operations:
        answer = attempt(who, f"{method} {endpoint}", client.open(path, method=method, json=body))
        if endpoint in OWN:
            before = contents()
            continue
        assert method == "GET" or answer.status_code in (401, 403, 404), (endpoint, answer.text)
        assert contents() == before, endpoint
        assert may_see or SECRET not in told(answer), endpoint
        assert may_see or blog["draft"] not in answer.text, endpoint


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key", "member"])
def test_what_is_hidden_answers_like_what_is_not_there(request, attempt, blog, who):
    client, nothing = request.getfixturevalue(WHO[who]), "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
    for state in ("draft", "scheduled", "archived"):
        for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"):
            for rest in ("", "?fields=title", "revisions/", "revisions/1/", "preview/"):
                path = f"{ARTICLES}{{}}/{rest}"
                hidden = client.open(path.format(blog[state]), method=method, json={"title": "T"})
                absent = client.open(path.format(nothing), method=method, json={"title": "T"})
                assert (hidden.status_code, hidden.data, lasting(hidden)) == (
                    absent.status_code,
                    absent.data,
                    lasting(absent),
                )
                attempt(who, f"{method} the {state} …/{rest}", hidden)


@pytest.mark.parametrize("who", ["anonymous key", "admin's published key", "member"])
def test_a_hidden_article_costs_as_much_as_none(request, attempt, blog, statements, who):
    client, nothing = request.getfixturevalue(WHO[who]), "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
    client.get(TAGS)
    counts = []
    for uuid in (blog["draft"], blog["scheduled"], nothing):
        with statements() as seen:
            attempt(who, "count the statements behind a 404", client.get(f"{ARTICLES}{uuid}/"))
        counts.append(len(seen))
    assert len(set(counts)) == 1


@pytest.mark.parametrize("who", ["anonymous key", "admin's published key", "member"])
def test_the_articles_of_a_category_or_tag_are_the_public_ones(request, attempt, blog, who):
    client = request.getfixturevalue(WHO[who])
    for path in (f"{CATEGORIES}{blog['category']}/", f"{TAGS}{blog['tag']}/"):
        answer = attempt(who, f"GET {path.split('/')[4]}/:id/ with hidden articles", client.get(path))
        assert [article["title"] for article in answer.json["articles"]] == ["Public"]


def test_of_keys_each_sees_their_own(as_member, attempt, blog, people):
    own = as_member.get("/api/v1/auth/me/").json["key"]
    for query in ("", "?page=1&page_size=1", "?fields=uuid"):
        answer = attempt("member", f"GET the keys {query}", as_member.get(f"{KEYS}{query}"))
        assert [key["uuid"] for key in answer.json] == [own] and answer.headers["X-Total-Count"] == "1"
    for query in (f"?user={people.other_admin.uuid}", f"?user={people.member.uuid}", "?ownerless=true"):
        answer = attempt("member", f"GET the keys {query}", as_member.get(f"{KEYS}{query}"))
        assert answer.status_code == 403


@pytest.mark.parametrize("who", ["anonymous key", "admin's published key"])
def test_the_key_of_a_page_hears_of_no_key(request, attempt, blog, people, who):
    client = request.getfixturevalue(WHO[who])
    uuids = [people.uuid(client.key), blog["key"]]
    for path in ("/api/v1/auth/me/", KEYS, *(f"{KEYS}{uuid}/" for uuid in uuids)):
        answer = attempt(who, f"GET {path}", client.get(path))
        assert answer.status_code == (200 if path.endswith("me/") else 403)
        assert not any(uuid in told(answer) for uuid in uuids)


def test_a_stranger_ends_no_key_whose_uuid_they_know(as_stranger, attempt, contents):
    key = as_stranger.post(KEYS).json
    before = contents()
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        for header in ({}, {"X-API-KEY": key["uuid"]}, {"X-API-KEY": key["public_state"][:-1]}):
            answer = as_stranger.open(
                f"{KEYS}{key['uuid']}/", method=method, json={"name": "x"}, headers=header
            )
            attempt("stranger", f"{method} an anonymous key of known uuid", answer)
            assert answer.status_code == 401
    assert contents() == before


def test_a_part_is_reached_through_its_own_article_alone(as_admin, attempt, blog, contents):
    before = contents()
    for method, rest in (("DELETE", f"preview/{blog['preview']}/"), ("GET", f"preview/{blog['preview']}/")):
        answer = as_admin.open(f"{ARTICLES}{blog['public']}/{rest}", method=method)
        attempt("admin", f"{method} a preview of another article", answer)
        assert answer.status_code in (404, 405)
    answer = as_admin.post(f"{ARTICLES}{blog['public']}/revisions/1/restore/")
    assert attempt("admin", "restore a version that another article has", answer).status_code == 404
    assert contents() == before


# Other ways to the same view

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


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key", "member"])
def test_no_spelling_of_the_path_goes_round_the_rule(request, app, attempt, blog, who):
    client = request.getfixturevalue(WHO[who])
    for spelling in SPELLINGS:
        path = spelling.format(**blog, DRAFT=blog["draft"].upper())
        answer = attempt(who, f"GET {spelling}", client.get(path))
        refusals = {(401, "key_missing"), (403, "forbidden"), (404, "not_found")}
        assert outcome(answer) in refusals and SECRET not in told(answer)


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key"])
def test_every_spelling_that_leads_to_a_view_stands_under_its_rule(request, attempt, operations, who):
    client = request.getfixturevalue(WHO[who])
    for endpoint, method, path, body in operations:
        if endpoint in OWN:
            continue
        plain = client.open(path, method=method, json=body)
        in_capitals = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", lambda uuid: uuid[0].upper(), path)
        for spelt in (path.rstrip("/"), in_capitals, in_capitals.rstrip("/")):
            answer = attempt(
                who, f"{method} {endpoint} spelt otherwise", client.open(spelt, method=method, json=body)
            )
            assert (answer.status_code, answer.data) == (plain.status_code, plain.data), spelt


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


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key"])
def test_no_header_makes_another_request_of_it(request, attempt, blog, contents, who):
    client, before = request.getfixturevalue(WHO[who]), contents()
    for headers in DISGUISES:
        ((name, value),) = headers.items()
        plain = client.post(f"{ARTICLES}{blog['public']}/")
        answer = attempt(
            who, f"{name}: {value}", client.post(f"{ARTICLES}{blog['public']}/", headers=headers)
        )
        assert (answer.status_code, answer.data) == (plain.status_code, plain.data)
        assert client.get(ARTICLES, headers=headers).data == client.get(ARTICLES).data
    assert contents() == before
