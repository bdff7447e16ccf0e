"""A PATCH may send read-only fields only with their present values; a PUT ignores them."""

from __future__ import annotations

from itertools import repeat
from uuid import uuid4

import pytest

from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.schemas import ArticleBodySchema, SingleArticleFieldsSchema
from blogapi.content.taxonomies.schemas import TermBodySchema
from blogapi.web import read_only
from blogapi.web.fields import InputSchema
from blogapi.web.json import JsonBody
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS

ARTICLE_FIELDS = sorted(ArticleBodySchema.read_only)
TERM_FIELDS = sorted(TermBodySchema.read_only)
KEY_FIELDS = ["uuid", "prefix", "scopes", "user", "created", "last_used"]
OTHER_VALUES = [str(uuid4()), "2001-01-01T00:00:00.000000+00:00", None, 0, [], {"uuid": 1}, "\x00", True]


@pytest.fixture
def paths(as_admin, make_article, make_category, make_tag):
    """The path of one item of each kind, with all its fields selected."""
    category, tag = make_category(), make_tag()
    content = "# A\n\nWords."
    article = make_article(category=category, tags=(tag,), content=content, content_type="markdown")
    return {
        "article": f"{ARTICLES}{article.uuid}/?fields={','.join(SingleArticleFieldsSchema._declared_fields)}",
        "category": f"{CATEGORIES}{category.uuid}/?fields=*,created,last_updated,user",
        "tag": f"{TAGS}{tag.uuid}/?fields=*,slug,created,last_updated,user",
        "key": f"{KEYS}{as_admin.post(KEYS).json['uuid']}/",
    }


@pytest.mark.parametrize("kind", ["article", "category", "tag", "key"])
def test_patch_accepts_all_fields_of_a_get_response_and_changes_nothing(as_admin, paths, kind):
    before = as_admin.get(paths[kind])
    assert as_admin.patch(paths[kind].split("?")[0], json=before.json).status_code == 200
    assert as_admin.get(paths[kind]).data == before.data


@pytest.mark.parametrize(
    ("kind", "names"),
    [("article", ARTICLE_FIELDS), ("category", TERM_FIELDS), ("tag", TERM_FIELDS), ("key", KEY_FIELDS)],
)
def test_patch_refuses_another_value_of_a_read_only_field(as_admin, paths, kind, names):
    path = paths[kind].split("?")[0]
    before = as_admin.get(path).data
    for name in names:
        # `url` is absent if the site has none, and `snippet` is only in the results of a search.
        present = as_admin.get(f"{path}?fields={name}").json.get(name)
        for value in OTHER_VALUES:
            if value != present:
                response = as_admin.patch(path, json={name: value})
                refused = response.status_code, list(response.json.get("errors", ()))
                assert refused == (422, [name]), value
    assert as_admin.get(path).data == before


def test_patch_names_all_read_only_fields_with_other_values(as_admin, paths):
    path = paths["article"].split("?")[0]
    shown = as_admin.get(path).json
    body = {"title": "New", "author": str(uuid4()), "uuid": shown["uuid"], "toc": []}
    response = as_admin.patch(
        path, json=body | {"seo": shown["seo"] | {"created": "2001-01-01", "title": "S"}}
    )
    assert (response.status_code, set(response.json["errors"])) == (422, {"author", "toc", "seo.created"})
    assert as_admin.get(path).json == shown


def test_an_unknown_field_is_refused_as_before(as_admin, paths):
    response = as_admin.patch(paths["article"].split("?")[0], json={"nonsense": 1, "author": str(uuid4())})
    assert response.json["errors"] == {"nonsense": ["Unknown field."]}


def test_read_only_fields_of_references_are_ignored(as_admin, paths):
    path = paths["article"].split("?")[0]
    shown = as_admin.get(path).json
    body = {
        "category": shown["category"] | {"name": "Other", "user": str(uuid4())},
        "tags": [shown["tags"][0] | {"created": "2001-01-01", "name": "other"}],
    }
    assert as_admin.patch(path, json=body).json == shown


def test_another_spelling_of_the_present_value_is_accepted(as_admin, paths):
    path = paths["article"].split("?")[0]
    shown = as_admin.get(f"{path}?fields=author,created").json
    body = {
        "author": shown["author"].upper(),
        "created": shown["created"][:26] + "Z",
        "seo": {"uuid": as_admin.get(path).json["seo"]["uuid"].upper()},
    }
    assert as_admin.patch(path, json=body).status_code == 200


