"""Preconditions and idempotency keys of all writes; writes of categories and tags."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
TERM_PATHS = [CATEGORIES, TAGS]


@pytest.fixture(params=["articles", "categories", "tags"])
def resource(request, as_admin, make_category):
    """An item of each resource: its path, list, body, a change and its ETag."""
    path = {"articles": ARTICLES, "categories": CATEGORIES, "tags": TAGS}[request.param]
    body = (
        {"title": "T", "category": {"uuid": str(make_category().uuid)}} if path == ARTICLES else {"name": "N"}
    )
    created = as_admin.post(path, json=body)
    assert created.status_code == 201, created.json
    change = {"subtitle": "changed"} if path == ARTICLES else {"name": "changed"}
    return {
        "list": path,
        "path": created.headers["Location"],
        "body": body,
        "change": change,
        "etag": created.headers["ETag"],
    }


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_write_with_the_current_etag_succeeds(as_admin, resource, method):
    etag = as_admin.get(resource["path"]).headers["ETag"]
    assert etag == resource["etag"]
    body = {"put": resource["body"], "patch": resource["change"]}.get(method)
    response = as_admin.open(resource["path"], method=method.upper(), json=body, headers={"If-Match": etag})
    assert response.status_code in (200, 204)


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_write_with_a_stale_etag_is_refused_with_the_current_one(as_admin, resource, method):
    stale = as_admin.get(resource["path"]).headers["ETag"]
    now = as_admin.patch(resource["path"], json=resource["change"]).headers["ETag"]
    body = {"put": resource["body"], "patch": {}}.get(method)
    response = as_admin.open(resource["path"], method=method.upper(), json=body, headers={"If-Match": stale})
    assert (response.status_code, response.json["code"], response.headers["ETag"]) == (412, "stale", now)
    assert as_admin.get(resource["path"]).headers["ETag"] == now


def test_a_weak_or_unknown_etag_does_not_match(as_admin, resource):
    for etag in ('"other"', f"W/{resource['etag']}", "garbage"):
        response = as_admin.patch(resource["path"], json=resource["change"], headers={"If-Match": etag})
        assert outcome(response) == (412, "stale")


def test_the_star_matches_any_existing_item(as_admin, resource):
    assert as_admin.patch(resource["path"], json={}, headers={"If-Match": "*"}).status_code == 200
    missing = f"{resource['list']}{uuid4()}/"
    assert outcome(as_admin.put(missing, json=resource["body"], headers={"If-Match": "*"})) == (412, "stale")


def test_put_with_if_none_match_star_only_creates(as_admin, resource):
    header = {"If-None-Match": "*"}
    refused = as_admin.put(resource["path"], json=resource["body"], headers=header)
    assert (refused.status_code, refused.headers["ETag"]) == (412, resource["etag"])
    assert (
        as_admin.put(f"{resource['list']}{uuid4()}/", json=resource["body"], headers=header).status_code
        == 201
    )


def test_bulk_writes_check_the_etag_of_the_list(as_admin, resource):
    etag = as_admin.get(resource["list"]).headers["ETag"]
    item = [resource["change"] | {"uuid": resource["path"].split("/")[-2]}]
    assert outcome(as_admin.patch(resource["list"], json=item, headers={"If-Match": '"x"'})) == (412, "stale")
    assert as_admin.patch(resource["list"], json=item, headers={"If-Match": etag}).status_code == 200


def test_the_setting_require_if_match_refuses_writes_without_one(
    make_app, make_client, people, as_admin, resource
):
    strict = make_client(make_app(REQUIRE_IF_MATCH=True), people.key(people.admin, "write"))
    for method, body in (("PUT", resource["body"]), ("PATCH", resource["change"]), ("DELETE", None)):
        response = strict.open(resource["path"], method=method, json=body)
        assert (response.status_code, response.json["code"]) == (428, "if_match_required")
    items = [resource["change"] | {"uuid": resource["path"].split("/")[-2]}]
    assert strict.patch(resource["list"], json=items).status_code == 428
    if resource["list"] == ARTICLES:
        as_admin.patch(resource["path"], json=resource["change"])
        assert strict.post(f"{resource['path']}revisions/1/restore/").status_code == 428
        resource["etag"] = as_admin.get(resource["path"]).headers["ETag"]
    assert strict.post(resource["list"], json=resource["body"]).status_code == 201
    assert strict.put(f"{resource['list']}{uuid4()}/", json=resource["body"]).status_code == 201
    assert (
        strict.patch(
            resource["path"], json=resource["change"], headers={"If-Match": resource["etag"]}
        ).status_code
        == 200
    )


def test_a_retry_with_the_same_key_gets_the_first_response(as_admin, resource):
    header = {"Idempotency-Key": "a-key"}
    first = as_admin.post(resource["list"], json=resource["body"], headers=header)
    again = as_admin.post(resource["list"], json=resource["body"], headers=header)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json == again.json
    assert first.headers["Location"] == again.headers["Location"]
    assert first.headers["ETag"] == again.headers["ETag"]


def test_another_body_with_the_same_key_is_a_conflict(as_admin, resource):
    header = {"Idempotency-Key": "a-key"}
    as_admin.post(resource["list"], json=resource["body"], headers=header)
    response = as_admin.post(resource["list"], json=resource["body"] | {"slug": "x"}, headers=header)
    assert (response.status_code, response.json["code"]) == (409, "idempotency_mismatch")


def test_the_same_body_with_the_same_key_on_another_path_is_a_conflict(as_admin):
    header = {"Idempotency-Key": "a-key"}
    assert as_admin.post(TAGS, json={"name": "N"}, headers=header).status_code == 201
    response = as_admin.post(CATEGORIES, json={"name": "N"}, headers=header)
    assert (response.status_code, response.json["code"]) == (409, "idempotency_mismatch")
    assert as_admin.get(CATEGORIES).json == []


def test_a_retry_may_omit_the_trailing_slash(as_admin):
    header = {"Idempotency-Key": "a-key"}
    first, again = (as_admin.post(path, json={"name": "N"}, headers=header) for path in (TAGS, TAGS[:-1]))
    assert (first.json, again.status_code) == (again.json, 201)


def test_a_post_with_a_key_checks_the_etag_of_its_list(as_admin, resource):
    etag = as_admin.get(resource["list"]).headers["ETag"]

    def post(condition):
        headers = {"Idempotency-Key": "a-key", "If-Match": condition}
        return as_admin.post(resource["list"], json=resource["body"], headers=headers)

    refused = post('"other"')
    assert (refused.status_code, refused.json["code"], refused.headers["ETag"]) == (412, "stale", etag)
    assert as_admin.get(resource["list"]).headers["ETag"] == etag
    created = post(etag)
    assert created.status_code == 201
    # The retry is replayed although the ETag has changed since.
    assert (post(etag).json, as_admin.get(created.headers["Location"]).status_code) == (created.json, 200)


def test_a_restore_with_a_key_checks_the_etag_of_its_article(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='One').uuid}/"
    etag = as_admin.patch(path, json={"title": "Two"}).headers["ETag"]

    def restore(condition):
        headers = {"Idempotency-Key": "a-key", "If-Match": condition}
        return as_admin.post(f"{path}revisions/1/restore/", headers=headers)

    assert (restore('"other"').status_code, as_admin.get(path).json["title"]) == (412, "Two")
    assert [restore(etag).json["title"] for _ in range(2)] == ["One", "One"]
    assert len(as_admin.get(f"{path}revisions/").json) == 2


def test_a_stored_response_is_replayed_for_exactly_24_hours(as_admin, set_clock):
    header, noon = {"Idempotency-Key": "a-key"}, datetime(2030, 1, 1, 12, tzinfo=UTC)
    set_clock(noon)
    first = as_admin.post(TAGS, json={"name": "N"}, headers=header).json
    set_clock(noon + timedelta(days=1) - timedelta.resolution)
    assert as_admin.post(TAGS, json={"name": "N"}, headers=header).json == first
    set_clock(noon + timedelta(days=1))
    assert as_admin.post(TAGS, json={"name": "N"}, headers=header).json["slug"] == "n-2"


def test_idempotency_keys_are_per_user_and_expire(app, make_client, people, as_admin, resource, set_clock):
    header = {"Idempotency-Key": "a-key"}
    first = as_admin.post(resource["list"], json=resource["body"], headers=header).json
    other = make_client(app, people.key(people.other_admin, "write"))
    assert other.post(resource["list"], json=resource["body"], headers=header).json["uuid"] != first["uuid"]
    set_clock(datetime.now(UTC) + timedelta(hours=25))
    assert (
        as_admin.post(resource["list"], json=resource["body"], headers=header).json["uuid"] != first["uuid"]
    )


def test_a_refused_request_may_be_corrected_with_the_same_key(as_admin, resource):
    header = {"Idempotency-Key": "a-key"}
    assert outcome(as_admin.post(resource["list"], json={}, headers=header)) == (422, "invalid_fields")
    assert as_admin.post(resource["list"], json=resource["body"], headers=header).status_code == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_idempotency_key_is_ignored_except_on_post(as_admin, resource, method):
    for etag in (resource["etag"], '"other"'):
        headers = {"Idempotency-Key": "a-key", "If-Match": etag}
        response = as_admin.open(resource["path"], method=method, json=resource["body"], headers=headers)
        assert response.status_code == (200 if etag == resource["etag"] else 412)
    named = {"Idempotency-Key": "a-key"}
    assert as_admin.post(resource["list"], json=resource["body"], headers=named).status_code == 201


def test_the_longest_key_is_accepted(as_admin):
    assert as_admin.post(TAGS, json={"name": "N"}, headers={"Idempotency-Key": "~" * 255}).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\tb"])
def test_an_invalid_idempotency_key_is_refused(as_admin, resource, key):
    response = as_admin.post(resource["list"], json=resource["body"], headers={"Idempotency-Key": key})
    assert outcome(response) == (400, "malformed")


@pytest.mark.parametrize("path", TERM_PATHS)
def test_a_term_is_created_changed_and_deleted(as_admin, path):
    created = as_admin.post(path, json={"name": "Über uns"})
    assert (created.status_code, created.json["slug"]) == (201, "uber-uns")
    item_path = created.headers["Location"]
    assert as_admin.post(path, json={"name": "Über uns"}).json["slug"] == "uber-uns-2"
    changed = as_admin.patch(item_path, json={"name": "New name"}).json
    assert (changed["name"], changed["slug"]) == ("New name", "uber-uns")
    assert as_admin.patch(item_path, json={"slug": "new"}).json["slug"] == "new"
    assert as_admin.patch(item_path, json={"slug": "uber-uns-2"}).status_code == 409
    assert as_admin.patch(item_path, json={"slug": "Not one"}).status_code == 422
    assert as_admin.delete(item_path).status_code == 204
    assert as_admin.get(item_path).status_code == 404


@pytest.mark.parametrize("path", TERM_PATHS)
def test_a_term_that_was_read_can_be_sent_back(as_admin, path, make_article, make_tag, make_category):
    tag, category = make_tag("t"), make_category(description="d", cover_image="/c.jpg")
    make_article(category=category, tags=(tag,))
    item_path = f"{path}{category.uuid if path == CATEGORIES else tag.uuid}/"
    read = as_admin.get(item_path)
    assert as_admin.put(item_path, json=read.json).status_code == 200
    assert as_admin.get(item_path).data == read.data


@pytest.mark.parametrize("path", TERM_PATHS)
@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "x" * 101}, {"name": None}, {"slug": ""}, {"unknown": 1}, {"name": ["x"]}],
)
def test_an_invalid_term_is_refused(as_admin, path, wrong):
    response = as_admin.post(path, json={"name": "N"} | wrong)
    assert (response.status_code, list(response.json["errors"])) == (422, list(wrong))
    assert as_admin.get(path).json == []


@pytest.mark.parametrize("path", TERM_PATHS)
def test_terms_are_written_in_bulk(as_admin, path):
    one, two = str(uuid4()), str(uuid4())
    created = as_admin.put(path, json=[{"uuid": one, "name": "A"}, {"uuid": two, "name": "B"}])
    assert [term["uuid"] for term in created.json] == [one, two]
    changed = as_admin.patch(path, json=[{"uuid": one, "name": "C"}, {"uuid": str(uuid4()), "name": "D"}])
    assert (changed.status_code, list(changed.json["errors"])) == (404, ["1"])
    assert as_admin.delete(f"{path}?uuid={one}&uuid={two}").status_code == 204
    assert as_admin.get(path).json == []


def test_a_category_in_use_cannot_be_deleted(as_admin, make_article):
    article = make_article()
    response = as_admin.delete(f"{CATEGORIES}{article.category_id}/")
    assert (response.status_code, response.json["code"]) == (409, "category_in_use")


def test_a_deleted_tag_leaves_its_articles(as_admin, make_article, make_tag):
    tag, other = make_tag(), make_tag("stays")
    article = make_article(tags=(tag, other))
    assert as_admin.delete(f"{TAGS}{tag.uuid}/").status_code == 204
    assert [tag["name"] for tag in as_admin.get(f"{ARTICLES}{article.uuid}/").json["tags"]] == ["stays"]


def test_a_new_slug_changes_the_etag_of_a_single_tag_which_does_not_show_it(as_admin, make_tag):
    path = f"{TAGS}{make_tag().uuid}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"slug": "new"})
    assert outcome(as_admin.patch(path, json={}, headers={"If-Match": etag})) == (412, "stale")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_missing_item_is_a_404_before_any_precondition(as_admin, resource, method):
    response = as_admin.open(
        f"{resource['list']}nonsense/", method=method, json={}, headers={"If-Match": '"x"'}
    )
    assert outcome(response) == (404, "not_found")


def test_a_response_with_a_secret_accepts_no_idempotency_key(as_admin, make_article):
    article = make_article()
    for path in ("/api/v1/auth/api-key/", f"{ARTICLES}{article.uuid}/preview/"):
        assert outcome(as_admin.post(path, headers={"Idempotency-Key": "k"})) == (400, "malformed")


def test_an_operation_without_an_etag_refuses_if_match(as_admin, make_article):
    article = make_article()
    path = f"{ARTICLES}{article.uuid}/preview/"
    assert outcome(as_admin.post(path, headers={"If-Match": '"x"'})) == (412, "stale")
    created = as_admin.post(path).json
    assert outcome(as_admin.delete(f"{path}{created['uuid']}/", headers={"If-Match": '"x"'})) == (
        412,
        "stale",
    )
