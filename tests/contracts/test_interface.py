"""Tests every path, field, status and header of the interface document."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest

from blogapi.web import fields
from tests.contracts.client import DOCUMENTED_ALLOW, outcome

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
KEYS = "/api/v1/auth/api-key/"

NAIVE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}")
AWARE = re.compile(rf"{NAIVE.pattern}[+-]\d\d:\d\d")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

KEY_FIELDS = ["public_state", "uuid", "created"]
CATEGORY_FIELDS = ["uuid", "name", "description", "cover_image", "slug"]
EMBEDDED_CATEGORY_FIELDS = [*CATEGORY_FIELDS, "user", "created", "last_updated"]
TAG_FIELDS = ["uuid", "created", "last_updated", "name", "slug", "user"]
ARTICLE_FIELDS = [
    *("uuid", "author", "title", "subtitle", "tags", "category", "slug", "cover_image", "content", "status"),
    *("content_type", "seo"),
]
SEO_FIELDS = [
    "uuid",
    "created",
    "last_updated",
    "og_image",
    "title",
    "description",
    "canonical_url",
    "article",
]


def is_uuid(value: Any) -> bool:
    return isinstance(value, str) and str(UUID(value)) == value


def check_tag(tag: dict[str, Any]) -> None:
    assert list(tag) == TAG_FIELDS
    assert is_uuid(tag["uuid"]) and is_uuid(tag["user"])
    assert NAIVE.fullmatch(tag["created"]) and NAIVE.fullmatch(tag["last_updated"])
    assert isinstance(tag["name"], str) and SLUG.fullmatch(tag["slug"])


def check_category(category: dict[str, Any], fields: list[str]) -> None:
    assert list(category) == fields
    assert is_uuid(category["uuid"]) and isinstance(category["name"], str)
    assert category["description"] is None or isinstance(category["description"], str)
    assert isinstance(category["cover_image"], str) and SLUG.fullmatch(category["slug"])


def check_article(article: dict[str, Any]) -> None:
    assert list(article) == ARTICLE_FIELDS
    assert is_uuid(article["uuid"]) and is_uuid(article["author"])
    for name in ("title", "subtitle", "cover_image", "content", "status", "content_type"):
        assert isinstance(article[name], str)
    for tag in article["tags"]:
        check_tag(tag)
    check_category(article["category"], EMBEDDED_CATEGORY_FIELDS)
    assert is_uuid(article["category"]["user"])
    assert NAIVE.fullmatch(article["category"]["created"])
    assert NAIVE.fullmatch(article["category"]["last_updated"])
    seo = article["seo"]
    assert list(seo) == SEO_FIELDS
    assert is_uuid(seo["uuid"]) and seo["article"] == article["uuid"]
    assert NAIVE.fullmatch(seo["created"]) and NAIVE.fullmatch(seo["last_updated"])
    for name in ("og_image", "title", "description", "canonical_url"):
        assert isinstance(seo[name], str)


@pytest.fixture
def blog(make_article, make_category, make_tag):
    """A blog with one article of each kind, in a category and with tags."""
    category = make_category(name="Slow Food", description=None, cover_image="https://example.org/a.jpg")
    tags = (make_tag("sour dough"), make_tag("rye"))
    article = make_article(
        category=category,
        tags=tags,
        title="Bread, and how it waits",
        subtitle="Two days",
        cover_image="https://example.org/bread.jpg",
    )
    make_article(category=category, tags=tags, title="A draft", status="draft")
    return article


@pytest.mark.parametrize("caller", ["as_stranger", "as_reader", "as_member", "as_admin"])
def test_a_new_api_key_has_the_documented_fields(request, caller):
    response = request.getfixturevalue(caller).post(KEYS)
    assert response.status_code == 201
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Allow"] == DOCUMENTED_ALLOW
    assert list(response.json) == KEY_FIELDS
    assert re.fullmatch(r"blogapi_[0-9A-Za-z]{38}", response.json["public_state"])
    assert is_uuid(response.json["uuid"])
    assert AWARE.fullmatch(response.json["created"]) and response.json["created"].endswith("+00:00")


def test_a_deleted_api_key_is_refused(as_stranger):
    created = as_stranger.post(KEYS).json
    header = {"X-API-KEY": created["public_state"]}
    response = as_stranger.delete(f"{KEYS}{created['uuid']}/", headers=header)
    assert (response.status_code, response.data, response.headers["Allow"]) == (204, b"", DOCUMENTED_ALLOW)
    assert as_stranger.get(TAGS, headers=header).status_code == 401


def test_deleting_an_api_key_requires_the_api_key_header(as_stranger):
    created = as_stranger.post(KEYS).json
    assert outcome(as_stranger.delete(f"{KEYS}{created['uuid']}/")) == (401, "key_missing")
    assert as_stranger.get(TAGS, headers={"X-API-KEY": created["public_state"]}).status_code == 200


READS = [
    pytest.param(CATEGORIES, id="4.3 categories"),
    pytest.param(CATEGORIES + "{category}/", id="4.4 category"),
    pytest.param(TAGS, id="4.5 tags"),
    pytest.param(TAGS + "{tag}/", id="4.6 tag"),
    pytest.param(ARTICLES, id="4.7 articles"),
    pytest.param(ARTICLES + "{article}/", id="4.8 article"),
]


def path_of(template, article):
    return template.format(
        article=article.uuid, category=article.category_id, tag=article.tag_links[0].tag_id
    )


@pytest.mark.parametrize("template", READS)
@pytest.mark.parametrize(
    ("caller", "status"), [("as_stranger", 401), ("as_reader", 200), ("as_member", 200), ("as_admin", 200)]
)
def test_each_kind_of_caller_gets_the_documented_status(request, blog, template, caller, status):
    response = request.getfixturevalue(caller).get(path_of(template, blog))
    assert response.status_code == status
    if status == 200:
        assert response.headers["Content-Type"] == "application/json"
        assert response.headers["Allow"] == DOCUMENTED_ALLOW


@pytest.mark.parametrize(
    ("caller", "status"), [("as_stranger", 401), ("as_reader", 403), ("as_member", 403), ("as_admin", 200)]
)
def test_only_admins_can_read_their_own_articles(request, blog, caller, status):
    response = request.getfixturevalue(caller).get(ARTICLES + "author/me/")
    assert outcome(response) == (status, {401: "key_missing", 403: "forbidden", 200: None}[status])


@pytest.mark.parametrize("template", [*READS, pytest.param(ARTICLES + "author/me/", id="4.9 own")])
def test_the_documented_paths_work_without_the_trailing_slash(as_admin, blog, template):
    path = path_of(template, blog)
    with_slash, without = as_admin.get(path), as_admin.get(path.rstrip("/"))
    assert (with_slash.status_code, without.status_code) == (200, 200)
    assert with_slash.data == without.data


def test_listed_categories_have_the_documented_fields(as_reader, blog):
    (category,) = as_reader.get(CATEGORIES).json
    check_category(category, CATEGORY_FIELDS)
    assert category["name"] == "Slow Food" and category["slug"] == "slow-food"
    assert category["description"] is None
    assert category["cover_image"] == "https://example.org/a.jpg"


def test_a_category_has_the_documented_fields_and_its_published_articles(as_reader, blog):
    category = as_reader.get(f"{CATEGORIES}{blog.category_id}/").json
    check_category(category, [*CATEGORY_FIELDS, "articles"])
    assert [article["uuid"] for article in category["articles"]] == [str(blog.uuid)]
    check_article(category["articles"][0])


def test_listed_tags_have_the_documented_fields(as_reader, blog):
    tags = as_reader.get(TAGS).json
    assert [tag["name"] for tag in tags] == ["rye", "sour dough"]
    for tag in tags:
        check_tag(tag)
    assert tags[1]["slug"] == "sour-dough"


def test_a_tag_has_the_documented_fields_and_its_published_articles(as_reader, blog):
    tag = as_reader.get(f"{TAGS}{blog.tag_links[0].tag_id}/").json
    assert list(tag) == ["uuid", "name", "articles"]
    assert tag["name"] == "sour dough"
    assert [article["uuid"] for article in tag["articles"]] == [str(blog.uuid)]
    check_article(tag["articles"][0])


def test_listed_articles_have_the_documented_fields(as_reader, blog):
    (article,) = as_reader.get(ARTICLES).json
    check_article(article)
    assert article["status"] == "published"
    assert article["slug"] == "bread-and-how-it-waits"
    assert [tag["name"] for tag in article["tags"]] == ["sour dough", "rye"]


def test_an_article_has_the_same_fields_as_in_the_list(as_reader, blog):
    article = as_reader.get(f"{ARTICLES}{blog.uuid}/").json
    check_article(article)
    assert article == as_reader.get(ARTICLES).json[0]


def test_a_new_seo_record_has_the_documented_defaults(as_reader, blog):
    seo = as_reader.get(f"{ARTICLES}{blog.uuid}/").json["seo"]
    assert (seo["title"], seo["description"]) == ("Bread, and how it waits", "Two days")
    assert (seo["og_image"], seo["canonical_url"]) == ("https://example.org/bread.jpg", "")


def test_the_list_of_the_callers_own_articles_contains_articles_of_every_status(
    as_admin, people, blog, make_article
):
    make_article(title="Old", status="archived", published_at="2020-01-01T00:00:00Z")
    make_article(title="Ahead", published_at="2999-01-01T00:00:00Z")
    make_article(title="Somebody else's", author=people.other_admin)
    own = as_admin.get(ARTICLES + "author/me/").json
    for article in own:
        check_article(article)
    assert {article["title"]: article["status"] for article in own} == {
        "A draft": "draft",
        "Ahead": "scheduled",
        "Bread, and how it waits": "published",
        "Old": "archived",
    }


def test_an_admin_can_read_own_articles_with_a_key_of_scope_read(as_reading_admin, blog):
    titles = {article["title"] for article in as_reading_admin.get(ARTICLES + "author/me/").json}
    assert titles == {"A draft", "Bread, and how it waits"}


@pytest.mark.parametrize("template", READS)
def test_responses_have_the_documented_security_headers(as_reader, blog, template):
    headers = as_reader.get(path_of(template, blog)).headers
    assert headers["Vary"] == "Accept, origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("path", [CATEGORIES, TAGS, ARTICLES])
def test_the_lists_are_empty_arrays_if_the_blog_is_empty(as_reader, path):
    assert as_reader.get(path).json == []


# The interface specification shows these times without an offset. All other times have one.
NAIVE_TIMES = {
    (schema, name)
    for schema in ("Category", "EmbeddedCategory", "SingleCategory", "Tag", "SingleTag", "Seo")
    for name in ("created", "last_updated")
}


def test_every_time_of_a_response_says_that_it_is_in_utc_and_only_documented_ones_omit_the_offset(contract):
    patterns = {fields.AWARE_TIME_PATTERN: "UTC.", fields.NAIVE_TIME_PATTERN: "UTC, without an offset."}
    times = {
        (schema, name): described
        for schema, definition in contract.document["components"]["schemas"].items()
        for name, property_schema in definition.get("properties", {}).items()
        if (described := contract.resolve(property_schema)).get("pattern") in patterns
    }
    assert len(times) > len(NAIVE_TIMES)
    for described in times.values():
        assert described["description"].endswith(patterns[described["pattern"]])
    naive = {key for key, described in times.items() if described["pattern"] == fields.NAIVE_TIME_PATTERN}
    assert naive == NAIVE_TIMES
