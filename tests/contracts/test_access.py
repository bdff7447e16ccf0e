"""Every operation, tried as each kind of caller; one that is not in the table fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from blogapi import registry
from blogapi.web.access import get_access
from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
KEYS = "/api/v1/auth/api-key/"
CALLERS = ("as_stranger", "as_reader", "as_published_admin", "as_member", "as_reading_admin", "as_admin")


@dataclass(frozen=True)
class Try:
    """An operation, and what a stranger, an anonymous key, a member's and an admin's three keys get."""

    endpoint: str
    path: str
    statuses: tuple[int, int, int, int, int, int]
    body: Any = None
    code: str = ""


CODES = {401: "key_missing", 403: "forbidden", 404: "not_found", 409: "category_in_use"}
EVERYBODY = (200, 200, 200, 200, 200, 200)
READERS = (401, 200, 200, 200, 200, 200)
ADMINS = (401, 403, 403, 403, 200, 200)


def writes(status: int) -> tuple[int, int, int, int, int, int]:
    """Return what each caller gets of a write: only an admin's key that writes may."""
    return (401, 403, 403, 403, 403, status)


ARTICLE = {"title": "T", "category": {"slug": "shelf"}}

TRIES = [
    # A refused login is a 401 for everybody, by another code.
    Try(
        "auth.login",
        "/api/v1/auth/login/",
        (401,) * 6,
        {"username": "ada", "password": "not this one"},
        code="login_failed",
    ),
    Try("auth.logout", "/api/v1/auth/logout/", (401, 403, 403, 403, 403, 403)),
    Try("auth.me", "/api/v1/auth/me/", READERS),
    Try("api_keys.create", KEYS, (201, 201, 403, 201, 201, 201)),
    Try("api_keys.listed", KEYS, (401, 403, 403, 200, 200, 200)),
    Try("api_keys.single", KEYS + "{key}/", (401, 403, 403, 404, 200, 200)),
    Try("api_keys.change", KEYS + "{key}/", (401, 403, 403, 404, 403, 200), {"name": "new"}),
    Try("api_keys.replace", KEYS + "{key}/", (401, 403, 403, 404, 403, 200), {"name": "new"}),
    Try("api_keys.rotate", KEYS + "{key}/rotate/", (401, 403, 403, 404, 403, 201)),
    Try("api_keys.delete", KEYS + "{key}/", (401, 404, 404, 404, 403, 204)),
    Try("categories.listed", CATEGORIES, READERS),
    Try("categories.single", CATEGORIES + "{category}/", READERS),
    Try("tags.listed", TAGS, READERS),
    Try("tags.single", TAGS + "{tag}/", READERS),
    Try("articles.published", ARTICLES, READERS),
    Try("articles.single", ARTICLES + "{article}/", READERS),
    Try("articles.single", ARTICLES + "{draft}/", (401, 404, 404, 404, 200, 200)),
    Try("articles.own", ARTICLES + "author/me/", ADMINS),
    Try("categories.create", CATEGORIES, writes(201), {"name": "N"}),
    Try("categories.replace", CATEGORIES + "{category}/", writes(200), {"name": "N"}),
    Try("categories.change", CATEGORIES + "{category}/", writes(200), {}),
    Try("categories.delete", CATEGORIES + "{category}/", writes(409)),
    Try("categories.replace_all", CATEGORIES, writes(200), []),
    Try("categories.change_all", CATEGORIES, writes(200), []),
    Try("categories.delete_all", CATEGORIES + "?uuid={category}", writes(409)),
    Try("tags.create", TAGS, writes(201), {"name": "N"}),
    Try("tags.replace", TAGS + "{tag}/", writes(200), {"name": "N"}),
    Try("tags.change", TAGS + "{tag}/", writes(200), {}),
    Try("tags.delete", TAGS + "{tag}/", writes(204)),
    Try("tags.replace_all", TAGS, writes(200), []),
    Try("tags.change_all", TAGS, writes(200), []),
    Try("tags.delete_all", TAGS + "?uuid={tag}", writes(204)),
    Try("articles.create", ARTICLES, writes(201), ARTICLE),
    Try(
        "articles.replace",
        ARTICLES + "{article}/",
        writes(200),
        ARTICLE,
    ),
    Try("articles.change", ARTICLES + "{article}/", writes(200), {}),
    Try("articles.delete", ARTICLES + "{article}/", writes(204)),
    Try("articles.replace_all", ARTICLES, writes(200), []),
    Try("articles.change_all", ARTICLES, writes(200), []),
    Try("articles.delete_all", ARTICLES + "?uuid={article}", writes(204)),
    Try("revisions.listed", ARTICLES + "{draft}/revisions/", ADMINS),
    Try("revisions.single", ARTICLES + "{draft}/revisions/1/", ADMINS),
    Try("revisions.compare", ARTICLES + "{draft}/revisions/1/compare/", ADMINS),
    Try("revisions.restore", ARTICLES + "{draft}/revisions/1/restore/", writes(200)),
    Try("previews.create", ARTICLES + "{draft}/preview/", writes(201)),
    Try("previews.listed", ARTICLES + "{draft}/preview/", ADMINS),
    Try("previews.revoke", ARTICLES + "{draft}/preview/{preview}/", writes(204)),
    Try("previews.single", "{link}", EVERYBODY),
    Try("redirects.listed", "/api/v1/blog/redirects/", READERS),
    Try("changes.listed", "/api/v1/blog/changes/", READERS),
    Try("health.check", "/health/", EVERYBODY),
    Try("metrics.page", "/metrics/", ADMINS),
    Try("openapi.document", "/openapi.json", EVERYBODY),
    Try("docs.page", "/docs/", EVERYBODY),
    Try("docs.asset", "/docs/docs.js", EVERYBODY),
]


