"""Every list and every single item runs a fixed number of statements, however much it shows."""

from __future__ import annotations

import pytest

from blogapi import registry

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
KEYS = "/api/v1/auth/api-key/"

# Path, endpoint, and how many statements it takes; one of them finds the key.
READS = [
    (ARTICLES, "articles.published", 3),
    (ARTICLES + "?page=1&page_size=100", "articles.published", 4),
    (ARTICLES + "?category=shelf&tag=t&published_after=2020-01-01", "articles.published", 3),
    (ARTICLES + "{article}/", "articles.single", 3),
    (ARTICLES + "author/me/", "articles.own", 3),
    (CATEGORIES, "categories.listed", 2),
    (CATEGORIES + "{category}/", "categories.single", 4),
    (TAGS, "tags.listed", 2),
    (TAGS + "{tag}/", "tags.single", 4),
    (KEYS, "api_keys.listed", 2),
    (KEYS + "{key}/", "api_keys.single", 2),
    ("/api/v1/auth/me/", "auth.me", 1),
    ("/health/", "health.check", 1),
    ("/openapi.json", "openapi.document", 0),
    ("/docs/", "docs.page", 0),
    ("/docs/docs.js", "docs.asset", 0),
]


@pytest.mark.parametrize(("path", "endpoint", "number"), READS, ids=lambda value: str(value))
@pytest.mark.parametrize("rows", [1, 50])
def test_a_read_takes_the_same_statements_for_any_length(
    as_admin, people, make_article, make_category, make_tag, statements, path, endpoint, number, rows
):
    tag, category = make_tag("t"), make_category(name="Shelf")
    for _ in range(rows):
        article = make_article(category=category, tags=(tag, *(make_tag() for _ in range(2))))
        make_category()
        people.key(people.admin)
    key = as_admin.get("/api/v1/auth/me/").json["key"]
    path = path.format(article=article.uuid, tag=tag.uuid, category=category.uuid, key=key)
    with statements() as seen:
        assert as_admin.get(path).status_code == 200
    assert len(seen) == number, seen


def test_every_read_is_in_the_table(app):
    reads = {endpoint for _, method, endpoint, _ in registry.rules(app) if method == "GET"}
    assert reads == {endpoint for _, endpoint, _ in READS}
