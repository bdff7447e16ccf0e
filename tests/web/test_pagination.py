"""The way from page to page: who follows the links of a list sees all of it, once, under the same filters."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS

OWN = f"{ARTICLES}author/me/"


def links(answer):
    return {
        name: path for path, name in re.findall(r'<([^>]*)>; rel="(\w+)"', answer.headers.get("Link", ""))
    }


@pytest.fixture
def blog(make_article, make_category, make_tag):
    """Five articles: three of tag x, two of them in category k, one of tag y, one without."""
    x, y, kitchen, walks = make_tag("x"), make_tag("y"), make_category(name="k"), make_category(name="w")
    kept = [((x,), kitchen), ((x,), kitchen), ((x,), walks), ((y,), kitchen), ((), walks)]
    for day, (tags, category) in enumerate(kept, 1):
        make_article(title=f"T{day}", tags=tags, category=category, published_at=f"2026-01-0{day}T00:00:00Z")


@pytest.mark.parametrize("path", [ARTICLES, OWN])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "54321"),
        ("tag=x&tag=y", "4321"),
        ("tag=y&tag=x&category=k", "421"),
        ("category=w&category=k&ordering=title", "12345"),
        ("tag=x&tag=nowhere&fields=title", "321"),
        ("q=words&published_after=2026-01-02T00:00:00%2B00:00&ordering=published_at", "2345"),
    ],
)
def test_who_follows_the_links_sees_the_whole_list(as_admin, blog, path, query, expected):
    start = f"{path}?{query}{'&' if query else ''}page=1&page_size=1"
    forth, total = walk(as_admin, start, "next"), len(expected)
    assert [page[0]["title"] for page, _ in forth] == [f"T{number}" for number in expected]
    for place, (_, found) in enumerate(forth):
        middle = {"prev"} if place else set()
        assert set(found) == {"first", "last"} | middle | ({"next"} if place < total - 1 else set())
        assert as_admin.get(found["first"]).json == forth[0][0]
        assert as_admin.get(found["last"]).json == forth[-1][0]
    back = walk(as_admin, forth[0][1]["last"], "prev")
    assert [page for page, _ in back] == [page for page, _ in reversed(forth)]


def walk(client, path, direction):
    seen = []
    while path:
        answer = client.get(path)
        assert answer.status_code == 200 and len(seen) < 10
        seen.append((answer.json, links(answer)))
        path = links(answer).get(direction)
    return seen


@pytest.mark.parametrize("path", [ARTICLES, OWN, CATEGORIES, TAGS, KEYS, "/api/v1/blog/redirects/"])
def test_an_empty_page_has_a_first_and_a_last(as_admin, path):
    answer = as_admin.get(f"{path}?page=2000&page_size=7")
    found = links(answer)
    assert (answer.json, set(found)) == ([], {"first", "prev", "last"})
    assert set(found.values()) == {f"{path}?page=1&page_size=7"}


@pytest.mark.parametrize(
    ("query", "shown", "size"),
    [("page=1", 20, 20), ("page=2", 5, 20), ("page_size=100", 25, 100), ("page_size=24", 24, 24)],
)
def test_a_page_has_twenty_unless_told_otherwise(as_admin, make_tag, query, shown, size):
    for _ in range(25):
        make_tag()
    answer = as_admin.get(f"{TAGS}?{query}")
    assert (len(answer.json), answer.headers["X-Total-Count"]) == (shown, "25")
    assert links(answer)["last"].endswith(f"page={-(-25 // size)}&page_size={size}")
