"""Bulk writes of pages, which can move several pages of the tree at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
PAGES = "/api/v1/blog/pages/"


@pytest.fixture
def tree(as_admin):
    """Pages in a row, each below the one before: their uuids."""
    uuids = [None]
    for title in ("One", "Two", "Three"):
        body = {"title": title, "status": "published", "parent": uuids[-1]}
        uuids.append(as_admin.post(PAGES, json=body).json["uuid"])
    return uuids[1:]


def show(client):
    pages = client.get(f"{PAGES}?status=any&fields=uuid,title,parent,position").json
    return {page["uuid"]: (page["title"], page["parent"], page["position"]) for page in pages}


def test_a_bulk_change_puts_pages_in_order(as_admin, as_reader, tree):
    items = [{"uuid": uuid, "parent": None, "position": 9 - n} for n, uuid in enumerate(tree)]
    answer = as_admin.patch(f"{PAGES}?fields=title,position", json=items)
    assert answer.json == [
        {"title": title, "position": position} for title, position in (("One", 9), ("Two", 8), ("Three", 7))
    ]
    assert [page["title"] for page in as_reader.get(PAGES).json] == ["Three", "Two", "One"]


def test_a_bulk_change_can_turn_a_tree_upside_down(as_admin, tree):
    one, two, three = tree
    items = [{"uuid": one, "parent": two}, {"uuid": two, "parent": three}, {"uuid": three, "parent": None}]
    answer = as_admin.patch(PAGES, json=items)
    assert [page["parent"] for page in answer.json] == [two, three, None]
    assert "category" not in answer.json[0]


@pytest.mark.parametrize("method", ["put", "patch"])
def test_pages_that_a_bulk_write_would_put_below_each_other_are_refused(as_admin, tree, method):
    one, two, three = tree
    before = show(as_admin)
    items = [
        {"uuid": three, "title": "3", "parent": None},
        {"uuid": one, "title": "1", "parent": two},
        {"uuid": two, "title": "2", "parent": one},
        {"uuid": str(uuid4()), "title": "4", "parent": str(uuid4())},
    ]
    answer = getattr(as_admin, method)(PAGES, json=items)
    assert (answer.status_code, [*answer.json["errors"]]) == (422, ["1.parent"])
    answer = getattr(as_admin, method)(PAGES, json=[items[0], items[3]])
    assert (answer.status_code, [*answer.json["errors"]]) == (422, ["1.parent"])
    assert show(as_admin) == before


def test_concurrent_moves_put_no_pages_below_each_other(app, people, tree):
    one, _, three = tree
    header = {"X-API-KEY": people.key(people.admin, "write")}

    def move(pair):
        return app.test_client().patch(f"{PAGES}{pair[0]}/", json={"parent": pair[1]}, headers=header)

    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            answers = [answer.status_code for answer in pool.map(move, ((one, three), (three, one)))]
            assert sorted(answers) == [200, 422]
            assert {move((uuid, None)).status_code for uuid in (one, three)} == {200}


def test_a_bulk_replacement_creates_pages_below_each_other(as_admin, as_reader, tree):
    above, below = str(uuid4()), str(uuid4())
    items = [
        {"uuid": below, "title": "Below", "parent": above, "status": "published"},
        {"uuid": above, "title": "Above", "parent": tree[0], "status": "published"},
        {"uuid": tree[2], "title": "Changed"},
    ]
    answer = as_admin.put(PAGES, json=items)
    assert [page["title"] for page in answer.json] == ["Below", "Above", "Changed"]
    assert as_reader.get(f"{PAGES}{below}/").json["parent"] == above
    # What GET returns is a valid body.
    assert as_admin.put(PAGES, json=as_admin.get(PAGES).json).status_code == 200


def test_a_bulk_deletion_moves_the_other_pages_to_the_top(as_admin, tree):
    one, two, three = tree
    assert as_admin.delete(f"{PAGES}?uuid={two}&uuid={one}").status_code == 204
    assert show(as_admin) == {three: ("Three", None, 0)}


def test_a_bulk_write_knows_no_articles_and_is_all_or_nothing(as_admin, tree, make_article):
    article, before = str(make_article(title="Rye").uuid), show(as_admin)
    change = [{"uuid": tree[0], "title": "New"}, {"uuid": article, "title": "x"}]
    for answer in (
        as_admin.patch(PAGES, json=change),
        as_admin.put(PAGES, json=change),
        as_admin.delete(f"{PAGES}?uuid={tree[0]}&uuid={article}"),
    ):
        assert (answer.status_code, [*answer.json["errors"]]) == (404, ["1"])
    assert as_admin.patch(ARTICLES, json=[{"uuid": tree[0], "title": "x"}]).status_code == 404
    assert as_admin.delete(f"{ARTICLES}?uuid={tree[0]}").status_code == 404
    assert show(as_admin) == before


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([{"title": "x"}], "0.uuid"),
        ([{"uuid": str(uuid4()), "title": "x", "position": -1}], "0.position"),
        ([{"uuid": str(uuid4()), "title": "x", "category": {"slug": "shelf"}}], "0.category"),
        ([{"uuid": str(uuid4()), "title": "x", "parent": "about"}], "0.parent"),
    ],
)
def test_an_invalid_item_is_named(as_admin, body, field):
    for method in ("PUT", "PATCH"):
        answer = as_admin.open(PAGES, method=method, json=body)
        assert (answer.status_code, [*answer.json["errors"]]) == (422, [field])


def test_a_bulk_write_of_an_old_list_is_refused(as_admin, tree):
    etag = as_admin.get(PAGES).headers["ETag"]
    items = [{"uuid": tree[0], "position": 3}]
    assert as_admin.patch(PAGES, json=items, headers={"If-Match": etag}).status_code == 200
    again = as_admin.patch(PAGES, json=[{"uuid": tree[0], "position": 4}], headers={"If-Match": etag})
    assert outcome(again)[0] == 412
