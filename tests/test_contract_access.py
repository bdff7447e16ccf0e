"""Every operation, tried as each kind of caller; one that is not in the table fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from blogapi import registry
from blogapi.core.access import access_of

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
KEYS = "/api/v1/auth/api-key/"
CALLERS = ("as_stranger", "as_reader", "as_member", "as_reading_admin", "as_admin")


@dataclass(frozen=True)
class Try:
    """An operation, and what a stranger, an ownerless key, a member and an admin's two keys get."""

    endpoint: str
    path: str
    statuses: tuple[int, int, int, int, int]
    body: Any = None


EVERYBODY = (200, 200, 200, 200, 200)
READERS = (401, 200, 200, 200, 200)
ADMINS = (401, 403, 403, 200, 200)

TRIES = [
    # A refused login is a 401 for everybody, by another code.
    Try("auth.login", "/api/v1/auth/login/", (401,) * 5, {"username": "ada", "password": "not this one"}),
    Try("auth.logout", "/api/v1/auth/logout/", (401, 403, 403, 403, 403)),
    Try("auth.me", "/api/v1/auth/me/", READERS),
    Try("api_keys.create", KEYS, (201,) * 5),
    Try("api_keys.listed", KEYS, READERS),
    Try("api_keys.single", KEYS + "{key}/", (401, 404, 404, 200, 200)),
    Try("api_keys.change", KEYS + "{key}/", (401, 404, 404, 200, 200), {"name": "new"}),
    Try("api_keys.replace", KEYS + "{key}/", (401, 404, 404, 200, 200), {"name": "new"}),
    Try("api_keys.rotate", KEYS + "{key}/rotate/", (401, 404, 404, 201, 201)),
    Try("api_keys.delete", KEYS + "{key}/", (401, 404, 404, 204, 204)),
    Try("categories.listed", CATEGORIES, READERS),
    Try("categories.single", CATEGORIES + "{category}/", READERS),
    Try("tags.listed", TAGS, READERS),
    Try("tags.single", TAGS + "{tag}/", READERS),
    Try("articles.published", ARTICLES, READERS),
    Try("articles.single", ARTICLES + "{article}/", READERS),
    Try("articles.single", ARTICLES + "{draft}/", (401, 404, 404, 200, 200)),
    Try("articles.own", ARTICLES + "author/me/", ADMINS),
    Try("health.check", "/health/", EVERYBODY),
    Try("openapi.document", "/openapi.json", EVERYBODY),
    Try("docs.page", "/docs/", EVERYBODY),
    Try("docs.asset", "/docs/docs.js", EVERYBODY),
]


@pytest.fixture
def paths(as_reading_admin, make_article, make_tag):
    """What stands for the names in the paths: the key is one of Ada's that reads."""
    tag = make_tag()
    article = make_article(tags=(tag,))
    return {
        "key": as_reading_admin.post(KEYS).json["uuid"],
        "category": article.category_id,
        "tag": tag.uuid,
        "article": article.uuid,
        "draft": make_article(status="draft").uuid,
    }


@pytest.mark.parametrize("tried", TRIES, ids=lambda tried: f"{tried.endpoint} {tried.path}")
@pytest.mark.parametrize("who", CALLERS)
def test_each_caller_gets_what_the_rule_says(request, app, paths, tried, who):
    (method,) = {method for _, method, endpoint, _ in registry.rules(app) if endpoint == tried.endpoint}
    client = request.getfixturevalue(who)
    answer = client.open(tried.path.format(**paths), method=method, json=tried.body)
    assert answer.status_code == tried.statuses[CALLERS.index(who)]


def test_every_operation_is_in_the_table(app):
    assert {endpoint for _, _, endpoint, _ in registry.rules(app)} == {tried.endpoint for tried in TRIES}


def test_every_view_declares_a_rule(app):
    assert all(access_of(view) is not None for view in app.view_functions.values())