@pytest.fixture
def place(request, as_admin, make_article, make_tag):
    """Makes what a path names, and no more, and returns the path with the names filled in."""

    def place(template):
        names, tag = {}, make_tag()
        article = make_article(tags=(tag,))
        names |= {"tag": tag.uuid, "article": article.uuid, "category": article.category_id}
        if "{key}" in template:
            names["key"] = request.getfixturevalue("as_reading_admin").post(KEYS).json["uuid"]
        if "{draft}" in template or "{link}" in template:
            names["draft"] = make_article(status="draft").uuid
        if "revisions" in template:
            as_admin.patch(f"{ARTICLES}{names['draft']}/", json={"title": "Second version"})
        if "preview" in template or "{link}" in template:
            made = as_admin.post(f"{ARTICLES}{names['draft']}/preview/").json
            names |= {"preview": made["uuid"], "link": made["url"]}
        return template.format(**names)

    return place


@pytest.mark.parametrize("tried", TRIES, ids=lambda tried: f"{tried.endpoint} {tried.path}")
@pytest.mark.parametrize("who", CALLERS)
def test_each_caller_gets_what_the_rule_says(request, app, place, tried, who):
    ((method, access),) = {
        (method, access) for _, method, endpoint, access in registry.rules(app) if endpoint == tried.endpoint
    }
    client = request.getfixturevalue(who)
    answer = client.open(place(tried.path), method=method, json=tried.body)
    status = tried.statuses[CALLERS.index(who)]
    code = tried.code or CODES.get(status)
    stranger_to_rule = access.rule.admins_only and not who.endswith("admin")
    if status == 403 and not stranger_to_rule and tried.endpoint != "auth.logout":
        code = "scope_missing"
    assert outcome(answer) == (status, code)


def test_every_operation_is_in_the_table(app):
    assert {endpoint for _, _, endpoint, _ in registry.rules(app)} == {tried.endpoint for tried in TRIES}


def test_every_view_declares_a_rule(app):
    assert all(get_access(view) is not None for view in app.view_functions.values())
