"""Bulk writes and bulk deletes of articles."""

from __future__ import annotations

from uuid import uuid4

from tests.conftest import ARTICLES
from tests.content.articles.conftest import OWN
from tests.contracts.client import outcome


def test_a_bulk_write_writes_several_articles(as_admin, body, write):
    first, new = write(), str(uuid4())
    response = as_admin.put(
        ARTICLES, json=[body(uuid=new, title="New"), body(uuid=first["uuid"], title="Changed")]
    )
    assert [article["title"] for article in response.json] == ["New", "Changed"]
    response = as_admin.patch(
        ARTICLES, json=[{"uuid": new, "subtitle": "s"}, {"uuid": first["uuid"], "subtitle": "t"}]
    )
    assert [article["subtitle"] for article in response.json] == ["s", "t"]
    response = as_admin.delete(f"{ARTICLES}?uuid={new}&uuid={first['uuid']}")
    assert response.status_code == 204
    assert as_admin.get(OWN).json == []


def test_a_bulk_write_is_all_or_nothing(as_admin, write, body):
    created = write(slug="one")
    missing = str(uuid4())
    conflict = as_admin.put(
        ARTICLES, json=[body(uuid=missing, title="New"), body(uuid=str(uuid4()), slug="one")]
    )
    assert (conflict.status_code, list(conflict.json["errors"])) == (409, ["1.slug"])
    unknown = as_admin.patch(
        ARTICLES, json=[{"uuid": created["uuid"], "title": "x"}, {"uuid": missing, "title": "y"}]
    )
    assert (unknown.status_code, list(unknown.json["errors"])) == (404, ["1"])
    deleted = as_admin.delete(f"{ARTICLES}?uuid={created['uuid']}&uuid={missing}")
    assert (deleted.status_code, list(deleted.json["errors"])) == (404, ["1"])
    assert as_admin.get(OWN).json == [created]


def test_a_bulk_delete_without_valid_uuids_is_refused(as_admin, write):
    created = write()
    assert as_admin.delete(ARTICLES).status_code == 400
    assert as_admin.delete(f"{ARTICLES}?uuid=nonsense").status_code == 400
    assert as_admin.get(OWN).json == [created]


def test_the_body_of_a_bulk_write_must_be_an_array_of_objects(as_admin):
    assert as_admin.put(ARTICLES, json={"title": "x"}).status_code == 422
    assert as_admin.patch(ARTICLES, json=[7]).status_code == 422
    assert as_admin.patch(ARTICLES, json=[{}]).json["errors"] == {
        "0.uuid": ["Missing data for required field."]
    }


def test_a_bulk_write_refuses_the_same_uuid_twice(as_admin, body, write):
    uuid = write()["uuid"]
    for method in ("PUT", "PATCH"):
        response = as_admin.open(ARTICLES, method=method, json=[body(uuid=uuid), body(uuid=uuid)])
        assert (response.status_code, list(response.json["errors"])) == (422, ["1.uuid"])
    assert as_admin.delete(f"{ARTICLES}?uuid={uuid}&uuid={uuid}").status_code == 422


def test_a_bulk_write_with_if_match_is_refused_after_a_draft_changed(as_admin, write):
    uuid = write(title="Draft")["uuid"]
    etag = as_admin.get(ARTICLES).headers["ETag"]
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"title": "Other"})
    response = as_admin.patch(ARTICLES, json=[{"uuid": uuid, "title": "Mine"}], headers={"If-Match": etag})
    assert outcome(response) == (412, "stale")


def test_the_response_to_a_bulk_write_has_no_etag(as_admin, write):
    response = as_admin.patch(ARTICLES, json=[{"uuid": write()["uuid"], "title": "x"}])
    assert response.status_code == 200 and "ETag" not in response.headers


def test_articles_renamed_in_bulk_keep_their_former_slugs(as_admin, as_reader, write):
    first, second = (write(slug=slug, status="published") for slug in ("one", "two"))
    for slugs in (("uno", "dos"), ("one", "zwei")):
        items = [
            {"uuid": one["uuid"], "slug": slug} for one, slug in zip((first, second), slugs, strict=True)
        ]
        assert as_admin.patch(ARTICLES, json=items).status_code == 200
    for slug, article in (("one", first), ("uno", first), ("two", second), ("dos", second), ("zwei", second)):
        assert [one["uuid"] for one in as_reader.get(f"{ARTICLES}?slug={slug}").json] == [article["uuid"]]


def test_a_bulk_write_that_swaps_two_bodies_renders_them_before_it_takes_the_write_lock(
    as_admin, write, contents_rendered_in_writes
):
    first, second = write(content="<p>a</p>"), write(content="<p>b</p>")
    del contents_rendered_in_writes[:]
    items = [{"uuid": first["uuid"], "content": "<p>b</p>"}, {"uuid": second["uuid"], "content": "<p>a</p>"}]
    assert as_admin.patch(ARTICLES, json=items).status_code == 200
    assert contents_rendered_in_writes == []
