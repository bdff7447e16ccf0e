"""The common behaviour of categories and tags: order, pages, slugs, owners and bulk writes."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS

BOTH = pytest.mark.parametrize("path", [CATEGORIES, TAGS])


def create(client, path, name, **fields):
    response = client.post(path, json={"name": name} | fields)
    assert response.status_code == 201, response.json
    return response.headers["Location"]


@BOTH
def test_a_list_is_ordered_by_name_without_regard_to_case_then_by_uuid(as_admin, path):
    for name in ("b", "C", "A", "a", "B", "c"):
        create(as_admin, path, name, slug=f"{name.lower()}-{'small' if name.islower() else 'capital'}")
    listed = as_admin.get(path).json
    assert [row["name"].lower() for row in listed] == list("aabbcc")
    assert listed == sorted(listed, key=lambda row: (row["name"].lower(), row["uuid"]))


@BOTH
def test_the_pages_of_a_list_have_the_order_of_the_complete_list(as_admin, path):
    for name in "cab":
        create(as_admin, path, name)
    pages = [as_admin.get(f"{path}?page={number}&page_size=2&fields=name") for number in (1, 2, 3)]
    assert [[row["name"] for row in page.json] for page in pages] == [["a", "b"], ["c"], []]
    assert {page.headers["X-Total-Count"] for page in pages} == {"3"}


@BOTH
def test_a_term_may_keep_its_slug_but_cannot_take_the_slug_of_another_term(as_admin, path):
    one, two = create(as_admin, path, "One"), create(as_admin, path, "Two")
    for change in (as_admin.patch, as_admin.put):
        assert change(one, json={"name": "One", "slug": "one"}).json["slug"] == "one"
        taken = change(two, json={"name": "Two", "slug": "one"})
        assert (taken.status_code, taken.json["code"]) == (409, "slug_taken")
    taken = as_admin.post(path, json={"name": "Three", "slug": "one"})
    assert (taken.status_code, taken.json["code"]) == (409, "slug_taken")


@BOTH
def test_put_accepts_every_field_that_a_read_can_show(as_admin, path, make_article, make_tag, make_category):
    tag, category = make_tag(), make_category()
    make_article(tags=(tag,), category=category)
    where = f"{path}{tag.uuid if path == TAGS else category.uuid}/"
    fields = "uuid,name,slug,user,created,last_updated,articles"
    read, listed = as_admin.get(f"{where}?fields={fields}").json, as_admin.get(path).json
    assert as_admin.put(where, json=read).status_code == 200
    assert as_admin.put(path, json=listed).status_code == 200
    assert as_admin.get(f"{where}?fields={fields}").json == read


@BOTH
def test_a_derived_slug_gets_a_number_that_is_not_in_use(as_admin, path):
    where = [create(as_admin, path, f"One{sign}") for sign in ("", "!", "?")]
    as_admin.delete(where[1])
    created = [
        as_admin.get(create(as_admin, path, name) + "?fields=slug").json["slug"] for name in ("(One)", "~One")
    ]
    assert set(created) == {"one-2", "one-4"}


@BOTH
def test_a_change_by_another_admin_keeps_the_owner(app, make_client, people, as_admin, path):
    where = create(as_admin, path, "N")
    other = make_client(app, people.key(people.other_admin, "write"))
    for change in (other.patch, other.put):
        assert change(where, json={"name": "M"}).status_code == 200
        assert as_admin.get(f"{where}?fields=user").json == {"user": str(people.admin.uuid)}
    own = f"{path}{uuid4()}/"
    assert other.put(own, json={"name": "O"}).status_code == 201
    assert as_admin.get(f"{own}?fields=user").json == {"user": str(people.other_admin.uuid)}


@BOTH
def test_last_updated_changes_only_with_an_actual_change(as_admin, path, set_clock):
    dates = f"{create(as_admin, path, 'N')}?fields=created,last_updated"
    before = as_admin.get(dates).json
    assert before["created"] == before["last_updated"]
    set_clock(datetime(2999, 1, 1, tzinfo=UTC))
    where = dates.split("?")[0]
    assert as_admin.patch(where, json={"name": "N"}).status_code == 200
    assert as_admin.get(dates).json == before
    as_admin.patch(where, json={"name": "M"})
    assert as_admin.get(dates).json == before | {"last_updated": "2999-01-01T00:00:00.000000"}


@BOTH
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_bulk_write_is_all_or_nothing(as_admin, path, make_article, method):
    good = create(as_admin, path, "Good").split("/")[-2]
    etag = as_admin.get(path).headers["ETag"]
    if method == "DELETE":
        response = as_admin.delete(f"{path}?uuid={good}&uuid={uuid4()}")
    else:
        items = [{"uuid": good, "name": "Changed"}, {"uuid": str(uuid4()), "name": "x", "slug": "good"}]
        response = as_admin.open(path, method=method, json=items)
    assert response.status_code == (409 if method == "PUT" else 404)
    assert as_admin.get(path).headers["ETag"] == etag


@BOTH
def test_a_bulk_write_keeps_the_order_of_its_items_and_refuses_a_repeated_uuid(as_admin, path):
    one, two = str(uuid4()), str(uuid4())
    items = [{"uuid": two, "name": "B"}, {"uuid": one, "name": "A"}]
    assert [row["uuid"] for row in as_admin.put(path, json=items).json] == [two, one]
    twice = as_admin.patch(path, json=[items[0], items[0]])
    assert (twice.status_code, twice.json["errors"]) == (422, {"1.uuid": ["Occurs twice."]})


def test_put_resets_the_omitted_fields_of_a_category(as_admin):
    where = create(as_admin, CATEGORIES, "N", description="d", cover_image="/c.jpg")
    assert as_admin.patch(where, json={"name": "M"}).json["description"] == "d"
    replaced = as_admin.put(where, json={"name": "M"}).json
    assert (replaced["description"], replaced["cover_image"], replaced["slug"]) == (None, "", "n")


def test_a_term_shows_only_its_public_articles_newest_first(as_admin, make_article, make_tag, make_category):
    tag, category = make_tag(), make_category()
    created = {
        name: make_article(title=name, tags=(tag,), category=category, **fields)
        for name, fields in {
            "old": {"published_at": "2020-01-01T00:00:00Z"},
            "new": {"published_at": "2024-01-01T00:00:00Z"},
            "ahead": {"published_at": "2999-01-01T00:00:00Z"},
            "draft": {"status": "draft"},
        }.items()
    }
    make_article(title="other")
    for path in (f"{TAGS}{tag.uuid}/", f"{CATEGORIES}{category.uuid}/"):
        assert [row["title"] for row in as_admin.get(path).json["articles"]] == ["new", "old"]
    assert as_admin.get(f"{ARTICLES}{created['draft'].uuid}/").status_code == 200
