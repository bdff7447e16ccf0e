"""The fields of articles in responses equal the output of the schemas after every write."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from blogapi.content.articles import queries, service
from blogapi.content.articles.lifecycle import ContentType
from blogapi.content.articles.models import Article
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.responses.computed_fields import COMPUTED_FIELDS
from blogapi.content.articles.schemas import ArticleBodySchema, ArticleFieldsSchema
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.content.taxonomies import term_json
from blogapi.storage.database import db
from blogapi.web import json as web_json
from blogapi.web.pagination import PageRequest
from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.content.articles.stored_data import check_stored_data, expected_json, rows
from tests.texts import texts

few_examples = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
# Computed fields are not made from the row of an article.
ALL_FIELDS = [name for name in ArticleFieldsSchema().fields if name not in COMPUTED_FIELDS]


@few_examples
@given(
    title=texts.map(lambda some: f"t{some}"),
    subtitle=texts,
    content=texts,
    content_type=st.sampled_from(list(ContentType)),
    names=st.lists(st.sampled_from(ALL_FIELDS), min_size=1),
)
@example(title="t", subtitle="", content="", content_type="html", names=["content"])
@example(title='"},{"', subtitle="\\n", content="a\nb", content_type="text", names=["html", "tags"])
def test_responses_equal_the_output_of_the_schemas(
    app, people, make_article, make_tag, title, subtitle, content, content_type, names
):
    with app.app_context():
        uuid = db.session.query(Article.uuid).limit(1).scalar()
        uuid = uuid or make_article(tags=(make_tag('a"},{"b'), make_tag("c\nd"))).uuid
        given_ = {"title": title, "subtitle": subtitle, "content": content, "content_type": content_type}
        service.change_article_in_transaction(
            people.admin.uuid, uuid, ArticleBodySchema(partial=True).load(given_ | {"seo": {"title": title}})
        )
        assert article_bodies.get_item_body(uuid).body == expected_json(uuid)
        assert article_bodies.get_item_body(uuid, names).body == expected_json(uuid, names)
        listed, category = (
            article_bodies.list_published_items().rows.body,
            queries.get_article(uuid).category_id,
        )
        assert listed == b"[" + expected_json(uuid) + b"]"
        assert (
            article_bodies.list_published_items(names, PageRequest(1, 5)).rows.body
            == b"[" + expected_json(uuid, names) + b"]"
        )
        assert term_json.get_term_json(
            categories_definition.CATEGORIES, category, article_bodies.list_category_articles
        ).body.endswith(b',"articles":' + listed + b"}")
        tag = queries.get_article(uuid).tags[0].uuid
        shown = term_json.get_term_json(tags_definition.TAGS, tag, article_bodies.list_tag_articles)
        assert shown.body.endswith(b',"articles":' + listed + b"}")


def test_the_json_of_every_pair_of_fields_equals_the_output_of_the_schema(app, make_article, make_tag):
    uuid = make_article(tags=(make_tag(),), content="# One\n\ntwo", content_type="markdown").uuid
    with app.app_context():
        complete = json.loads(expected_json(uuid, ALL_FIELDS))
        assert list(complete) == ALL_FIELDS
        for names in chain(combinations(ALL_FIELDS, 1), combinations(ALL_FIELDS, 2)):
            shown = article_bodies.get_item_body(uuid, names[::-1]).body
            assert shown == web_json.to_json_bytes({name: complete[name] for name in names})


@pytest.mark.parametrize("more", [[], ["title", "created"]])
def test_the_json_of_every_set_of_joined_fields_equals_the_output_of_the_schema(
    app, make_article, make_tag, more
):
    uuid = make_article(tags=(make_tag(), make_tag()), content='<h2 id="a">A,\n"B"</h2>').uuid
    joined = ["tags", "category", "status", "content", "word_count", "html", "toc"]
    with app.app_context():
        complete = json.loads(expected_json(uuid, ALL_FIELDS))
        for size in range(not more, len(joined) + 1):
            for names in combinations(joined, size):
                wished = [name for name in complete if name in (*names, *more)]
                shown = article_bodies.list_published_items(wished).rows.body
                assert shown == web_json.to_json_bytes([{name: complete[name] for name in wished}])


@pytest.mark.parametrize("query", ["?fields=title,title", "?fields=title, title"])
def test_a_field_that_is_requested_twice_is_shown_once(as_reader, make_article, query):
    article = make_article(title="T")
    assert as_reader.get(f"{ARTICLES}{article.uuid}/{query}").data == b'{"title":"T"}'


@pytest.mark.parametrize("kind", ["category", "tag"])
def test_renaming_a_term_changes_the_responses_but_not_the_stored_rows_of_articles_with_the_term(
    app, as_admin, make_article, make_category, make_tag, kind
):
    category, tag = make_category(name="Old"), make_tag("old")
    created = [make_article(category=category, tags=(make_tag(), tag)).uuid for _ in range(3)]
    path = {"category": f"{CATEGORIES}{category.uuid}/", "tag": f"{TAGS}{tag.uuid}/"}[kind]
    with app.app_context():
        before = rows("article", "search_entry", "search_index")
    assert as_admin.patch(path, json={"name": "New", "slug": "new"}).status_code == 200
    with app.app_context():
        assert rows(*before) == before
        for uuid in created:
            assert article_bodies.get_item_body(uuid).body == expected_json(uuid)
    for read in (
        ARTICLES,
        f"{CATEGORIES}{category.uuid}/?fields=articles",
        f"{TAGS}{tag.uuid}/?fields=articles",
    ):
        shown = as_admin.get(read).json
        for article in shown if isinstance(shown, list) else shown["articles"]:
            named = {"category": article["category"], "tag": article["tags"][1]}[kind]
            assert (named["name"], named["slug"]) == ("New", "new")


@pytest.mark.parametrize(
    "body",
    [
        {"seo": {"title": "For others", "canonical_url": "https://example.org/a"}},
        {"slug": "another"},
        {"cover_image": "/a.jpg"},
        {"published_at": "2024-02-03T04:05:06.789012Z"},
        {"published_at": "2024-02-03T04:05:06+02:00"},
        {"content": "*x*", "content_type": "markdown"},
        {"tags": []},
        {"status": "draft"},
        {"status": "draft", "published_at": None},
        {"status": "archived"},
        {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_a_change_is_visible_in_the_next_read(app, as_admin, make_article, make_tag, body):
    article = make_article(tags=(make_tag(),))
    path = f"{ARTICLES}{article.uuid}/"
    before = as_admin.get(path)
    response = as_admin.patch(path, json=body)
    after = as_admin.get(path)
    assert (response.json, response.headers["ETag"]) == (after.json, after.headers["ETag"])
    assert after.headers["ETag"] != before.headers["ETag"]
    with app.app_context():
        assert after.data == expected_json(article.uuid)
        check_stored_data()


def test_a_change_of_only_the_seo_record_is_visible_in_the_next_read(app, as_admin, make_article):
    uuid = make_article().uuid
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"seo": {"description": "Alone"}})
    with app.app_context():
        assert json.loads(article_bodies.get_item_body(uuid).body)["seo"]["description"] == "Alone"
        check_stored_data()


def test_tags_keep_the_given_order_and_disappear_when_they_are_deleted(app, as_admin, make_article, make_tag):
    a, b, c = (make_tag(name) for name in "abc")
    path = f"{ARTICLES}{make_article(tags=(a, b, c)).uuid}/"

    def shown():
        return "".join(tag["name"] for tag in as_admin.get(path).json["tags"])

    assert shown() == "abc"
    as_admin.patch(path, json={"tags": [{"uuid": str(tag.uuid)} for tag in (c, a, b)]})
    assert shown() == "cab"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.delete(f"{TAGS}{a.uuid}/")
    assert shown() == "cb" and as_admin.get(path).headers["ETag"] != etag
    as_admin.patch(path, json={"tags": [{"slug": "b"}, {"slug": "b"}, {"slug": "c"}]})
    assert shown() == "bc"
    as_admin.delete(f"{TAGS}?uuid={b.uuid}&uuid={c.uuid}")
    assert shown() == ""


def test_a_scheduled_article_shows_as_published_from_its_publication_time_on(
    app, as_admin, make_article, set_clock
):
    due = datetime(2027, 1, 1, tzinfo=UTC)
    uuid = make_article(published_at=due.isoformat()).uuid
    path, own = f"{ARTICLES}{uuid}/", f"{ARTICLES}author/me/"
    with app.app_context():
        before = rows("article")
    for time, status in ((due - timedelta(microseconds=1), "scheduled"), (due, "published")):
        set_clock(time)
        assert as_admin.get(path).json["status"] == status
        assert as_admin.get(own + "?fields=status").json == [{"status": status}]
        assert as_admin.get(own + "?q=words&fields=status").json == [{"status": status}]
        with app.app_context():
            assert article_bodies.get_item_body(uuid).body == expected_json(uuid)
    with app.app_context():
        assert rows(*before) == before


def test_the_etag_changes_at_the_publication_time(as_admin, make_article, set_clock):
    due = datetime(2027, 1, 1, tzinfo=UTC)
    path = f"{ARTICLES}{make_article(published_at=due.isoformat()).uuid}/"
    set_clock(due - timedelta(microseconds=1))
    etag = as_admin.get(path).headers["ETag"]
    set_clock(due)
    response = as_admin.get(path, headers={"If-None-Match": etag})
    assert response.json["status"] == "published" and response.headers["ETag"] != etag
