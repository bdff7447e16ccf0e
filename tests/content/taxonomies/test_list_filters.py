"""Lists of terms are searched, and admins see how many articles in any status have each term."""

from __future__ import annotations

import pytest

from tests.contracts.client import outcome

BLOG = "/api/v1/blog/"
ARTICLES, CATEGORIES, TAGS, AUTHORS = (
    f"{BLOG}{name}/" for name in ("articles", "categories", "tags", "authors")
)
EACH = pytest.mark.parametrize("path", [CATEGORIES, TAGS, AUTHORS])


def list_names(client, path, **query):
    response = client.get(path, query_string={"fields": "name", **query})
    assert response.status_code == 200, response.json
    return [row["name"] for row in response.json]


@EACH
def test_a_search_finds_parts_of_names_and_those_that_begin_with_it_first(as_admin, path):
    for name in ("slow food", "Food", "foodie", "Élan", "Übung", "100% wool", "C++", "Привет", "boats"):
        assert as_admin.post(path, json={"name": name}).status_code == 201
    for text, found in (
        ("FOOD", ["Food", "foodie", "slow food"]),
        ("élan", ["Élan"]),
        ("ÉLAN", ["Élan"]),
        ("übung", ["Übung"]),
        ("привет", ["Привет"]),
        ("0% w", ["100% wool"]),
        ("%", ["100% wool"]),
        ("++", ["C++"]),
        ("_", []),
    ):
        assert list_names(as_admin, path, q=text) == found, text
    for name in ("Das Über", "Über", "Привет, мир"):
        assert as_admin.post(path, json={"name": name}).status_code == 201
    assert list_names(as_admin, path, q="über") == ["Über", "Das Über"]
    assert list_names(as_admin, path, q="привет, ми") == ["Привет, мир"]
    page = as_admin.get(f"{path}?q=food&page=2&page_size=2&fields=name")
    assert (page.json, page.headers["X-Total-Count"]) == ([{"name": "slow food"}], "3")
    for query in (f"q={'a' * 201}", "used=often", "similar=no", "ordering=slug"):
        assert outcome(as_admin.get(f"{path}?{query}")) == (400, "invalid_query")


def test_a_search_finds_only_public_authors_for_readers(as_admin, as_reader):
    as_admin.post(AUTHORS, json={"name": "Hidden"})
    assert list_names(as_admin, AUTHORS, q="hid") == ["Hidden"]
    assert list_names(as_reader, AUTHORS, q="hid") == []


@pytest.fixture
def blog(as_admin):
    """Tags with articles in several statuses."""
    uuids = {
        name: as_admin.post(TAGS, json={"name": name}).json["uuid"]
        for name in ("many", "hidden", "never", "later")
    }
    for title, fields, names in (
        ("a", {"status": "published"}, ["many"]),
        ("b", {"status": "draft"}, ["many", "hidden"]),
        ("c", {"status": "archived"}, ["many", "hidden"]),
        ("d", {"status": "published", "published_at": "2099-01-01T00:00:00Z"}, ["many", "later"]),
    ):
        tags = [{"uuid": uuids[name]} for name in names]
        response = as_admin.post(ARTICLES, json={"title": title, "tags": tags, **fields})
        assert response.status_code == 201, response.json
    return uuids


def test_admins_see_the_numbers_of_articles_by_status(blog, as_admin, as_reader, as_published_admin):
    rows = as_admin.get(f"{TAGS}?fields=name,articles_by_status").json
    numbers = {row["name"]: row["articles_by_status"] for row in rows}
    assert numbers == {
        "many": {"published": 1, "scheduled": 1, "draft": 1, "archived": 1},
        "hidden": {"draft": 1, "archived": 1},
        "never": {},
        "later": {"scheduled": 1},
    }
    single = as_admin.get(f"{TAGS}{blog['later']}/?fields=articles_by_status").json
    assert single == {"articles_by_status": {"scheduled": 1}}
    for client in (as_reader, as_published_admin):
        assert client.get(f"{TAGS}later/?fields=articles_by_status").json == {}
        assert client.get(f"{TAGS}?fields=articles_by_status").json == [{}] * 4


def test_the_numbers_of_a_category_by_status_add_up_as_those_of_all_articles(blog, as_admin):
    (category,) = as_admin.get(f"{CATEGORIES}?fields=articles_by_status").json
    expected = [("archived", 1), ("draft", 1), ("published", 1), ("scheduled", 1)]
    assert [*category["articles_by_status"].items()] == expected
    counts = as_admin.get("/api/v1/blog/article-counts/").json
    assert {name: counts[name] for name, _ in expected} == dict(expected)


def test_admins_list_unused_tags_and_those_of_hidden_articles(blog, as_admin, as_reader):
    assert list_names(as_admin, TAGS, used="never") == ["never"]
    assert list_names(as_admin, TAGS, used="hidden") == ["hidden"]
    assert list_names(as_admin, TAGS, ordering="-articles") == ["many", "hidden", "later", "never"]
    assert list_names(as_admin, TAGS, ordering="-articles", q="e", page=1) == ["hidden", "later", "never"]
    for query in ("used=never", "used=hidden", "similar=true", "ordering=-articles"):
        assert outcome(as_reader.get(f"{TAGS}?{query}")) == (403, "forbidden")
    assert list_names(as_reader, TAGS, ordering="name") == ["hidden", "later", "many", "never"]


@EACH
def test_similar_names_are_listed_together(as_admin, path):
    pairs = ("seaside", "boats", "Sea side", "boxes", "BOAT", "story", "box", "stories", "café", "Cafe")
    for name in (*pairs, "tools", "🙂", "a", "as", "glass"):
        as_admin.post(path, json={"name": name})
    similar = list_names(as_admin, path, similar="true")
    assert [sorted(pair) for pair in zip(similar[::2], similar[1::2], strict=True)] == [
        ["BOAT", "boats"],
        ["box", "boxes"],
        ["Cafe", "café"],
        ["Sea side", "seaside"],
        ["stories", "story"],
    ]
    page = as_admin.get(f"{path}?similar=true&page=2&page_size=4&fields=name")
    assert ([row["name"] for row in page.json], page.headers["X-Total-Count"]) == (similar[4:8], "10")
