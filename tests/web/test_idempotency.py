"""Idempotency keys of POST requests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.contracts.client import outcome


def test_a_retry_with_the_same_key_gets_the_first_response(as_admin, resource):
    header = {"Idempotency-Key": "a-key"}
    first = as_admin.post(resource["list"], json=resource["new"], headers=header)
    again = as_admin.post(resource["list"], json=resource["new"], headers=header)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json == again.json
    assert first.headers["Location"] == again.headers["Location"]
    assert first.headers["ETag"] == again.headers["ETag"]


def test_another_body_with_the_same_key_is_a_conflict(as_admin, resource):
    header = {"Idempotency-Key": "a-key"}
    assert as_admin.post(resource["list"], json=resource["new"], headers=header).status_code == 201
    response = as_admin.post(resource["list"], json=resource["new"] | {"slug": "x"}, headers=header)
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


def test_a_post_with_an_idempotency_key_checks_the_etag_of_the_list(as_admin, resource):
    etag = as_admin.get(resource["list"]).headers["ETag"]

    def post(condition):
        headers = {"Idempotency-Key": "a-key", "If-Match": condition}
        return as_admin.post(resource["list"], json=resource["new"], headers=headers)

    refused = post('"other"')
    assert (refused.status_code, refused.json["code"], refused.headers["ETag"]) == (412, "stale", etag)
    assert as_admin.get(resource["list"]).headers["ETag"] == etag
    created = post(etag)
    assert created.status_code == 201
    # The retry gets the stored response although the ETag of the list has changed.
    assert (post(etag).json, as_admin.get(created.headers["Location"]).status_code) == (created.json, 200)


def test_a_restore_with_an_idempotency_key_checks_the_etag_of_the_article(as_admin, make_article):
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
    # The request is carried out again.
    assert outcome(as_admin.post(TAGS, json={"name": "N"}, headers=header)) == (409, "name_taken")


def test_each_user_has_separate_idempotency_keys_and_the_keys_expire(
    app, make_client, people, as_admin, resource, set_clock
):
    header = {"Idempotency-Key": "a-key"}
    other = make_client(app, people.key(people.other_admin, "write"))

    def post(client, slug):
        response = client.post(resource["list"], json=resource["new"] | {"slug": slug}, headers=header)
        return response.status_code, response.json.get("code")

    assert post(as_admin, "first") == post(other, "second") == (201, None)
    assert post(as_admin, "third") == (409, "idempotency_mismatch")
    set_clock(datetime.now(UTC) + timedelta(hours=25))
    assert post(as_admin, "third") == (201, None)


def test_a_refused_request_can_be_corrected_and_sent_again_with_the_same_key(as_admin, resource):
    header = {"Idempotency-Key": "a-key"}
    assert outcome(as_admin.post(resource["list"], json={}, headers=header)) == (422, "invalid_fields")
    assert as_admin.post(resource["list"], json=resource["new"], headers=header).status_code == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_idempotency_key_is_ignored_except_in_post_requests(as_admin, resource, method):
    for etag in (resource["etag"], '"other"'):
        headers = {"Idempotency-Key": "a-key", "If-Match": etag}
        response = as_admin.open(resource["path"], method=method, json=resource["body"], headers=headers)
        assert response.status_code == (200 if etag == resource["etag"] else 412)
    named = {"Idempotency-Key": "a-key"}
    assert as_admin.post(resource["list"], json=resource["new"], headers=named).status_code == 201


def test_the_longest_key_is_accepted(as_admin):
    assert as_admin.post(TAGS, json={"name": "N"}, headers={"Idempotency-Key": "~" * 255}).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\tb"])
def test_an_invalid_idempotency_key_is_refused(as_admin, resource, key):
    response = as_admin.post(resource["list"], json=resource["body"], headers={"Idempotency-Key": key})
    assert outcome(response) == (400, "malformed")


def test_an_operation_that_returns_a_secret_refuses_an_idempotency_key(as_admin, make_article):
    article = make_article()
    for path in ("/api/v1/auth/api-key/", f"{ARTICLES}{article.uuid}/preview/"):
        assert outcome(as_admin.post(path, headers={"Idempotency-Key": "k"})) == (400, "malformed")
