"""Access rules."""

from __future__ import annotations

from uuid import uuid4

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from blogapi.web.access import (
    SCOPES,
    STRANGER,
    AccessRequirement,
    Caller,
    Role,
    admin,
    allow,
    anyone,
    check_same_origin,
    get_access,
    guest,
    reader,
    refuse_form_request,
    require_access,
)
from blogapi.web.errors import Forbidden, Unauthorized

PUBLISHED, READ, DRAFTS, WRITE = (frozenset(SCOPES[: number + 1]) for number in range(len(SCOPES)))
CALLERS = {
    "stranger": STRANGER,
    "anonymous key": Caller(key=uuid4(), scopes=PUBLISHED, is_authenticated=True),
    "member's published key": Caller(user=uuid4(), key=uuid4(), scopes=PUBLISHED, is_authenticated=True),
    "member's read key": Caller(user=uuid4(), key=uuid4(), scopes=READ, is_authenticated=True),
    "member's drafts key": Caller(user=uuid4(), key=uuid4(), scopes=DRAFTS, is_authenticated=True),
    "member's write key": Caller(user=uuid4(), key=uuid4(), scopes=WRITE, is_authenticated=True),
    "admin's published key": Caller(
        user=uuid4(), role=Role.ADMIN, key=uuid4(), scopes=PUBLISHED, is_authenticated=True
    ),
    "admin's read key": Caller(
        user=uuid4(), role=Role.ADMIN, key=uuid4(), scopes=READ, is_authenticated=True
    ),
    "admin's drafts key": Caller(
        user=uuid4(), role=Role.ADMIN, key=uuid4(), scopes=DRAFTS, is_authenticated=True
    ),
    "admin's write key": Caller(
        user=uuid4(), role=Role.ADMIN, key=uuid4(), scopes=WRITE, is_authenticated=True
    ),
    "admin's login": Caller(user=uuid4(), role=Role.ADMIN, scopes=WRITE, is_authenticated=True),
}
EVERYONE = set(CALLERS)
KNOWN = EVERYONE - {"stranger"}
WEB_PAGES = {"anonymous key", "member's published key", "admin's published key"}
WRITERS = {"member's write key", "admin's write key", "admin's login"}
DRAFT_WRITERS = WRITERS | {"member's drafts key", "admin's drafts key"}
ADMINS = {"admin's read key", "admin's drafts key", "admin's write key", "admin's login"}


@pytest.mark.parametrize(
    ("rule", "scope", "allowed"),
    [
        (anyone, "published", EVERYONE),
        (anyone, "write", EVERYONE),
        (guest, "published", EVERYONE),
        (guest, "read", EVERYONE - {"member's published key", "admin's published key"}),
        (guest, "write", {"stranger", "anonymous key"} | WRITERS),
        (reader, "published", KNOWN),
        (reader, "read", KNOWN - WEB_PAGES),
        (reader, "drafts", DRAFT_WRITERS),
        (reader, "write", WRITERS),
        (admin, "published", ADMINS | {"admin's published key"}),
        (admin, "read", ADMINS),
        (admin, "drafts", ADMINS - {"admin's read key"}),
        (admin, "write", {"admin's write key", "admin's login"}),
    ],
    ids=lambda value: getattr(value, "name", None),
)
@pytest.mark.parametrize("caller", CALLERS)
def test_each_combination_of_a_rule_and_a_scope_allows_exactly_the_expected_callers(
    rule, scope, allowed, caller
):
    if caller in allowed:
        require_access(AccessRequirement(rule, scope), CALLERS[caller])
    else:
        with pytest.raises(Unauthorized if caller == "stranger" else Forbidden):
            require_access(AccessRequirement(rule, scope), CALLERS[caller])


@pytest.mark.parametrize("caller", CALLERS)
def test_only_admins_with_the_read_scope_see_drafts(caller):
    assert CALLERS[caller].sees_drafts is (caller in ADMINS)


def test_a_missing_scope_has_its_own_code():
    with pytest.raises(Forbidden) as refused:
        require_access(AccessRequirement(admin, "write"), CALLERS["admin's read key"])
    assert refused.value.code == "scope_missing"


def test_the_role_is_checked_before_the_scope():
    with pytest.raises(Forbidden) as refused:
        require_access(AccessRequirement(admin, "write"), CALLERS["member's read key"])
    assert refused.value.code == "forbidden"


def test_get_access_returns_the_access_rule_of_the_view():
    @allow(admin, scope="write")
    def view():
        """Do something."""

    assert get_access(view) == AccessRequirement(admin, "write")
    assert get_access(lambda: None) is None


@pytest.mark.parametrize(
    ("base_url", "headers"),
    [
        ("http://localhost", {}),
        ("http://localhost", {"Origin": "http://localhost"}),
        ("http://localhost:8000", {"Origin": "http://localhost:8000"}),
        ("https://blog.example", {"Origin": "https://blog.example"}),
        # A proxy terminates TLS and sends no X-Forwarded-Proto header.
        ("http://blog.example", {"Origin": "https://blog.example"}),
        ("http://localhost", {"Sec-Fetch-Site": "same-origin", "Origin": "http://other"}),
        ("http://localhost", {"Sec-Fetch-Site": "none"}),
    ],
)
def test_a_request_of_the_same_origin_is_accepted(base_url, headers):
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
def test_an_unsafe_request_of_another_origin_is_refused(method, headers):
    request = Request(EnvironBuilder(method=method, headers=headers).get_environ())
    with pytest.raises(Forbidden) as refused:
        check_same_origin(request)
    assert refused.value.code == "cross_origin"


FORM_TYPES = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "TEXT/plain",
    "text/ping",
]


@pytest.mark.parametrize(
    ("headers", "takes_file", "is_accepted"),
    [
        *(({"Content-Type": kind}, False, False) for kind in FORM_TYPES),
        *(({"Content-Type": kind}, True, True) for kind in FORM_TYPES),
        *(({"Content-Type": kind, "Sec-Fetch-Mode": "cors"}, False, True) for kind in FORM_TYPES),
        *(({"Sec-Fetch-Mode": mode}, True, False) for mode in ("navigate", "no-cors", "something new")),
        ({"Sec-Fetch-Mode": "navigate", "Content-Type": "application/json"}, False, False),
        ({"Sec-Fetch-Mode": "same-origin"}, False, True),
        ({"Content-Type": "application/json"}, False, True),
        ({}, False, True),
    ],
)
def test_an_unsafe_request_of_a_form_or_a_link_is_refused(headers, takes_file, is_accepted):
    headers |= {"Sec-Fetch-Site": "same-origin"}
    request = Request(EnvironBuilder(method="POST", headers=headers).get_environ())
    if is_accepted:
        refuse_form_request(request, takes_file=takes_file)
    else:
        with pytest.raises(Forbidden) as refused:
            refuse_form_request(request, takes_file=takes_file)
        assert refused.value.code == "cross_origin"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_safe_request_of_another_origin_is_accepted(method):
    check_same_origin(Request(EnvironBuilder(method=method, headers={"Origin": "http://evil"}).get_environ()))


@pytest.mark.parametrize("publishes", [True, False])
@pytest.mark.parametrize("scopes", [PUBLISHED, READ, DRAFTS, WRITE], ids=len)
def test_only_the_scope_write_of_who_publishes_changes_what_is_public(scopes, publishes):
    caller = Caller(user=uuid4(), role=Role.EDITOR, publishes=publishes, scopes=scopes, is_authenticated=True)
    assert caller.may_change_public == (publishes and scopes == WRITE)
    assert caller.writes_drafts_only == caller.gets_provisional_slugs == (scopes == DRAFTS)
