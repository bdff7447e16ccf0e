"""Preconditions of all writes, and writes of categories and tags."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.contracts.client import outcome
from tests.web.conftest import TERM_PATHS


def get_state(etag: str) -> str:
    """Return the half of an ETag that every reading of an item has; the other half depends on its fields."""
    return etag.strip('"').partition(".")[0]


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_write_with_the_current_etag_succeeds(as_admin, resource, method):
    etag = as_admin.get(resource["path"]).headers["ETag"]
    assert get_state(etag) == get_state(resource["etag"])
    body = {"put": resource["body"], "patch": resource["change"]}.get(method)
    response = as_admin.open(resource["path"], method=method.upper(), json=body, headers={"If-Match": etag})
    assert response.status_code in (200, 204)


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_the_response_to_a_write_with_a_stale_etag_has_the_current_etag(as_admin, resource, method):
    stale = as_admin.get(resource["path"]).headers["ETag"]
    now = as_admin.patch(resource["path"], json=resource["change"]).headers["ETag"]
    body = {"put": resource["body"], "patch": {}}.get(method)
    response = as_admin.open(resource["path"], method=method.upper(), json=body, headers={"If-Match": stale})
    assert (response.status_code, response.json["code"], response.headers["ETag"]) == (412, "stale", now)
    assert get_state(as_admin.get(resource["path"]).headers["ETag"]) == get_state(now)


def test_an_unknown_etag_does_not_match(as_admin, resource):
    for etag in ('"other"', 'W/"other"', '"other-gzip"', f'{resource["etag"][:-1]}-x"', "garbage"):
        response = as_admin.patch(resource["path"], json=resource["change"], headers={"If-Match": etag})
        assert outcome(response) == (412, "stale")


def test_if_match_star_matches_any_existing_item(as_admin, resource):
    assert as_admin.patch(resource["path"], json={}, headers={"If-Match": "*"}).status_code == 200
    missing = f"{resource['list']}{uuid4()}/"
    assert outcome(as_admin.put(missing, json=resource["new"], headers={"If-Match": "*"})) == (412, "stale")


def test_an_etag_that_a_compressing_proxy_changed_still_matches(as_admin, resource):
    (field,) = resource["change"]
    for number, template in enumerate(('W/"{}"', '"{}-gzip"', 'W/"{}-br"', '"other", "{}-zstd"')):
        etag = template.format(as_admin.get(resource["path"]).headers["ETag"].strip('"'))
        assert as_admin.get(resource["path"], headers={"If-None-Match": etag}).status_code == 304
        write = {"json": {field: f"change {number}"}, "headers": {"If-Match": etag}}
        assert as_admin.patch(resource["path"], **write).status_code == 200
        assert outcome(as_admin.patch(resource["path"], **write)) == (412, "stale")


def test_put_with_if_none_match_star_cannot_replace_an_existing_item(as_admin, resource):
    header = {"If-None-Match": "*"}
    refused = as_admin.put(resource["path"], json=resource["body"], headers=header)
    assert (refused.status_code, refused.headers["ETag"]) == (412, resource["etag"])
    assert (
        as_admin.put(f"{resource['list']}{uuid4()}/", json=resource["new"], headers=header).status_code == 201
    )


def test_bulk_writes_check_the_etag_of_the_list(as_admin, resource):
    etag = as_admin.get(resource["list"]).headers["ETag"]
    item = [resource["change"] | {"uuid": resource["path"].split("/")[-2]}]
    assert outcome(as_admin.patch(resource["list"], json=item, headers={"If-Match": '"x"'})) == (412, "stale")
    assert as_admin.patch(resource["list"], json=item, headers={"If-Match": etag}).status_code == 200


def test_the_require_if_match_setting_makes_if_match_mandatory_for_writes(
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
    assert strict.post(resource["list"], json=resource["new"]).status_code == 201
    other = resource["new"] | {"slug": "other"}
    assert strict.put(f"{resource['list']}{uuid4()}/", json=other).status_code == 201
    assert (
        strict.patch(
            resource["path"], json=resource["change"], headers={"If-Match": resource["etag"]}
        ).status_code
        == 200
    )


@pytest.mark.parametrize("path", TERM_PATHS)
def test_a_term_is_created_changed_and_deleted(as_admin, path):
    created = as_admin.post(path, json={"name": "Über uns"})
    assert (created.status_code, created.json["slug"]) == (201, "uber-uns")
    item_path = created.headers["Location"]
    # Another name with the same slug.
    assert as_admin.post(path, json={"name": "Uber uns!"}).json["slug"] == "uber-uns-2"
    changed = as_admin.patch(item_path, json={"name": "New name"}).json
    assert (changed["name"], changed["slug"]) == ("New name", "uber-uns")
    assert as_admin.patch(item_path, json={"slug": "new"}).json["slug"] == "new"
    assert as_admin.patch(item_path, json={"slug": "uber-uns-2"}).status_code == 409
    assert as_admin.patch(item_path, json={"slug": "Not one"}).status_code == 422
    assert as_admin.delete(item_path).status_code == 204
    assert as_admin.get(item_path).status_code == 404


@pytest.mark.parametrize("path", TERM_PATHS)
def test_put_accepts_the_response_of_get_for_a_term(as_admin, path, make_article, make_tag, make_category):
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


def test_a_deleted_tag_is_removed_from_its_articles(as_admin, make_article, make_tag):
    tag, other = make_tag(), make_tag("stays")
    article = make_article(tags=(tag, other))
    assert as_admin.delete(f"{TAGS}{tag.uuid}/").status_code == 204
    assert [tag["name"] for tag in as_admin.get(f"{ARTICLES}{article.uuid}/").json["tags"]] == ["stays"]


def test_a_new_slug_changes_the_etag_of_a_tag_although_its_response_shows_no_slug(as_admin, make_tag):
    path = f"{TAGS}{make_tag().uuid}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"slug": "new"})
    assert outcome(as_admin.patch(path, json={}, headers={"If-Match": etag})) == (412, "stale")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_missing_item_gets_a_404_before_any_precondition_is_checked(as_admin, resource, method):
    response = as_admin.open(
        f"{resource['list']}nonsense/", method=method, json={}, headers={"If-Match": '"x"'}
    )
    assert outcome(response) == (404, "not_found")


def test_an_operation_without_an_etag_refuses_if_match(as_admin, make_article):
    article = make_article()
    path = f"{ARTICLES}{article.uuid}/preview/"
    assert outcome(as_admin.post(path, headers={"If-Match": '"x"'})) == (412, "stale")
    created = as_admin.post(path).json
    assert outcome(as_admin.delete(f"{path}{created['uuid']}/", headers={"If-Match": '"x"'})) == (
        412,
        "stale",
    )
