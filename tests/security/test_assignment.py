"""Mass assignment: read-only and internal fields in the body of a write."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.security.conftest import CALLERS

OTHER_UUID = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
LOGIN = "/api/v1/auth/login/"
OLD_TIME = "2001-01-01T00:00:00"
PROTECTED_FIELDS = {
    "uuid": OTHER_UUID,
    "author": OTHER_UUID,
    "author_id": OTHER_UUID,
    "editor_id": OTHER_UUID,
    "user": OTHER_UUID,
    "user_id": OTHER_UUID,
    "owner": OTHER_UUID,
    "owner_id": OTHER_UUID,
    "created": OLD_TIME,
    "last_updated": OLD_TIME,
    "version": 99,
    "was_public": True,
    "slug_derived": False,
    "role": "admin",
    "is_admin": True,
    "scope": "write",
    "digest": "0" * 64,
    "prefix": "blogapi_000000",
    "last_used": OLD_TIME,
    "password": "a long pass phrase",
    "password_digest": "x",
    "articles": [OTHER_UUID],
    "_schema": "x",
    "__class__": {"__init__": {}},
}


def make_article_body(category):
    return {"title": "T", "category": {"uuid": category}}


@pytest.fixture
def bodies(blog):
    """The list path, an item path and a valid body, by kind of item."""
    return {
        "article": (ARTICLES, f"{ARTICLES}{blog['public']}/", make_article_body(blog["category"])),
        "category": (CATEGORIES, f"{CATEGORIES}{blog['category']}/", {"name": "C"}),
        "tag": (TAGS, f"{TAGS}{blog['tag']}/", {"name": "T"}),
    }


def assigned_fields(row, former):
    """Return the names of the protected fields that the write has set."""
    return [
        name
        for name, value in PROTECTED_FIELDS.items()
        if name in row and str(row[name]) == str(value) != str(former.get(name))
    ]


@pytest.mark.parametrize("kind", ["article", "category", "tag"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "PUT many", "PATCH many"])
def test_a_write_cannot_set_a_protected_field(
    as_admin, record_attempt, people, bodies, read_tables, kind, method
):
    path, item, body = bodies[kind]
    verb, _, many = method.partition(" ")
    for name, value in PROTECTED_FIELDS.items():
        if many and name == "uuid":
            # In a bulk write the uuid selects the item to change.
            continue
        if "name" in body:
            body = {"name": f"With {name}"}
        before = {row["uuid"]: row for row in read_tables(kind)[kind]}
        sent = [body | {"uuid": item.split("/")[-2], name: value}] if many else body | {name: value}
        response = as_admin.open(path if many or verb == "POST" else item, method=verb, json=sent)
        record_attempt("admin", f"{method} a {kind} with {name}", response)
        assert response.status_code in (200, 201, 422)
        for row in read_tables(kind)[kind]:
            former = before.get(row["uuid"], {"author_id": people.admin.uuid, "owner_id": people.admin.uuid})
            assert assigned_fields(row, former) == []
            for field in {"author_id", "owner_id", "created"} & former.keys() & row.keys():
                assert row[field] == former[field]


@pytest.mark.parametrize("caller", ["member", "admin's read key"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_creating_or_changing_a_key_cannot_set_a_protected_field(
    request, record_attempt, blog, read_tables, caller, method
):
    client = request.getfixturevalue(CALLERS[caller])
    own = client.get("/api/v1/auth/me/").json["key"]
    path = KEYS if method == "POST" else f"{KEYS}{own}/"
    for name, value in PROTECTED_FIELDS.items():
        before = {row["uuid"]: row for row in read_tables("api_key")["api_key"]}
        response = client.open(path, method=method, json={"name": "n", name: value})
        record_attempt(caller, f"{method} a key with {name}", response)
        changes = caller == "member" or method == "POST"
        assert response.status_code in ((200, 422) if changes else (403,))
        rows = read_tables("api_key")["api_key"]
        assert [row | {"name": ""} for row in rows] == [before[row["uuid"]] | {"name": ""} for row in rows]


@pytest.mark.parametrize("what", ["a preview link", "a successor of a key", "a former version"])
def test_a_request_to_create_a_link_rotate_a_key_or_restore_a_revision_accepts_no_fields(
    as_admin, record_attempt, blog, read_tables, what
):
    path = {
        "a preview link": f"{ARTICLES}{blog['draft']}/preview/",
        "a successor of a key": f"{KEYS}{blog['key']}/rotate/",
        "a former version": f"{ARTICLES}{blog['draft']}/revisions/1/restore/",
    }[what]
    before = read_tables()
    for name, value in (
        PROTECTED_FIELDS | {"token": "guessed", "article_id": OTHER_UUID, "scopes": ["write"]}
    ).items():
        response = as_admin.post(path, json={name: value})
        record_attempt("admin", f"POST {what} with {name}", response)
        assert response.status_code == 422
    assert read_tables() == before


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"scopes": ["write"]}, (403, "scope_missing")),
        ({"scopes": ["read", "write"]}, (403, "scope_missing")),
        ({"scopes": ["admin"]}, (422, "invalid_fields")),
    ],
)
def test_a_read_key_cannot_create_a_write_key(as_reading_admin, record_attempt, body, expected):
    response = record_attempt(
        "admin's read key", f"POST a key with {body}", as_reading_admin.post(KEYS, json=body)
    )
    assert outcome(response) == expected


@pytest.mark.parametrize(
    "body", [{"name": "x"}, {"scopes": ["read"]}, {"expires": "2999-01-01T00:00:00Z"}, {"user": OTHER_UUID}]
)
@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key"])
def test_a_caller_without_a_user_cannot_set_fields_of_a_key(
    request, record_attempt, read_tables, caller, body
):
    client, before = request.getfixturevalue(CALLERS[caller]), read_tables()
    response = record_attempt(caller, f"POST a key with {body}", client.post(KEYS, json=body))
    assert response.status_code in (403, 422)
    assert read_tables() == before


@pytest.mark.parametrize("name", ["role", "is_admin", "uuid", "token", "remember", "next"])
def test_a_login_accepts_only_name_and_password(as_stranger, record_attempt, people, name):
    body = {"username": "ada", "password": "wrong", name: "admin"}
    response = record_attempt("stranger", f"log in with {name}", as_stranger.post(LOGIN, json=body))
    assert outcome(response) == (422, "invalid_fields")


@pytest.mark.parametrize("field", ["category", "tags", "seo"])
def test_an_embedded_object_is_not_changed(as_admin, record_attempt, blog, read_tables, field):
    before = read_tables()
    embedded = {
        "category": {"uuid": blog["category"], "name": "Taken over", "user": OTHER_UUID},
        "tags": [{"uuid": blog["tag"], "name": "Taken over", "user": OTHER_UUID}],
        "seo": {"uuid": OTHER_UUID, "article": blog["draft"], "title": "T"},
    }[field]
    response = as_admin.patch(f"{ARTICLES}{blog['public']}/", json={field: embedded})
    record_attempt("admin", f"PATCH an article with a {field} that says more", response)
    after = read_tables()
    for table in ("category", "tag", "account"):
        assert after[table] == before[table]
    seo_rows = [[(row["uuid"], row["seo_uuid"]) for row in rows["article"]] for rows in (before, after)]
    assert seo_rows[0] == seo_rows[1] != []
