"""The endpoints of articles."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from uuid import UUID

from blogapi.articles import queries, service, shown_items
from blogapi.articles.content import ArticleInput
from blogapi.articles.filters import ArticleFilters
from blogapi.articles.models import Article
from blogapi.articles.schemas import (
    ArticleBodySchema,
    ArticleCountsQuery,
    ArticleCountsSchema,
    ArticleFieldsSchema,
    ArticleItemSchema,
    ArticleListQuery,
    ArticleQuery,
    ArticleSchema,
    FoundFieldsSchema,
    SingleArticleFieldsSchema,
)
from blogapi.publication import events
from blogapi.publication.shared_caching import shows
from blogapi.web.access import admin, allow, current_caller, current_user_id, reader
from blogapi.web.blueprint import Blueprint, PartialResult, Representation, UpsertResult
from blogapi.web.errors import Forbidden
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import BulkDeleteQuery, Page, Query
from blogapi.web.slug_lookup import accept_slugs

bp = Blueprint("articles", __name__, url_prefix="/api/v1/blog/articles", description="Articles")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ArticleListQuery, location="query")
@bp.response(200, ArticleSchema(many=True), partial_schema=FoundFieldsSchema, section="4.7", cacheable=True)
@shows("article", "category", "tag", "author")
def published(query: Query) -> PartialResult:
    """List the published articles, newest first, or by relevance if `q` is sent.

    With `status` or `working_copy`, an admin lists the articles of all authors, including those that are not
    public. In such a list, saving a working copy counts as a change for `ordering`.
    """
    filters = ArticleFilters(**query.filters)
    if filters.need_draft_access and not current_caller().sees_drafts:
        raise Forbidden(
            "Only admins may use `status` and `working_copy`; leave them out to list the published articles."
        )
    body = (
        queries.list_in_any_status(None, query.fields, query.page, filters)
        if filters.need_draft_access
        else queries.list_published(query.fields, query.page, filters)
    )
    return PartialResult(body, hidden_state=_hidden_state())


@bp.get("/<reference:id>/")
@allow(reader, scope="published")
@bp.arguments(ArticleQuery, location="query")
@bp.response(200, ArticleSchema(), partial_schema=SingleArticleFieldsSchema, section="4.8", cacheable=True)
@accept_slugs(queries.find_slug_owner)
@shows(find=lambda query, id: shown_items.find_shown(id, query.fields))
def single(query: Query, id: UUID) -> JsonBody:
    """Return an article; only admins can see articles that are not public."""
    return queries.get_visible_json(id, current_caller(), query.fields)


@bp.get("/author/me/")
@allow(admin)
@bp.arguments(ArticleListQuery, location="query")
@bp.response(200, ArticleSchema(many=True), partial_schema=FoundFieldsSchema, section="4.9", cacheable=True)
def own(query: Query) -> Page[JsonBody]:
    """List the caller's own articles in any status."""
    return queries.list_in_any_status(
        current_user_id(), query.fields, query.page, ArticleFilters(**query.filters)
    )


def _hidden_state() -> str:
    # A bulk write of an admin can also change drafts, which the list does not show. For an admin, every
    # change therefore changes the ETag of the list, so that If-Match detects it.
    return str(events.last_position()) if current_caller().sees_drafts else ""


REPRESENTATION = Representation(
    queries.get_json,
    ArticleSchema(),
    lambda: queries.list_published().rows,
    ArticleSchema(many=True),
    hidden_state=_hidden_state,
    get_fields=queries.get_json,
    fields_schema=SingleArticleFieldsSchema,
    get_several=queries.get_several_json,
)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(ArticleBodySchema)
@bp.write(
    201,
    ArticleSchema(),
    REPRESENTATION,
    partial_schema=SingleArticleFieldsSchema,
    prepare=lambda fields: service.prepare([fields]),
)
def create(fields: ArticleInput) -> Article:
    """Create an article; without `status` it is a draft."""
    return service.create(current_user_id(), fields)


@bp.put("/<id:id>/")
@allow(admin, scope="write")
@bp.require_uuid
@bp.arguments(ArticleBodySchema)
@bp.write(
    200,
    ArticleSchema(),
    REPRESENTATION,
    partial_schema=SingleArticleFieldsSchema,
    creates=True,
    prepare=lambda fields, id: service.prepare([dataclasses.replace(fields, uuid=id)]),
)
def replace(fields: ArticleInput, id: UUID) -> UpsertResult:
    """Create or replace the article with this uuid; the response to a GET is a valid body."""
    return UpsertResult(*service.replace(current_user_id(), id, fields))


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.check_exists(queries.check_exists)
@bp.arguments(ArticleBodySchema(partial=True))
@bp.write(
    200,
    ArticleSchema(),
    REPRESENTATION,
    partial_schema=SingleArticleFieldsSchema,
    prepare=lambda fields, id: service.prepare([dataclasses.replace(fields, uuid=id)], partial=True),
)
def change(fields: ArticleInput, id: UUID) -> Article:
    """Change the given fields of an article."""
    return service.change(current_user_id(), id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.check_exists(queries.check_exists)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete an article; its former versions are kept and can be restored."""
    service.delete(id)


@bp.put("/")
@allow(admin, scope="write")
@bp.arguments(ArticleItemSchema(many=True))
@bp.write(
    200,
    ArticleSchema(many=True),
    REPRESENTATION,
    partial_schema=ArticleFieldsSchema,
    prepare=service.prepare,
)
def replace_all(items: list[ArticleInput]) -> list[UUID]:
    """Create or replace several articles, all or none."""
    return service.replace_all(current_user_id(), items)


@bp.patch("/")
@allow(admin, scope="write")
@bp.arguments(ArticleItemSchema(many=True, partial=("title",)))
@bp.write(
    200,
    ArticleSchema(many=True),
    REPRESENTATION,
    partial_schema=ArticleFieldsSchema,
    prepare=partial(service.prepare, partial=True),
)
def change_all(items: list[ArticleInput]) -> list[UUID]:
    """Change the given fields of several articles, all or none."""
    return service.change_all(current_user_id(), items)


@bp.delete("/")
@allow(admin, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, REPRESENTATION)
def delete_all(query: Fields) -> None:
    """Delete several articles, all or none; their former versions are kept."""
    service.delete_all(query["uuid"])


counts_bp = Blueprint(
    "article_counts",
    __name__,
    url_prefix="/api/v1/blog/article-counts",
    description="The numbers of articles",
)


@counts_bp.get("/")
@allow(admin)
@counts_bp.arguments(ArticleCountsQuery, location="query")
@counts_bp.response(200, ArticleCountsSchema())
def get_all(query: Query) -> Mapping[str, int]:
    """Return the numbers of matching articles in each status."""
    return queries.count_by_status(ArticleFilters(**query.filters))
