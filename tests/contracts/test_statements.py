"""Every GET executes a fixed number of statements, however many rows there are."""

from __future__ import annotations

import pytest

from blogapi import registry

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
KEYS = "/api/v1/auth/api-key/"

# Path, endpoint, and number of statements. One statement looks up the key.
READS = [
    # The ETag of an admin's list depends on drafts, so an admin's read needs one more statement than a
    # reader's. The first read after a write also looks for the next scheduled article.
    (ARTICLES, "articles.published", 4),
    (ARTICLES + "?page=1&page_size=100", "articles.published", 4),
    (ARTICLES + "?category=shelf&tag=t&published_after=2020-01-01", "articles.published", 5),
    (ARTICLES + "?q=words&fields=title,snippet", "articles.published", 8),
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
    (ARTICLES + "{article}/preview/", "previews.listed", 3),
    ("{link}", "previews.single", 2),
    ("/api/v1/blog/redirects/", "redirects.listed", 2),
    ("/api/v1/blog/changes/?limit=1000", "changes.listed", 5),
    ("/health/", "health.check", 1),
    ("/metrics/", "metrics.show_metrics", 1),
    ("/openapi.json", "openapi.document", 0),
    ("/docs/", "docs.page", 0),
    ("/docs/docs.js", "docs.asset", 0),
]


@pytest.mark.parametrize("rows", [1, 50])
def test_the_number_of_statements_does_not_depend_on_the_number_of_rows(
    as_admin, people, make_article, make_category, make_tag, record_statements, rows
):
    tag, category = make_tag("t"), make_category(name="Shelf")
    for _ in range(rows):
        article = make_article(category=category, tags=(tag, *(make_tag() for _ in range(2))))
        make_category()
        people.key(people.admin)
    article_path = f"{ARTICLES}{article.uuid}/"
    for turn in range(rows):
        as_admin.patch(article_path, json={"slug": f"name-{turn}"})
        link = as_admin.post(f"{article_path}preview/").json["url"]
    key = as_admin.get("/api/v1/auth/me/").json["key"]
    counts = {}
    for template, _, _ in READS:
        path = template.format(link=link, article=article.uuid, tag=tag.uuid, category=category.uuid, key=key)
        with record_statements() as executed:
            assert as_admin.get(path).status_code == 200
        counts[template] = len(executed)
    assert counts == {template: number for template, _, number in READS}


def test_every_get_operation_has_a_statement_count(app):
    reads = {endpoint for _, method, endpoint, _ in registry.list_operations(app) if method == "GET"}
    assert reads == {endpoint for _, endpoint, _ in READS}
