"""The list of keys: order, filters and pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.accounts.api_keys.conftest import NOON
from tests.conftest import KEYS
from tests.contracts.client import outcome


def names_of(response):
    assert response.status_code == 200
    return [key["name"] for key in response.json]


@pytest.fixture
def keys_by_name(make_key, people, set_clock):
    """Keys of several owners, created a second apart."""
    kinds = [
        ("anonymous", None, None),
        ("mel's", people.member, None),
        ("mel's expired", people.member, NOON + timedelta(hours=1)),
        ("ada's", people.admin, None),
    ]
    keys = {}
    for number, (name, owner, expires) in enumerate(kinds):
        set_clock(NOON + timedelta(seconds=number))
        keys[name] = make_key(owner, name=name, expires=expires)
    set_clock(NOON + timedelta(days=1))
    return keys


@pytest.mark.parametrize(
    ("key", "seen"),
    [("mel's", ["mel's"]), ("ada's", ["ada's", "mel's", "anonymous"])],
)
def test_users_see_their_own_keys_and_admins_see_all_keys_newest_first(as_stranger, keys_by_name, key, seen):
    assert names_of(as_stranger.get(KEYS, headers={"X-API-KEY": keys_by_name[key].value})) == seen


def test_the_list_shows_the_keys_of_a_logged_in_user(logged_in, people, keys_by_name):
    assert names_of(logged_in(people.member).get(KEYS)) == ["mel's"]


def test_an_admin_may_filter_the_list(logged_in, people, keys_by_name):
    ada = logged_in(people.admin)
    assert names_of(ada.get(f"{KEYS}?user={people.member.uuid}")) == ["mel's"]
    assert names_of(ada.get(f"{KEYS}?user={people.other_admin.uuid}")) == []
    assert names_of(ada.get(f"{KEYS}?ownerless=true")) == ["anonymous"]
    assert names_of(ada.get(f"{KEYS}?ownerless=false")) == ["ada's", "mel's"]
    assert names_of(ada.get(f"{KEYS}?ownerless=true&user={people.member.uuid}")) == []


@pytest.mark.parametrize(("caller", "code"), [("as_reader", "scope_missing"), ("as_member", "forbidden")])
@pytest.mark.parametrize("query", ["ownerless=true", "user=3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"])
def test_only_an_admin_may_filter_the_list(request, caller, code, query):
    assert outcome(request.getfixturevalue(caller).get(f"{KEYS}?{query}")) == (403, code)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("user=mel", "user"),
        ("ownerless=1", "ownerless"),
        ("ownerless=", "ownerless"),
        ("fields=value", "fields"),
        ("fields=", "fields"),
        ("page=0", "page"),
        ("page_size=101", "page_size"),
        ("status=published", "status"),
    ],
)
def test_the_list_reports_an_invalid_parameter(as_admin, query, wrong):
    response = as_admin.get(f"{KEYS}?{query}")
    assert (response.status_code, list(response.json["errors"])) == (400, [wrong])


def test_the_list_is_paginated(logged_in, people, keys_by_name):
    response = logged_in(people.admin).get(f"{KEYS}?page=2&page_size=1&fields=name")
    assert response.json == [{"name": "mel's"}]
    assert response.headers["X-Total-Count"] == "3"
    links = response.headers["Link"]
    assert [part.split('rel="')[1].rstrip('"') for part in links.split(", ")] == [
        "first",
        "prev",
        "next",
        "last",
    ]
    assert f"<{KEYS}?fields=name&page=3&page_size=1>" in links


def test_the_number_of_statements_does_not_depend_on_the_number_of_keys(
    as_admin, make_key, people, record_statements
):
    as_admin.get(KEYS)
    counts = []
    for _ in range(2):
        with record_statements() as seen:
            as_admin.get(KEYS)
        counts.append(len(seen))
        for owner in (None, people.member, people.admin) * 3:
            make_key(owner)
    assert counts == [2, 2]
