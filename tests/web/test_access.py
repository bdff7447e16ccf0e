"""The rules and the judgement over them."""

from __future__ import annotations

from uuid import uuid4

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from blogapi.web.access import (
    SCOPES,
    STRANGER,
    Access,
    Caller,
    admin,
    allow,
    anyone,
    authorize,
    check_before_body,
    check_same_origin,
    get_access,
    guest,
    reader,
)
from blogapi.web.errors import Forbidden, Unauthorized

PUBLISHED, READ, WRITE = (frozenset(SCOPES[: number + 1]) for number in range(3))
CALLERS = {
    "stranger": STRANGER,
    "anonymous key": Caller(key=uuid4(), scopes=PUBLISHED, known=True),
    "member's published key": Caller(user=uuid4(), key=uuid4(), scopes=PUBLISHED, known=True),
    "member's read key": Caller(user=uuid4(), key=uuid4(), scopes=READ, known=True),
    "member's write key": Caller(user=uuid4(), key=uuid4(), scopes=WRITE, known=True),
    "admin's published key": Caller(user=uuid4(), is_admin=True, key=uuid4(), scopes=PUBLISHED, known=True),
    "admin's read key": Caller(user=uuid4(), is_admin=True, key=uuid4(), scopes=READ, known=True),
    "admin's write key": Caller(user=uuid4(), is_admin=True, key=uuid4(), scopes=WRITE, known=True),
    "admin's login": Caller(user=uuid4(), is_admin=True, scopes=WRITE, known=True),
}
EVERYBODY = set(CALLERS)
KNOWN = EVERYBODY - {"stranger"}
PAGES = {"anonymous key", "member's published key", "admin's published key"}
WRITERS = {"member's write key", "admin's write key", "admin's login"}
ADMINS = {"admin's read key", "admin's write key", "admin's login"}


@pytest.mark.parametrize(
    ("rule", "scope", "allowed"),
    [
        (anyone, "published", EVERYBODY),
        (anyone, "write", EVERYBODY),
        (guest, "published", EVERYBODY),
        (guest, "read", EVERYBODY - {"member's published key", "admin's published key"}),
        (guest, "write", {"stranger", "anonymous key"} | WRITERS),
        (reader, "published", KNOWN),
        (reader, "read", KNOWN - PAGES),
        (reader, "write", WRITERS),
        (admin, "published", ADMINS | {"admin's published key"}),
        (admin, "read", ADMINS),
        (admin, "write", {"admin's write key", "admin's login"}),
    ],
    ids=lambda value: getattr(value, "name", None),
)
@pytest.mark.parametrize("who", CALLERS)
def test_a_rule_lets_through_whom_it_names(rule, scope, allowed, who):
    if who in allowed:
        authorize(Access(rule, scope), CALLERS[who])
    else:
        with pytest.raises(Unauthorized if who == "stranger" else Forbidden):
            authorize(Access(rule, scope), CALLERS[who])


@pytest.mark.parametrize("who", CALLERS)
def test_drafts_exist_for_admins_with_the_scope_read(who):
    assert CALLERS[who].sees_drafts is (who in ADMINS)


def test_a_missing_scope_has_a_code_of_its_own():
    with pytest.raises(Forbidden) as refused:
        authorize(Access(admin, "write"), CALLERS["admin's read key"])
    assert refused.value.code == "scope_missing"


def test_a_member_hears_of_the_role_before_the_scope():
    with pytest.raises(Forbidden) as refused:
        authorize(Access(admin, "write"), CALLERS["member's read key"])
    assert refused.value.code == "forbidden"


def test_a_view_keeps_what_it_declares():
    @allow(admin, scope="write")
    def view():
        """Do something."""

    assert get_access(view) == Access(admin, "write")
    assert get_access(lambda: None) is None


def test_a_check_comes_before_the_view_and_keeps_its_rule():
    order = []

    @allow(reader)
    @check_before_body(lambda: order.append("check"))
    def view(**kwargs):
        """Do something."""
        order.append(kwargs)

    view(id=1)
    assert order == ["check", {"id": 1}]
    assert get_access(view) == Access(reader, "read")


@pytest.mark.parametrize(
    ("base_url", "headers"),
    [
        ("http://localhost", {}),
        ("http://localhost", {"Origin": "http://localhost"}),
        ("http://localhost:8000", {"Origin": "http://localhost:8000"}),
        ("https://blog.example", {"Origin": "https://blog.example"}),
        # A proxy that ends TLS and says nothing of it.
        ("http://blog.example", {"Origin": "https://blog.example"}),
        ("http://localhost", {"Sec-Fetch-Site": "same-origin", "Origin": "http://other"}),
        ("http://localhost", {"Sec-Fetch-Site": "none"}),
    ],
)
def test_the_own_site_passes(base_url, headers):
    check_same_origin(
        Request(EnvironBuilder(method="POST", base_url=base_url, headers=headers).get_environ())
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "FOO"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://localhost:8000"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost@evil.example"},
        {"Origin": "localhost"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "something new"},
    ],
)
def test_another_site_is_refused_in_every_unsafe_method(method, headers):
    sent = Request(EnvironBuilder(method=method, headers=headers).get_environ())
    with pytest.raises(Forbidden) as refused:
        check_same_origin(sent)
    assert refused.value.code == "cross_origin"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_another_site_may_cause_a_read(method):
    check_same_origin(Request(EnvironBuilder(method=method, headers={"Origin": "http://evil"}).get_environ()))