def test_a_bulk_patch_names_the_item_and_the_field(as_admin, make_article, make_tag):
    articles = [as_admin.get(f"{ARTICLES}{make_article().uuid}/").json for _ in range(2)]
    assert as_admin.patch(ARTICLES, json=articles).status_code == 200
    other = str(uuid4())
    items = [articles[0] | {"title": "New"}, articles[1] | {"author": other}]
    items[1]["seo"] = items[1]["seo"] | {"article": other}
    response = as_admin.patch(ARTICLES, json=items)
    assert (response.status_code, set(response.json["errors"])) == (422, {"1.author", "1.seo.article"})
    assert as_admin.get(f"{ARTICLES}{articles[0]['uuid']}/").json == articles[0]
    tags = [{"uuid": str(make_tag().uuid), "user": other}, {"uuid": str(make_tag().uuid), "name": "New"}]
    assert list(as_admin.patch(TAGS, json=tags).json["errors"]) == ["0.user"]


@pytest.mark.parametrize("kind", ["article", "category", "tag", "key"])
def test_put_ignores_read_only_fields(as_admin, paths, kind):
    before = as_admin.get(paths[kind])
    read_only_fields = {"article": ARTICLE_FIELDS, "key": KEY_FIELDS}.get(kind, TERM_FIELDS)
    body = before.json | dict.fromkeys(read_only_fields, "other")
    assert as_admin.put(paths[kind].split("?")[0], json=body).status_code == 200
    assert as_admin.get(paths[kind]).data == before.data


def test_post_ignores_read_only_fields(as_admin):
    assert as_admin.post(TAGS, json={"name": "a", "user": str(uuid4())}).status_code == 201


def test_a_failed_precondition_is_reported_before_read_only_fields(as_admin, paths):
    path = paths["article"].split("?")[0]
    response = as_admin.patch(path, json={"author": str(uuid4())}, headers={"If-Match": '"old"'})
    assert response.status_code == 412


def test_an_unknown_item_is_reported_before_read_only_fields(as_admin):
    for path in (ARTICLES, CATEGORIES, TAGS):
        assert as_admin.patch(f"{path}{uuid4()}/", json={"uuid": str(uuid4())}).status_code == 404
        items = [{"uuid": str(uuid4()), "created": "2001-01-01"}]
        assert as_admin.patch(path, json=items).status_code == 404


def test_a_long_list_of_articles_is_compared(as_admin, make_article, make_category, monkeypatch):
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 2)
    category = make_category()
    for _ in range(5):
        make_article(category=category)
    path = f"{CATEGORIES}{category.uuid}/"
    shown = as_admin.get(path).json
    assert len(shown["articles"]) == 5
    assert as_admin.patch(path, json=shown | {"name": "New"}).status_code == 200
    articles = as_admin.get(path).json["articles"]
    for other in (articles[:4], articles[::-1], [], None):
        response = as_admin.patch(path, json={"uuid": str(category.uuid), "articles": other})
        assert (response.status_code, list(response.json["errors"])) == (422, ["articles"])
    reordered = [dict(reversed(article.items())) for article in articles]
    assert as_admin.patch(path, json={"articles": reordered}).status_code == 200


def test_a_value_that_is_longer_than_the_body_is_not_read_to_its_end():
    class Body(InputSchema):
        read_only = frozenset({"articles"})

    def read(id, names):
        return JsonBody(b"x" * 100_000 for _ in repeat(None))

    sent = read_only.collect_read_only_fields(Body(), {"articles": []})
    assert list(read_only.find_errors(sent, uuid4(), read, max_bytes=10)) == ["articles"]


def test_a_patch_without_read_only_fields_reads_nothing_more(as_admin, paths, record_statements):
    path = paths["tag"].split("?")[0]
    counts = []
    for body in ({"name": "A"}, {"name": "B", "user": as_admin.get(f"{path}?fields=user").json["user"]}):
        with record_statements() as statements:
            assert as_admin.patch(path, json=body).status_code == 200
        counts.append(len(statements))
    assert counts[1] == counts[0] + 1
