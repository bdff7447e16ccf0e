"""Stored JSON equals the output of the schema."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import marshmallow as ma
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from blogapi.config import CannotStart
from blogapi.content import dependencies
from blogapi.content.articles.lists import counts
from blogapi.content.articles.responses import json_queries
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import queries as term_queries
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.content.taxonomies import term_json
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import (
    Category,
    CategoryBodySchema,
    CategoryFieldsSchema,
    CategorySchema,
    EmbeddedCategorySchema,
    SingleCategorySchema,
)
from blogapi.content.taxonomies.tags import (
    SingleTagSchema,
    Tag,
    TagBodySchema,
    TagFieldsSchema,
    TagSchema,
)
from blogapi.storage.database import db
from blogapi.web import json as web_json
from blogapi.web import stored_json
from blogapi.web.json import JsonBody
from blogapi.web.pagination import PageRequest
from tests.texts import texts

CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"

_ARTICLES = {"articles": ma.fields.Nested("ArticleSchema", many=True)}
SingleCategoryFieldsSchema = CategoryFieldsSchema.from_dict(_ARTICLES)
SingleTagFieldsSchema = TagFieldsSchema.from_dict(_ARTICLES)
many_examples = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
names = texts.map(lambda some: f"n{some}")


def field_lists(schema):
    """Return a Hypothesis strategy that generates lists of names of stored fields of the schema."""
    names = [name for name in schema._declared_fields if name != "head"]
    return st.lists(st.sampled_from(names), min_size=1, max_size=6)


def dump_only(schema, fields, row):
    """Return the fields of the row; a response can have them in another order."""
    return json.loads(
        web_json.to_json_bytes({name: value for name, value in schema().dump(row).items() if name in fields})
    )


def test_the_application_does_not_start_if_a_model_that_stores_json_has_no_schema(make_app, monkeypatch):
    monkeypatch.setattr(dependencies, "TAXONOMIES", (AUTHORS, categories_definition.CATEGORIES))
    with pytest.raises(CannotStart, match="The rows of Tag store JSON"):
        make_app()


def test_stored_json_is_that_of_the_schema(app, make_tag):
    tag = make_tag("rye\nand {wheat}")
    with app.app_context():
        stored = json.loads(term_json.get_stored_json(tags_definition.TAGS, tag.uuid))
    assert (list(stored), stored["name"]) == (list(TagSchema().fields), "rye\nand {wheat}")


@pytest.mark.parametrize("members", [{}, {"a": 1}])
def test_a_member_is_added_to_an_object(members):
    short = web_json.add_member(members, "more", JsonBody(b"[1]", "2"), item_state="1")
    long = web_json.add_member(members, "more", JsonBody(iter([b"[", b"1]"]), state="3"), item_state="1")
    expected = members | {"more": [1]}
    assert json.loads(short.body) == json.loads(b"".join(long.body)) == expected
    assert list(json.loads(short.body)) == list(expected)


def test_the_etag_depends_on_the_body_and_on_every_part_of_the_state():
    bodies = [
        JsonBody(b"[]"),
        JsonBody(b"[]", "1"),
        JsonBody(b"[1]"),
        JsonBody(iter(()), state="[1] 1"),
        JsonBody(iter(()), state="[1] 2"),
        JsonBody(iter(()), "hidden", state="[1] 2"),
        web_json.add_member({}, "more", JsonBody(iter(()), state="1"), item_state=""),
        web_json.add_member({"name": "a"}, "more", JsonBody(iter(()), state="1"), item_state=""),
        web_json.add_member({"name": "a"}, "more", JsonBody(iter(()), state="1"), item_state="slug"),
    ]
    etags = [body.etag() for body in bodies] + [bodies[0].etag("unlisted")]
    assert len(set(etags)) == len(etags)


@many_examples
@given(name=names, description=st.none() | texts, fields=field_lists(SingleCategoryFieldsSchema))
@example(name="n", description=None, fields=["articles"])
def test_stored_json_of_a_category_equals_the_output_of_its_schemas(
    app, make_category, name, description, fields
):
    body = CategoryBodySchema(partial=True)
    with app.app_context():
        uuid = db.session.query(Category.uuid).limit(1).scalar() or make_category().uuid
        taxonomies.change(
            categories_definition.CATEGORIES, uuid, body.load({"name": name, "description": description})
        )
        db.session.remove()
        row = term_queries.get_term(categories_definition.CATEGORIES, uuid)
        row.articles_count = 0
        stored = term_json.get_stored_json(categories_definition.CATEGORIES, uuid)
        assert stored == web_json.to_json_bytes(EmbeddedCategorySchema().dump(row))
        assert term_json.list_json(categories_definition.CATEGORIES).rows.body == web_json.to_json_bytes(
            CategorySchema(many=True).dump([row])
        )
        partial_schema = [one for one in fields if one != "articles"]
        listed = term_json.list_json(
            categories_definition.CATEGORIES,
            partial_schema,
            PageRequest(1, 1),
            count_articles=counts.count_in_categories,
        ).rows.body
        assert json.loads(listed) == [dump_only(CategoryFieldsSchema, partial_schema, row)]
        row.articles = []
        assert term_json.get_json(
            categories_definition.CATEGORIES, uuid, json_queries.list_published_in_category
        ).body == web_json.to_json_bytes(SingleCategorySchema().dump(row))
        single = term_json.get_json(
            categories_definition.CATEGORIES,
            uuid,
            json_queries.list_published_in_category,
            fields,
            count_articles=counts.count_in_categories,
        ).body
        assert json.loads(single) == dump_only(SingleCategoryFieldsSchema, fields, row)


@many_examples
@given(name=names, fields=field_lists(SingleTagFieldsSchema))
@example(name="n", fields=["articles"])
def test_stored_json_of_a_tag_equals_the_output_of_its_schemas(app, make_tag, name, fields):
    with app.app_context():
        uuid = db.session.query(Tag.uuid).limit(1).scalar() or make_tag().uuid
        taxonomies.change(tags_definition.TAGS, uuid, TagBodySchema(partial=True).load({"name": name}))
        db.session.remove()
        row = term_queries.get_term(tags_definition.TAGS, uuid)
        row.articles_count = 0
        assert term_json.get_stored_json(tags_definition.TAGS, uuid) == web_json.to_json_bytes(
            TagSchema().dump(row)
        )
        assert term_json.list_json(tags_definition.TAGS).rows.body == web_json.to_json_bytes(
            TagSchema(many=True).dump([row])
        )
        partial_schema = [one for one in fields if one != "articles"]
        listed = term_json.list_json(
            tags_definition.TAGS, partial_schema, PageRequest(1, 1), count_articles=counts.count_with_tags
        ).rows.body
        assert json.loads(listed) == [dump_only(TagFieldsSchema, partial_schema, row)]
        row.articles = []
        assert term_json.get_json(
            tags_definition.TAGS, uuid, json_queries.list_published_with_tag
        ).body == web_json.to_json_bytes(SingleTagSchema().dump(row))
        single = term_json.get_json(
            tags_definition.TAGS,
            uuid,
            json_queries.list_published_with_tag,
            fields,
            count_articles=counts.count_with_tags,
        ).body
        assert json.loads(single) == dump_only(SingleTagFieldsSchema, fields, row)


@pytest.mark.parametrize("path", [CATEGORIES, TAGS])
def test_every_write_is_visible_in_the_next_read(as_admin, path):
    created = as_admin.post(path, json={"name": "One"}).json
    item = f"{path}{created['uuid']}/"
    show = partial(as_admin.get, f"{path}?fields=name,slug")
    assert show().json == [{"name": "One", "slug": "one"}]
    as_admin.patch(item, json={"slug": "first"})
    assert show().json == [{"name": "One", "slug": "first"}]
    as_admin.put(item, json={"name": "Two"})
    assert [one["name"] for one in show().json] == ["Two"]
    as_admin.patch(path, json=[{"uuid": created["uuid"], "name": "Three"}])
    assert as_admin.get(item).json["name"] == "Three"
    as_admin.delete(item)
    assert show().json == []


@pytest.mark.parametrize("path", [CATEGORIES, TAGS])
def test_a_page_past_the_end_is_empty_when_only_names_are_selected(as_reader, make_category, make_tag, path):
    make_category(), make_tag()
    response = as_reader.get(f"{path}?page=3&page_size=1&fields=name")
    assert (response.json, response.headers["X-Total-Count"]) == ([], "1")


@pytest.mark.parametrize("path", [CATEGORIES, TAGS])
def test_a_bulk_write_that_fails_changes_nothing(app, as_admin, make_category, make_tag, path):
    row = {CATEGORIES: make_category, TAGS: make_tag}[path](name="kept")
    before = as_admin.get(path).data
    response = as_admin.patch(
        path,
        json=[
            {"uuid": str(row.uuid), "name": "lost"},
            {"uuid": "11111111-1111-4111-8111-111111111111", "name": "lost"},
        ],
    )
    assert response.status_code == 404
    assert as_admin.get(path).data == before


def test_storing_json_does_not_change_last_updated(app, make_tag, set_clock):
    tag = make_tag("dated")
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    with app.app_context():
        db.session.execute(text("UPDATE tag SET json = ''"))
        row = term_queries.get_term(tags_definition.TAGS, tag.uuid)
        stored_json.store_json(db.session(), row)
        db.session.commit()
        stored = json.loads(term_json.get_stored_json(tags_definition.TAGS, tag.uuid))
        assert stored["last_updated"][:4] != "2030"
        assert str(db.session.scalar(text("SELECT last_updated FROM tag")))[:4] != "2030"
