"""A malformed id in a path gets 404 from each operation, and a uuid of zeros is malformed everywhere."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from blogapi import blueprints
from blogapi.content.articles import service
from blogapi.content.articles.models import Article
from blogapi.content.pages.schemas import PageBodySchema
from blogapi.docs import document
from blogapi.storage.database import db, transaction
from blogapi.web.access import Role
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.security.conftest import OTHER_UUID

NIL = "00000000-0000-0000-0000-000000000000"
MALFORMED = ["imprint", NIL, NIL.replace("-", ""), f"{{{OTHER_UUID}}}", "%00", "a" * 5_000]
ID = re.compile(r"<(?:id|reference):\w+>")
PAGES, FIELDS = "/api/v1/blog/pages/", "/api/v1/blog/fields/"
# Bodies of the operations that create an item under the uuid in their path.
BODIES = {
    ARTICLES: {"title": "Made under an id"},
    PAGES: {"title": "Made under an id"},
    **{path: {"name": "Made under an id"} for path in (CATEGORIES, TAGS, AUTHORS)},
    FIELDS: {"name": "made", "label": "Made under an id", "type": "text"},
}


@pytest.fixture
def requests(app, operations):
    """All operations with an id in their path, once for each id, as (endpoint, method, path).

    The path has `{}` in place of the id.
    """
    found = []
    for rule, (endpoint, method, path, _) in zip(blueprints.list_operations(app), operations, strict=True):
        segments = path.split("/")
        for place, segment in enumerate(rule[0].split("/")):
            if ID.fullmatch(segment):
                named = "/".join([*segments[:place], "{}", *segments[place + 1 :]])
                found.append((endpoint, method, named))
    return found


def send(client, method, path, id):
    """Send a request with a body that creates an item, where there is such a body."""
    body = BODIES.get(path.removesuffix("{}/")) if method == "PUT" else None
    has_body = method in ("POST", "PUT", "PATCH")
    return client.open(path.format(id), method=method, json=body or ({} if has_body else None))


def test_each_resource_has_operations_with_an_id(requests):
    found = {endpoint.partition(".")[0] for endpoint, *_ in requests}
    assert found >= {
        *("articles", "pages", "categories", "tags", "authors", "media", "fields", "api_keys", "users"),
        *("revisions", "page_revisions", "working_copies", "previews", "webhooks", "imports", "admin"),
    }


@pytest.mark.parametrize("id", MALFORMED, ids=lambda id: id[:12])
def test_a_malformed_id_gets_a_404_from_each_operation(as_login, requests, assert_unchanged, id):
    answers = {one: outcome(send(as_login, *one[1:], id)) for one in requests}
    heads = {one: as_login.head(one[2].format(id)).status_code for one in requests if one[1] == "GET"}
    assert {one: answer for one, answer in answers.items() if answer != (404, "not_found")} == {}
    assert {one: status for one, status in heads.items() if status != 404} == {}


def test_the_bodies_create_an_item_under_a_uuid(app, as_login):
    """Otherwise the operations above could be refused for their bodies."""
    paths = document.get_document(app)["paths"]
    creating = {path for path in paths if "201" in paths[path].get("put", {}).get("responses", {})}
    assert {f"{path}{{id}}/" for path in BODIES} | {f"{ARTICLES}{{id}}/working-copy/"} >= {
        path for path in creating if not path.startswith(f"{PAGES}{{id}}/")
    }
    for path in BODIES:
        assert send(as_login, "PUT", f"{path}{{}}/", uuid4()).status_code == 201, path


def test_without_credentials_a_malformed_id_gets_the_response_of_an_unknown_one(as_stranger, requests):
    for endpoint, method, path in requests:
        if endpoint.startswith("admin."):
            continue
        unknown = send(as_stranger, method, path, OTHER_UUID)
        assert outcome(unknown) == (401, "key_missing"), (endpoint, method)
        assert outcome(send(as_stranger, method, path, "imprint")) == (401, "key_missing")


def test_who_lacks_the_right_gets_a_403_for_a_malformed_id(as_role, requests):
    client = as_role(Role.READER, "login")
    for endpoint, method, path in requests:
        known = send(client, method, path, OTHER_UUID).status_code
        if known == 403:
            assert send(client, method, path, "imprint").status_code == 403, (endpoint, method)


def test_a_method_that_a_path_lacks_gets_a_405_for_a_malformed_id(as_login, requests):
    for path in {path for _, _, path in requests if not path.startswith("/admin/")}:
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - {m for _, m, p in requests if p == path}:
            answers = [send(as_login, method, path, id) for id in (OTHER_UUID, "imprint")]
            assert [outcome(answer) for answer in answers] == [(405, "method_not_allowed")] * 2, path
            assert answers[0].headers["Allow"] == answers[1].headers["Allow"]
        assert as_login.options(path.format("imprint")).status_code == 204


@pytest.mark.parametrize(
    ("method", "path", "body", "error"),
    [
        *(("PUT", path, [body | {"uuid": NIL}], "0.uuid") for path, body in BODIES.items() if path != FIELDS),
        *(("PATCH", path, [{"uuid": NIL}], "0.uuid") for path in BODIES if path != FIELDS),
        ("POST", PAGES, {"title": "T", "parent": NIL}, "parent"),
        ("POST", ARTICLES, {"title": "T", "category": {"uuid": NIL}}, "category.uuid"),
        ("POST", ARTICLES, {"title": "T", "tags": [{"uuid": NIL}]}, "tags.0.uuid"),
        ("POST", CATEGORIES, {"name": "N", "parent": NIL}, "parent"),
        ("POST", AUTHORS, {"name": "N", "user": NIL}, "user"),
    ],
)
def test_a_uuid_of_zeros_in_a_body_is_refused(as_admin, assert_unchanged, method, path, body, error):
    refused = as_admin.open(path, method=method, json=body)
    assert (outcome(refused), list(refused.json["errors"])) == ((422, "invalid_fields"), [error])


@pytest.mark.parametrize("path", [path for path in BODIES if path != FIELDS])
def test_a_uuid_of_zeros_in_a_query_is_refused(as_admin, assert_unchanged, path):
    assert outcome(as_admin.delete(f"{path}?uuid={NIL}")) == (400, "invalid_query")


def test_pages_are_created_under_their_uuids_alone(as_admin, as_reader):
    """Two writes to malformed ids once made one page, which each unknown address then showed."""
    for id in ("imprint", "terms", NIL):
        refused = as_admin.put(f"{PAGES}{id}/", json={"title": id, "status": "published"})
        assert outcome(refused) == (404, "not_found")
        assert "not its slug" in refused.json["detail"]
    assert as_admin.get(f"{PAGES}?status=any").json == []
    assert as_admin.put(f"{PAGES}{OTHER_UUID}/", json={"title": "Imprint", "status": "published"}).json
    for id in ("unknown", NIL, "%00"):
        assert as_reader.get(f"{PAGES}{id}/").status_code == 404
    assert as_reader.get(f"{PAGES}imprint/").json["uuid"] == OTHER_UUID


def test_unknown_addresses_do_not_show_an_item_whose_uuid_is_zeros(app, people, as_admin, as_reader):
    """Another program can have stored it."""
    body, below = {"title": "Zeros", "status": "published"}, {"title": "Below", "status": "published"}
    child = as_admin.post(PAGES, json=below).json
    with app.app_context(), transaction():
        service.replace_article_in_transaction(people.admin.uuid, UUID(NIL), PageBodySchema().load(body))
        is_child = Article.uuid == UUID(child["uuid"])
        db.session.execute(update(Article).where(is_child).values(parent_id=UUID(NIL)))
    for path in (PAGES, ARTICLES, TAGS, CATEGORIES, AUTHORS):
        for id in ("unknown", "%00"):
            assert as_reader.get(f"{path}{id}/").status_code == 404, (path, id)
    assert as_reader.get(f"{PAGES}?parent=unknown").json == []
    rendered = as_admin.post("/api/v1/blog/render/", json={"title": "Zeros", "type": "page"}).json
    assert rendered["slug"] == "zeros-2"


def test_no_key_is_found_under_zeros(as_admin):
    assert outcome(as_admin.delete(f"{KEYS}{NIL}/")) == (404, "not_found")
