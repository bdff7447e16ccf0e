"""Each caller may read, change, rotate and delete only certain keys."""

from __future__ import annotations

from uuid import uuid4

import pytest

from blogapi.web.access import SCOPES
from tests.accounts.api_keys.conftest import is_valid, path_of
from tests.conftest import KEYS

TARGETS = ("anonymous", "member's", "admin's", "unknown")
SHOWS = {
    "stranger": (401, 401, 401, 401),
    "anonymous": (403, 403, 403, 403),
    "member, published": (403, 403, 403, 403),
    "member, reading": (200, 200, 404, 404),
    "member, writing": (200, 200, 404, 404),
    "login of member": (200, 200, 404, 404),
    "admin, published": (403, 403, 403, 403),
    "admin, reading": (200, 200, 200, 404),
    "admin, writing": (200, 200, 200, 404),
    "other admin, writing": (200, 200, 200, 404),
    "login of admin": (200, 200, 200, 404),
}
CHANGES = SHOWS | {"member, reading": (403, 403, 403, 403), "admin, reading": (403, 403, 403, 403)}
DELETES = {
    "stranger": (401, 401, 401, 401),
    "anonymous": (204, 404, 404, 404),
    "member, published": (404, 404, 404, 404),
    "member, reading": (403, 403, 404, 404),
    "member, writing": (204, 204, 404, 404),
    "login of member": (204, 204, 404, 404),
    "admin, published": (404, 404, 404, 404),
    "admin, reading": (403, 403, 403, 404),
    "admin, writing": (204, 204, 204, 404),
    "other admin, writing": (204, 204, 204, 404),
    "login of admin": (204, 204, 204, 404),
}
OPERATIONS = {
    "GET": ("GET", "", None, SHOWS),
    "PATCH": ("PATCH", "", {"name": "renamed"}, CHANGES),
    "PUT": ("PUT", "", {"name": "renamed"}, CHANGES),
    "rotate": ("POST", "rotate/", None, CHANGES),
    "DELETE": ("DELETE", "", None, DELETES),
}


@pytest.fixture
def targets(make_key, people):
    """Tuples (kind, uuid, value) for a key of each owner and scope, and one for an unknown uuid."""
    owned = {"member's": people.member, "admin's": people.admin}
    keys = [("anonymous", make_key())]
    keys += [(kind, make_key(owner, scope)) for kind, owner in owned.items() for scope in SCOPES]
    return [*((kind, key.uuid, key.value) for kind, key in keys), ("unknown", uuid4(), None)]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("caller", SHOWS)
def test_each_caller_gets_the_right_status_for_each_key(client_of, as_stranger, targets, operation, caller):
    method, rest, body, table = OPERATIONS[operation]
    client = client_of(caller, None)
    for kind, uuid, value in targets:
        response = client.open(f"{KEYS}{uuid}/{rest}", method=method, json=body)
        status = table[caller][TARGETS.index(kind)]
        assert response.status_code == (201 if operation == "rotate" and status == 200 else status), kind
        ended = operation in ("rotate", "DELETE") and status in (200, 204)
        assert value is None or is_valid(as_stranger, value) is not ended
        if operation in ("PATCH", "PUT") and status == 200:
            assert client.get(f"{KEYS}{uuid}/").json["name"] == "renamed"


@pytest.mark.parametrize(
    ("owner", "scope", "show", "change", "delete"),
    [
        (None, "published", 403, 403, 204),
        ("member", "published", 403, 403, 404),
        ("member", "read", 200, 403, 204),
        ("member", "write", 200, 200, 204),
        ("admin", "published", 403, 403, 404),
        ("admin", "read", 200, 403, 204),
        ("admin", "write", 200, 200, 204),
    ],
)
def test_a_key_that_requests_its_own_path_gets_the_right_status(
    make_client, app, make_key, people, owner, scope, show, change, delete
):
    key = make_key(owner and getattr(people, owner), scope)
    client = make_client(app, key.value)
    assert client.get(path_of(key)).status_code == show
    for method in ("PATCH", "PUT"):
        assert client.open(path_of(key), method=method, json={"name": "new"}).status_code == change
    rotated = client.post(f"{path_of(key)}rotate/", json={"overlap_seconds": 60})
    assert rotated.status_code == (201 if change == 200 else change)
    assert client.delete(path_of(key)).status_code == delete


@pytest.mark.parametrize("caller", ["anonymous", "member, published", "admin, published"])
def test_a_published_key_cannot_list_keys(client_of, caller):
    response = client_of(caller, None).get(KEYS)
    assert (response.status_code, response.json["code"]) == (403, "scope_missing")


@pytest.mark.parametrize("caller", ["anonymous", "member, published", "admin, published"])
@pytest.mark.parametrize("headers", [{}, {"If-Match": '"x"'}, {"If-None-Match": "*"}])
def test_a_published_key_gets_the_same_response_for_a_users_key_and_an_unknown_key(
    client_of, targets, caller, headers
):
    client, owned = client_of(caller, None), [uuid for kind, uuid, _ in targets if kind != "anonymous"]
    for method, rest, body, _ in OPERATIONS.values():
        sent = headers if method != "GET" else {}
        responses = [
            client.open(f"{KEYS}{uuid}/{rest}", method=method, json=body, headers=sent) for uuid in owned
        ]
        assert len({(response.status_code, response.data) for response in responses}) == 1, method


@pytest.mark.parametrize("owner", ["member", "admin"])
def test_a_key_cannot_change_or_delete_a_key_with_a_wider_scope(app, make_client, make_key, people, owner):
    account = getattr(people, owner)
    for number, scope in enumerate(SCOPES):
        for wider in SCOPES[number + 1 :]:
            key = make_key(account, wider)
            client = make_client(app, make_key(account, scope).value)
            for method, rest, body, _ in OPERATIONS.values():
                if method != "GET":
                    response = client.open(f"{path_of(key)}{rest}", method=method, json=body)
                    assert response.status_code in (403, 404), (scope, wider, method)
