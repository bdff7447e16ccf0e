"""Terms as JSON: the fields of the schemas, in a fixed order, from the columns that they need."""

from __future__ import annotations

import json
from functools import partial

import marshmallow as ma
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from blogapi.content.articles.lists import counts
from blogapi.content.articles.responses import article_bodies
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import queries as term_queries
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.content.taxonomies import term_json
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
from blogapi.web.pagination import PageRequest
from tests.stored_pictures import store_picture
from tests.texts import texts

CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
AUTHORS = "/api/v1/blog/authors/"

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


@many_examples
@given(name=names, description=st.none() | texts, fields=field_lists(SingleCategoryFieldsSchema))
@example(name="n", description=None, fields=["articles"])
def test_the_json_of_a_category_equals_the_output_of_its_schemas(
    app, make_category, name, description, fields
):
    body = CategoryBodySchema(partial=True)
    with app.app_context():
        uuid = db.session.query(Category.uuid).limit(1).scalar() or make_category().uuid
        taxonomies.change_term(
            categories_definition.CATEGORIES, uuid, body.load({"name": name, "description": description})
        )
        db.session.remove()
        row = term_queries.get_term(categories_definition.CATEGORIES, uuid)
        row.articles_count = 0
        assert term_json.list_terms_json(
            categories_definition.CATEGORIES
        ).rows.body == web_json.to_json_bytes(CategorySchema(many=True).dump([row]))
        partial_schema = [one for one in fields if one != "articles"]
        listed = term_json.list_terms_json(
            categories_definition.CATEGORIES,
            partial_schema,
            PageRequest(1, 1),
            count_articles=counts.CATEGORY_COUNTER,
        ).rows.body
        assert json.loads(listed) == [dump_only(CategoryFieldsSchema, partial_schema, row)]
        row.articles = []
        shown = term_json.get_term_json(
            categories_definition.CATEGORIES, uuid, article_bodies.list_category_articles
        )
        assert shown.body == web_json.to_json_bytes(SingleCategorySchema().dump(row))
        assert shown.item_state == web_json.to_json(EmbeddedCategorySchema().dump(row))
        single = term_json.get_term_json(
            categories_definition.CATEGORIES,
            uuid,
            article_bodies.list_category_articles,
            fields,
            count_articles=counts.CATEGORY_COUNTER,
        ).body
        assert json.loads(single) == dump_only(SingleCategoryFieldsSchema, fields, row)


@many_examples
@given(name=names, fields=field_lists(SingleTagFieldsSchema))
@example(name="n", fields=["articles"])
def test_the_json_of_a_tag_equals_the_output_of_its_schemas(app, make_tag, name, fields):
    with app.app_context():
        uuid = db.session.query(Tag.uuid).limit(1).scalar() or make_tag().uuid
        taxonomies.change_term(tags_definition.TAGS, uuid, TagBodySchema(partial=True).load({"name": name}))
        db.session.remove()
        row = term_queries.get_term(tags_definition.TAGS, uuid)
        row.articles_count = 0
        assert term_json.list_terms_json(tags_definition.TAGS).rows.body == web_json.to_json_bytes(
            TagSchema(many=True).dump([row])
        )
        partial_schema = [one for one in fields if one != "articles"]
        listed = term_json.list_terms_json(
            tags_definition.TAGS, partial_schema, PageRequest(1, 1), count_articles=counts.TAG_COUNTER
        ).rows.body
        assert json.loads(listed) == [dump_only(TagFieldsSchema, partial_schema, row)]
        row.articles = []
        shown = term_json.get_term_json(tags_definition.TAGS, uuid, article_bodies.list_tag_articles)
        assert shown.body == web_json.to_json_bytes(SingleTagSchema().dump(row))
        assert shown.item_state == web_json.to_json(TagSchema().dump(row))
        single = term_json.get_term_json(
            tags_definition.TAGS,
            uuid,
            article_bodies.list_tag_articles,
            fields,
            count_articles=counts.TAG_COUNTER,
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


_DETAILS = "seo_title seo_description og_image canonical_url language"
_LAST = "head articles_by_status"
# The fields of each list in the order of a response.
ORDER = {
    CATEGORIES: "uuid name description cover_image slug user created last_updated "
    f"{_DETAILS} parent articles_count url {_LAST}",
    TAGS: "uuid created last_updated name slug user "
    f"cover_image {_DETAILS} description articles_count url {_LAST}",
    AUTHORS: "uuid name slug bio url avatar user created last_updated "
    f"cover_image {_DETAILS} articles_count page_url {_LAST}",
}


@pytest.mark.parametrize("path", ORDER)
def test_fields_have_the_same_order_whatever_the_order_of_their_names(as_admin, as_login, path):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    term, order = as_admin.post(path, json={"name": "Rye"}).json["uuid"], ORDER[path].split()
    for names in (order, order[::-1], order[::-2]):
        query = f"?fields={','.join(names)}"
        shown = as_admin.get(f"{path}{query}&slug=rye").json[0], as_admin.get(f"{path}{term}/{query}").json
        assert [list(one) for one in shown] == [[name for name in order if name in names]] * 2


@pytest.mark.parametrize("path", ORDER)
def test_a_list_reads_only_the_columns_that_it_shows(as_admin, record_statements, path):
    as_admin.post(path, json={"name": "Rye"})
    with record_statements() as statements:
        shown = as_admin.get(f"{path}?fields=name&slug=rye").json
    assert shown == [{"name": "Rye"}]
    (read,) = (one for one in statements if ".name" in one and "api_key" not in one)
    assert not any(f".{name}" in read for name in ("description", "bio", "cover_image", "created"))


@pytest.mark.parametrize("path", ORDER)
def test_pictures_have_the_current_address_of_the_service(app, as_admin, as_login, path):
    picture = store_picture(app, "green")
    field = "avatar" if path == AUTHORS else "cover_image"
    body = {"name": "Rye", field: f"media:{picture.uuid}"}
    term = as_admin.post(path, json=body).json["uuid"]
    for service in ("https://one.example", "https://two.example/below", ""):
        assert as_login.patch("/api/v1/blog/site/", json={"service_url": service}).status_code == 200
        expected = {field: f"{service}/media/{picture.hash}/green.png"}
        assert as_admin.get(f"{path}?fields={field}&slug=rye").json == [expected]
        assert as_admin.get(f"{path}{term}/?fields={field}").json == expected
