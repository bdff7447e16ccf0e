"""Fields that nobody may set from outside, sent along with what may be written."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.security.conftest import WHO

A = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
LOGIN = "/api/v1/auth/login/"
OLD = "2001-01-01T00:00:00"
FOREIGN = {
    "uuid": A,
    "author": A,
    "author_id": A,
    "editor_id": A,
    "user": A,
    "user_id": A,
    "owner": A,
    "owner_id": A,
    "created": OLD,
    "last_updated": OLD,
    "version": 99,
    "was_public": True,
    "slug_derived": False,
    "role": "admin",
    "is_admin": True,
    "scope": "write",
    "digest": "0" * 64,
    "prefix": "blogapi_000000",
    "last_used": OLD,
    "password": "a long pass phrase",
    "password_digest": "x",
    "articles": [A],
    "_schema": "x",
    "__class__": {"__init__": {}},
}


def article(category):
    return {"title": "T", "category": {"uuid": category}}


@pytest.fixture
def bodies(blog):
    """What may be written: (path of the list, path of an item, body), by kind."""
    return {
        "article": (ARTICLES, f"{ARTICLES}{blog['public']}/", article(blog["category"])),
        "category": (CATEGORIES, f"{CATEGORIES}{blog['category']}/", {"name": "C"}),
        "tag": (TAGS, f"{TAGS}{blog['tag']}/", {"name": "T"}),
    }


def taken(row, former):
    """Return what the row took over of what is not a writer's to set."""
    return [
        name
        for name, value in FOREIGN.items()
        if name in row and str(row[name]) == str(value) != str(former.get(name))
    ]


@pytest.mark.parametrize("kind", ["article", "category", "tag"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "PUT many", "PATCH many"])
def test_a_writer_sets_no_field_that_is_not_theirs(as_admin, attempt, people, bodies, contents, kind, method):
    path, item, body = bodies[kind]
    verb, _, many = method.partition(" ")
    for name, value in FOREIGN.items():
        if many and name == "uuid":
            # There it names what is written.
            continue
        before = {row["uuid"]: row for row in contents()[kind]}
        sent = [body | {"uuid": item.split("/")[-2], name: value}] if many else body | {name: value}
        answer = as_admin.open(path if many or verb == "POST" else item, method=verb, json=sent)
        attempt("admin", f"{method} a {kind} with {name}", answer)
        assert answer.status_code in (200, 201, 422)
        for row in contents()[kind]:
            former = before.get(row["uuid"], {"author_id": people.admin.uuid, "owner_id": people.admin.uuid})
            assert taken(row, former) == []
            for field in {"author_id", "owner_id", "created"} & former.keys() & row.keys():
                assert row[field] == former[field]


@pytest.mark.parametrize("who", ["member", "admin's read key"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_key_gets_nothing_that_its_maker_lacks(request, attempt, blog, contents, who, method):
    client = request.getfixturevalue(WHO[who])
    own = client.get("/api/v1/auth/me/").json["key"]
    path = KEYS if method == "POST" else f"{KEYS}{own}/"
    for name, value in FOREIGN.items():
        before = {row["uuid"]: row for row in contents()["api_key"]}
        answer = client.open(path, method=method, json={"name": "n", name: value})
        attempt(who, f"{method} a key with {name}", answer)
        changes = who == "member" or method == "POST"
        assert answer.status_code in ((200, 422) if changes else (403,))
        rows = contents()["api_key"]
        assert [row | {"name": ""} for row in rows] == [before[row["uuid"]] | {"name": ""} for row in rows]


@pytest.mark.parametrize("what", ["a preview link", "a successor of a key", "a former version"])
def test_what_is_made_of_another_thing_is_described_by_nobody(as_admin, attempt, blog, contents, what):
    path = {
        "a preview link": f"{ARTICLES}{blog['draft']}/preview/",
        "a successor of a key": f"{KEYS}{blog['key']}/rotate/",
        "a former version": f"{ARTICLES}{blog['draft']}/revisions/1/restore/",
    }[what]
    before = contents()
    for name, value in (FOREIGN | {"token": "guessed", "article_id": A, "scopes": ["write"]}).items():
        answer = as_admin.post(path, json={name: value})
        attempt("admin", f"POST {what} with {name}", answer)
        assert answer.status_code == 422
    assert contents() == before


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"scopes": ["write"]}, (403, "scope_missing")),
        ({"scopes": ["read", "write"]}, (403, "scope_missing")),
        ({"scopes": ["admin"]}, (422, "invalid_fields")),
    ],
)
def test_a_reading_key_makes_no_writing_one(as_reading_admin, attempt, body, expected):
    answer = attempt("admin's read key", f"POST a key with {body}", as_reading_admin.post(KEYS, json=body))
    assert outcome(answer) == expected


@pytest.mark.parametrize(
    "body", [{"name": "x"}, {"scopes": ["read"]}, {"expires": "2999-01-01T00:00:00Z"}, {"user": A}]
)
@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key"])
def test_who_is_nobody_says_nothing_of_a_key(request, attempt, contents, who, body):
    client, before = request.getfixturevalue(WHO[who]), contents()
    answer = attempt(who, f"POST a key with {body}", client.post(KEYS, json=body))
    assert answer.status_code in (403, 422)
    assert contents() == before


@pytest.mark.parametrize("name", ["role", "is_admin", "uuid", "token", "remember", "next"])
def test_a_login_takes_a_name_and_a_password(as_stranger, attempt, people, name):
    body = {"username": "ada", "password": "wrong", name: "admin"}
    answer = attempt("stranger", f"log in with {name}", as_stranger.post(LOGIN, json=body))
    assert outcome(answer) == (422, "invalid_fields")


@pytest.mark.parametrize("field", ["category", "tags", "seo"])
def test_an_embedded_object_is_not_written_through(as_admin, attempt, blog, contents, field):
    before = contents()
    inside = {
        "category": {"uuid": blog["category"], "name": "Taken over", "user": A},
        "tags": [{"uuid": blog["tag"], "name": "Taken over", "user": A}],
        "seo": {"uuid": A, "article": blog["draft"], "title": "T"},
    }[field]
    answer = as_admin.patch(f"{ARTICLES}{blog['public']}/", json={field: inside})
    attempt("admin", f"PATCH an article with a {field} that says more", answer)
    after = contents()
    for table in ("category", "tag", "account"):
        assert after[table] == before[table]
    kept = [[(row["uuid"], row["article_id"]) for row in rows["seo"]] for rows in (before, after)]
    assert kept[0] == kept[1]
