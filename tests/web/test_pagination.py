"""Following the pagination links reads each item of a filtered list exactly once."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS

OWN = f"{ARTICLES}author/me/"


def parse_links(response):
    return {
        name: path for path, name in re.findall(r'<([^>]*)>; rel="(\w+)"', response.headers.get("Link", ""))
    }


@pytest.fixture
def blog(make_article, make_category, make_tag):
    """Five articles: three have tag x (two of these are in category k), one has tag y, and one has no tag."""
    x, y, kitchen, walks = make_tag("x"), make_tag("y"), make_category(name="k"), make_category(name="w")
    articles = [((x,), kitchen), ((x,), kitchen), ((x,), walks), ((y,), kitchen), ((), walks)]
    for day, (tags, category) in enumerate(articles, 1):
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
def test_following_the_links_visits_the_whole_list(as_admin, blog, path, query, expected):
    start = f"{path}?{query}{'&' if query else ''}page=1&page_size=1"
    forward, total = follow_links(as_admin, start, "next"), len(expected)
    assert [page[0]["title"] for page, _ in forward] == [f"T{number}" for number in expected]
    for index, (_, found) in enumerate(forward):
        middle = {"prev"} if index else set()
        assert set(found) == {"first", "last"} | middle | ({"next"} if index < total - 1 else set())
        assert as_admin.get(found["first"]).json == forward[0][0]
        assert as_admin.get(found["last"]).json == forward[-1][0]
    backward = follow_links(as_admin, forward[0][1]["last"], "prev")
    assert [page for page, _ in backward] == [page for page, _ in reversed(forward)]


def follow_links(client, path, direction):
    pages = []
    while path:
        response = client.get(path)
        assert response.status_code == 200 and len(pages) < 10
        pages.append((response.json, parse_links(response)))
        path = parse_links(response).get(direction)
    return pages


@pytest.mark.parametrize("path", [ARTICLES, OWN, CATEGORIES, TAGS, KEYS, "/api/v1/blog/redirects/"])
def test_a_page_past_the_end_links_to_the_first_and_last_page(as_admin, path):
    response = as_admin.get(f"{path}?page=2000&page_size=7")
    found = parse_links(response)
    assert (response.json, set(found)) == ([], {"first", "prev", "last"})
    assert set(found.values()) == {f"{path}?page=1&page_size=7"}


@pytest.mark.parametrize(
    ("query", "length", "size"),
    [("page=1", 20, 20), ("page=2", 5, 20), ("page_size=100", 25, 100), ("page_size=24", 24, 24)],
)
def test_a_page_has_twenty_items_by_default(as_admin, make_tag, query, length, size):
    for _ in range(25):
        make_tag()
    response = as_admin.get(f"{TAGS}?{query}")
    assert (len(response.json), response.headers["X-Total-Count"]) == (length, "25")
    assert parse_links(response)["last"].endswith(f"page={-(-25 // size)}&page_size={size}")
