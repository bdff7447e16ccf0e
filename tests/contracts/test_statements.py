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
    # An admin's list tells of drafts in its ETag: one statement more than a reader's.
    # As the first read after a write, this one also looks for what is scheduled next.
    (ARTICLES, "articles.published", 4),
    (ARTICLES + "?page=1&page_size=100", "articles.published", 4),
    (ARTICLES + "?category=shelf&tag=t&published_after=2020-01-01", "articles.published", 5),
    (ARTICLES + "?q=words&fields=title,snippet", "articles.published", 10),
    (ARTICLES + "{article}/", "articles.single", 2),
    (ARTICLES + "author/me/", "articles.own", 2),
    (CATEGORIES, "categories.listed", 2),
    (CATEGORIES + "{category}/", "categories.single", 4),
    (TAGS, "tags.listed", 2),
    (TAGS + "{tag}/", "tags.single", 4),
    (KEYS, "api_keys.listed", 2),
    (KEYS + "{key}/", "api_keys.single", 2),
    ("/api/v1/auth/me/", "auth.me", 1),
    (ARTICLES + "{article}/revisions/", "revisions.listed", 2),
    (ARTICLES + "{article}/revisions/1/", "revisions.single", 2),
    (ARTICLES + "{article}/revisions/1/compare/", "revisions.compare", 4),
    (ARTICLES + "{article}/preview/", "previews.listed", 4),
    ("{link}", "previews.single", 2),
    ("/api/v1/blog/redirects/", "redirects.listed", 2),
    ("/api/v1/blog/changes/?limit=1000", "changes.listed", 3),
    ("/health/", "health.check", 1),
    ("/metrics/", "metrics.page", 1),
    ("/openapi.json", "openapi.document", 0),
    ("/docs/", "docs.page", 0),
    ("/docs/docs.js", "docs.asset", 0),
]


@pytest.mark.parametrize("rows", [1, 50])
def test_a_read_takes_the_same_statements_for_any_length(
    as_admin, people, make_article, make_category, make_tag, statements, rows
):
    tag, category = make_tag("t"), make_category(name="Shelf")
    for _ in range(rows):
        article = make_article(category=category, tags=(tag, *(make_tag() for _ in range(2))))
        make_category()
        people.key(people.admin)
    where = f"{ARTICLES}{article.uuid}/"
    for turn in range(rows):
        as_admin.patch(where, json={"slug": f"name-{turn}"})
        link = as_admin.post(f"{where}preview/").json["url"]
    key = as_admin.get("/api/v1/auth/me/").json["key"]
    found = {}
    for template, _, _ in READS:
        path = template.format(link=link, article=article.uuid, tag=tag.uuid, category=category.uuid, key=key)
        with statements() as seen:
            assert as_admin.get(path).status_code == 200
        found[template] = len(seen)
    assert found == {template: number for template, _, number in READS}


def test_every_read_is_in_the_table(app):
    reads = {endpoint for _, method, endpoint, _ in registry.rules(app) if method == "GET"}
    assert reads == {endpoint for _, endpoint, _ in READS}
