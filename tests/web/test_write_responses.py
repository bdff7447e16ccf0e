"""`fields` of writes, and the ETags of readings with different `fields`."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.conftest import ARTICLES, CATEGORIES
from tests.content.media.rows import MEDIA, add_media
from tests.contracts.client import outcome


def test_the_response_to_a_write_has_the_selected_fields(as_admin, resource):
    name = "title" if resource["list"] == ARTICLES else "name"
    shown = f"?fields={name},last_updated"
    created = as_admin.post(f"{resource['list']}{shown}", json=resource["new"])
    assert (created.status_code, set(created.json)) == (201, {name, "last_updated"})
    path = created.headers["Location"]
    for method, body in (("PATCH", resource["change"]), ("PUT", resource["new"])):
        response = as_admin.open(f"{path}{shown}", method=method, json=body)
        assert response.json == as_admin.get(f"{path}{shown}").json
    third = resource["new"] | {"slug": "third"}
    new = as_admin.put(f"{resource['list']}{uuid4()}/{shown}", json=third)
    assert (new.status_code, set(new.json)) == (201, {name, "last_updated"})


def test_an_unknown_field_of_a_write_is_refused_and_nothing_is_written(as_admin, resource):
    before = as_admin.get(resource["path"]).data
    response = as_admin.patch(f"{resource['path']}?fields=nothing", json=resource["change"])
    assert (response.status_code, list(response.json["errors"])) == (400, ["fields"])
    assert as_admin.get(resource["path"]).data == before


def test_a_bulk_write_of_articles_returns_the_selected_fields(as_admin, make_article):
    items = [{"uuid": str(make_article().uuid), "title": f"T{number}"} for number in range(2)]
    response = as_admin.patch(f"{ARTICLES}?fields=title,subtitle", json=items)
    assert response.json == [{"title": "T0", "subtitle": ""}, {"title": "T1", "subtitle": ""}]


def test_a_restored_version_has_the_selected_fields(as_admin, make_article):
    path = f"{ARTICLES}{make_article(title='First').uuid}/"
    as_admin.patch(path, json={"title": "Second"})
    assert as_admin.post(f"{path}revisions/1/restore/?fields=title").json == {"title": "First"}


@pytest.mark.parametrize("read", ["", "?fields=slug", "?fields=last_updated,uuid"])
def test_the_etag_of_any_reading_is_valid_for_one_write(as_admin, resource, read):
    etag = as_admin.get(f"{resource['path']}{read}").headers["ETag"]
    assert as_admin.patch(resource["path"], json={}, headers={"If-Match": etag}).status_code == 200
    changed = as_admin.patch(
        f"{resource['path']}?fields=slug", json=resource["change"], headers={"If-Match": etag}
    )
    assert changed.status_code == 200
    again = {"json": {"slug": "other"}, "headers": {"If-Match": etag}}
    assert outcome(as_admin.patch(resource["path"], **again)) == (412, "stale")
    again["headers"] = {"If-Match": changed.headers["ETag"]}
    assert as_admin.patch(resource["path"], **again).status_code == 200


def test_readings_with_other_fields_have_other_etags(as_admin, resource):
    etags = [
        as_admin.get(f"{resource['path']}{query}").headers["ETag"]
        for query in ("", "?fields=slug", "?fields=uuid")
    ]
    assert len(set(etags)) == 3
    for etag in etags[1:]:
        assert as_admin.get(resource["path"], headers={"If-None-Match": etag}).status_code == 200


def test_the_etag_of_a_file_is_valid_for_any_fields(as_admin):
    path = f"{MEDIA}{add_media(as_admin.application)}/"
    etag = as_admin.get(f"{path}?fields=alt").headers["ETag"]
    write = {"json": {"alt": "A boat"}, "headers": {"If-Match": etag}}
    assert as_admin.patch(f"{path}?fields=alt", **write).json == {"alt": "A boat"}
    assert outcome(as_admin.patch(path, **write)) == (412, "stale")


def test_a_change_of_another_item_does_not_refuse_a_write(as_admin, make_article):
    article = make_article()
    path, category = f"{ARTICLES}{article.uuid}/", f"{CATEGORIES}{article.category_id}/"
    etag, category_etag = (as_admin.get(one).headers["ETag"] for one in (path, category))
    assert as_admin.patch(category, json={"name": "New"}).status_code == 200
    assert as_admin.get(path, headers={"If-None-Match": etag}).status_code == 200
    assert as_admin.patch(path, json={"title": "New"}, headers={"If-Match": etag}).status_code == 200
    assert outcome(as_admin.patch(category, json={}, headers={"If-Match": category_etag})) == (412, "stale")
