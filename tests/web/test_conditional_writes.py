"""What all writes have in common: preconditions, retries, both kinds of shelves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
SHELVES = [CATEGORIES, TAGS]


@pytest.fixture(params=["articles", "categories", "tags"])
def thing(request, as_admin, make_category):
    """An item of each resource, with its path, its list, a body and a change."""
    path = {"articles": ARTICLES, "categories": CATEGORIES, "tags": TAGS}[request.param]
    named = (
        {"title": "T", "category": {"uuid": str(make_category().uuid)}} if path == ARTICLES else {"name": "N"}
    )
    made = as_admin.post(path, json=named)
    assert made.status_code == 201, made.json
    change = {"subtitle": "changed"} if path == ARTICLES else {"name": "changed"}
    return {
        "list": path,
        "path": made.headers["Location"],
        "body": named,
        "change": change,
        "etag": made.headers["ETag"],
    }


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_change_of_what_is_still_so_is_done(as_admin, thing, method):
    etag = as_admin.get(thing["path"]).headers["ETag"]
    assert etag == thing["etag"]
    body = {"put": thing["body"], "patch": thing["change"]}.get(method)
    answer = as_admin.open(thing["path"], method=method.upper(), json=body, headers={"If-Match": etag})
    assert answer.status_code in (200, 204)


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_change_of_what_has_changed_is_refused_with_the_present_etag(as_admin, thing, method):
    stale = as_admin.get(thing["path"]).headers["ETag"]
    now = as_admin.patch(thing["path"], json=thing["change"]).headers["ETag"]
    body = {"put": thing["body"], "patch": {}}.get(method)
    answer = as_admin.open(thing["path"], method=method.upper(), json=body, headers={"If-Match": stale})
    assert (answer.status_code, answer.json["code"], answer.headers["ETag"]) == (412, "stale", now)
    assert as_admin.get(thing["path"]).headers["ETag"] == now


def test_a_weak_or_unknown_etag_does_not_match(as_admin, thing):
    for etag in ('"other"', f"W/{thing['etag']}", "garbage"):
        answer = as_admin.patch(thing["path"], json=thing["change"], headers={"If-Match": etag})
        assert outcome(answer) == (412, "stale")


def test_any_etag_matches_what_exists(as_admin, thing):
    assert as_admin.patch(thing["path"], json={}, headers={"If-Match": "*"}).status_code == 200
    nowhere = f"{thing['list']}{uuid4()}/"
    assert outcome(as_admin.put(nowhere, json=thing["body"], headers={"If-Match": "*"})) == (412, "stale")


def test_put_can_be_told_to_create_only(as_admin, thing):
    header = {"If-None-Match": "*"}
    refused = as_admin.put(thing["path"], json=thing["body"], headers=header)
    assert (refused.status_code, refused.headers["ETag"]) == (412, thing["etag"])
    assert as_admin.put(f"{thing['list']}{uuid4()}/", json=thing["body"], headers=header).status_code == 201


def test_lists_are_guarded_by_their_own_etag(as_admin, thing):
    etag = as_admin.get(thing["list"]).headers["ETag"]
    item = [thing["change"] | {"uuid": thing["path"].split("/")[-2]}]
    assert outcome(as_admin.patch(thing["list"], json=item, headers={"If-Match": '"x"'})) == (412, "stale")
    assert as_admin.patch(thing["list"], json=item, headers={"If-Match": etag}).status_code == 200


def test_a_blog_can_demand_preconditions(make_app, make_client, people, as_admin, thing):
    strict = make_client(make_app(REQUIRE_IF_MATCH=True), people.key(people.admin, "write"))
    for method, body in (("PUT", thing["body"]), ("PATCH", thing["change"]), ("DELETE", None)):
        answer = strict.open(thing["path"], method=method, json=body)
        assert (answer.status_code, answer.json["code"]) == (428, "if_match_required")
    items = [thing["change"] | {"uuid": thing["path"].split("/")[-2]}]
    assert strict.patch(thing["list"], json=items).status_code == 428
    if thing["list"] == ARTICLES:
        as_admin.patch(thing["path"], json=thing["change"])
        assert strict.post(f"{thing['path']}revisions/1/restore/").status_code == 428
        thing["etag"] = as_admin.get(thing["path"]).headers["ETag"]
    assert strict.post(thing["list"], json=thing["body"]).status_code == 201
    assert strict.put(f"{thing['list']}{uuid4()}/", json=thing["body"]).status_code == 201
    assert (
        strict.patch(thing["path"], json=thing["change"], headers={"If-Match": thing["etag"]}).status_code
        == 200
    )


def test_a_retry_under_the_same_key_does_nothing_twice(as_admin, thing):
    header = {"Idempotency-Key": "a-key"}
    first = as_admin.post(thing["list"], json=thing["body"], headers=header)
    again = as_admin.post(thing["list"], json=thing["body"], headers=header)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json == again.json
    assert first.headers["Location"] == again.headers["Location"]
    assert first.headers["ETag"] == again.headers["ETag"]


def test_another_body_under_the_same_key_is_a_conflict(as_admin, thing):
    header = {"Idempotency-Key": "a-key"}
    as_admin.post(thing["list"], json=thing["body"], headers=header)
    answer = as_admin.post(thing["list"], json=thing["body"] | {"slug": "x"}, headers=header)
    assert (answer.status_code, answer.json["code"]) == (409, "idempotency_mismatch")


def test_the_same_body_under_the_same_key_on_another_list_is_a_conflict(as_admin):
    header = {"Idempotency-Key": "a-key"}
    assert as_admin.post(TAGS, json={"name": "N"}, headers=header).status_code == 201
    answer = as_admin.post(CATEGORIES, json={"name": "N"}, headers=header)
    assert (answer.status_code, answer.json["code"]) == (409, "idempotency_mismatch")
    assert as_admin.get(CATEGORIES).json == []


def test_a_retry_may_leave_out_the_last_slash(as_admin):
    header = {"Idempotency-Key": "a-key"}
    first, again = (as_admin.post(path, json={"name": "N"}, headers=header) for path in (TAGS, TAGS[:-1]))
    assert (first.json, again.status_code) == (again.json, 201)


def test_a_post_under_a_key_is_guarded_by_the_etag_of_its_list(as_admin, thing):
    etag = as_admin.get(thing["list"]).headers["ETag"]

    def post(condition):
        headers = {"Idempotency-Key": "a-key", "If-Match": condition}
        return as_admin.post(thing["list"], json=thing["body"], headers=headers)

    refused = post('"other"')
    assert (refused.status_code, refused.json["code"], refused.headers["ETag"]) == (412, "stale", etag)
    assert as_admin.get(thing["list"]).headers["ETag"] == etag
    made = post(etag)
    assert made.status_code == 201
    # The retry changes nothing: what it would have changed has changed by the first.
    assert (post(etag).json, as_admin.get(made.headers["Location"]).status_code) == (made.json, 200)


def test_a_restoration_under_a_key_is_guarded_by_the_etag_of_its_article(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='One').uuid}/"
    etag = as_admin.patch(path, json={"title": "Two"}).headers["ETag"]

    def restore(condition):
        headers = {"Idempotency-Key": "a-key", "If-Match": condition}
        return as_admin.post(f"{path}revisions/1/restore/", headers=headers)

    assert (restore('"other"').status_code, as_admin.get(path).json["title"]) == (412, "Two")
    assert [restore(etag).json["title"] for _ in range(2)] == ["One", "One"]
    assert len(as_admin.get(f"{path}revisions/").json) == 2


def test_an_answer_is_repeated_for_a_day_to_the_microsecond(as_admin, at):
    header, noon = {"Idempotency-Key": "a-key"}, datetime(2030, 1, 1, 12, tzinfo=UTC)
    at(noon)
    first = as_admin.post(TAGS, json={"name": "N"}, headers=header).json
    at(noon + timedelta(days=1) - timedelta.resolution)
    assert as_admin.post(TAGS, json={"name": "N"}, headers=header).json == first
    at(noon + timedelta(days=1))
    assert as_admin.post(TAGS, json={"name": "N"}, headers=header).json["slug"] == "n-2"


def test_the_key_is_the_users_own_and_lasts_a_day(app, make_client, people, as_admin, thing, at):
    header = {"Idempotency-Key": "a-key"}
    first = as_admin.post(thing["list"], json=thing["body"], headers=header).json
    other = make_client(app, people.key(people.other_admin, "write"))
    assert other.post(thing["list"], json=thing["body"], headers=header).json["uuid"] != first["uuid"]
    at(datetime.now(UTC) + timedelta(hours=25))
    assert as_admin.post(thing["list"], json=thing["body"], headers=header).json["uuid"] != first["uuid"]


def test_a_refused_request_may_be_corrected_under_its_key(as_admin, thing):
    header = {"Idempotency-Key": "a-key"}
    assert outcome(as_admin.post(thing["list"], json={}, headers=header)) == (422, "invalid_fields")
    assert as_admin.post(thing["list"], json=thing["body"], headers=header).status_code == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_only_a_post_is_answered_by_its_key(as_admin, thing, method):
    for etag in (thing["etag"], '"other"'):
        headers = {"Idempotency-Key": "a-key", "If-Match": etag}
        answer = as_admin.open(thing["path"], method=method, json=thing["body"], headers=headers)
        assert answer.status_code == (200 if etag == thing["etag"] else 412)
    named = {"Idempotency-Key": "a-key"}
    assert as_admin.post(thing["list"], json=thing["body"], headers=named).status_code == 201


def test_the_longest_key_is_taken(as_admin):
    assert as_admin.post(TAGS, json={"name": "N"}, headers={"Idempotency-Key": "~" * 255}).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\tb"])
def test_an_impossible_key_is_refused(as_admin, thing, key):
    answer = as_admin.post(thing["list"], json=thing["body"], headers={"Idempotency-Key": key})
    assert outcome(answer) == (400, "malformed")


@pytest.mark.parametrize("path", SHELVES)
def test_a_shelf_is_made_changed_and_deleted(as_admin, path):
    made = as_admin.post(path, json={"name": "Über uns"})
    assert (made.status_code, made.json["slug"]) == (201, "uber-uns")
    where = made.headers["Location"]
    assert as_admin.post(path, json={"name": "Über uns"}).json["slug"] == "uber-uns-2"
    changed = as_admin.patch(where, json={"name": "New name"}).json
    assert (changed["name"], changed["slug"]) == ("New name", "uber-uns")
    assert as_admin.patch(where, json={"slug": "new"}).json["slug"] == "new"
    assert as_admin.patch(where, json={"slug": "uber-uns-2"}).status_code == 409
    assert as_admin.patch(where, json={"slug": "Not one"}).status_code == 422
    assert as_admin.delete(where).status_code == 204
    assert as_admin.get(where).status_code == 404


@pytest.mark.parametrize("path", SHELVES)
def test_a_shelf_that_was_read_can_be_sent_back(as_admin, path, make_article, make_tag, make_category):
    tag, category = make_tag("t"), make_category(description="d", cover_image="/c.jpg")
    make_article(category=category, tags=(tag,))
    where = f"{path}{category.uuid if path == CATEGORIES else tag.uuid}/"
    read = as_admin.get(where)
    assert as_admin.put(where, json=read.json).status_code == 200
    assert as_admin.get(where).data == read.data


@pytest.mark.parametrize("path", SHELVES)
@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "x" * 101}, {"name": None}, {"slug": ""}, {"unknown": 1}, {"name": ["x"]}],
)
def test_a_wrong_shelf_is_refused(as_admin, path, wrong):
    answer = as_admin.post(path, json={"name": "N"} | wrong)
    assert (answer.status_code, list(answer.json["errors"])) == (422, list(wrong))
    assert as_admin.get(path).json == []


@pytest.mark.parametrize("path", SHELVES)
def test_several_shelves_at_once(as_admin, path):
    one, two = str(uuid4()), str(uuid4())
    made = as_admin.put(path, json=[{"uuid": one, "name": "A"}, {"uuid": two, "name": "B"}])
    assert [shelf["uuid"] for shelf in made.json] == [one, two]
    changed = as_admin.patch(path, json=[{"uuid": one, "name": "C"}, {"uuid": str(uuid4()), "name": "D"}])
    assert (changed.status_code, list(changed.json["errors"])) == (404, ["1"])
    assert as_admin.delete(f"{path}?uuid={one}&uuid={two}").status_code == 204
    assert as_admin.get(path).json == []


def test_a_category_in_use_stays(as_admin, make_article):
    article = make_article()
    answer = as_admin.delete(f"{CATEGORIES}{article.category_id}/")
    assert (answer.status_code, answer.json["code"]) == (409, "category_in_use")


def test_a_deleted_tag_leaves_its_articles(as_admin, make_article, make_tag):
    tag, other = make_tag(), make_tag("stays")
    article = make_article(tags=(tag, other))
    assert as_admin.delete(f"{TAGS}{tag.uuid}/").status_code == 204
    assert [tag["name"] for tag in as_admin.get(f"{ARTICLES}{article.uuid}/").json["tags"]] == ["stays"]


def test_a_new_slug_of_a_tag_is_a_change_though_one_tag_does_not_show_it(as_admin, make_tag):
    path = f"{TAGS}{make_tag().uuid}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"slug": "new"})
    assert outcome(as_admin.patch(path, json={}, headers={"If-Match": etag})) == (412, "stale")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_what_is_not_there_is_a_404_before_any_precondition(as_admin, thing, method):
    answer = as_admin.open(f"{thing['list']}nonsense/", method=method, json={}, headers={"If-Match": '"x"'})
    assert outcome(answer) == (404, "not_found")


def test_what_would_keep_a_secret_is_not_repeated(as_admin, make_article):
    article = make_article()
    for path in ("/api/v1/auth/api-key/", f"{ARTICLES}{article.uuid}/preview/"):
        assert outcome(as_admin.post(path, headers={"Idempotency-Key": "k"})) == (400, "malformed")


def test_what_has_no_state_fits_no_precondition(as_admin, make_article):
    article = make_article()
    path = f"{ARTICLES}{article.uuid}/preview/"
    assert outcome(as_admin.post(path, headers={"If-Match": '"x"'})) == (412, "stale")
    made = as_admin.post(path).json
    assert outcome(as_admin.delete(f"{path}{made['uuid']}/", headers={"If-Match": '"x"'})) == (412, "stale")
