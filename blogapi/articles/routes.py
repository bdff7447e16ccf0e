"""Articles over HTTP."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import queries, service
from blogapi.articles.models import Article
from blogapi.articles.schemas import (
    ArticleBodySchema,
    ArticleFieldsSchema,
    ArticleItemSchema,
    ArticleListQuery,
    ArticleQuery,
    ArticleSchema,
    FoundFieldsSchema,
    OwnArticleListQuery,
)
from blogapi.core import changes
from blogapi.core.access import admin, allow, caller, reader, writer
from blogapi.core.blueprint import Blueprint, Placed, Representation, Trim
from blogapi.core.paging import BulkDeleteQuery, Page, Query
from blogapi.core.pieces import Rendered
from blogapi.core.schema import Fields
from blogapi.core.writing import each

bp = Blueprint("articles", __name__, url_prefix="/api/v1/blog/articles", description="Articles")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ArticleListQuery, location="query")
@bp.response(200, ArticleSchema(many=True), trimmed=FoundFieldsSchema, section="4.7", replayed=True)
def published(query: Query) -> Trim:
    """List the published articles, newest first; those that a search finds, best first."""
    return Trim(queries.published(query.fields, query.window, **query.filters), unlisted=_unlisted())


@bp.get("/<id:id>/")
@allow(reader, scope="published")
@bp.arguments(ArticleQuery, location="query")
@bp.response(200, ArticleSchema(), trimmed=ArticleFieldsSchema, section="4.8", replayed=True)
def single(query: Query, id: UUID) -> Rendered:
    """Show an article; one that is not public exists for admins only."""
    return queries.visible(id, caller(), query.fields)


@bp.get("/author/me/")
@allow(admin)
@bp.arguments(OwnArticleListQuery, location="query")
@bp.response(200, ArticleSchema(many=True), trimmed=FoundFieldsSchema, section="4.9", replayed=True)
def own(query: Query) -> Page[Rendered]:
    """List the caller's own articles in any status."""
    return queries.written_by(writer(), query.fields, query.window, **query.filters)


def _unlisted() -> str:
    # Admins write drafts through the list too, and it does not show them: any change counts for them.
    return str(changes.position()) if caller().sees_drafts else ""


SHOWN = Representation(
    queries.shown,
    ArticleSchema(),
    lambda: queries.published().rows,
    ArticleSchema(many=True),
    unlisted=_unlisted,
)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(ArticleBodySchema)
@bp.write(201, ArticleSchema(), SHOWN)
def create(fields: Fields) -> Article:
    """Write a new article; a draft unless it says otherwise."""
    return service.create(writer(), fields)


@bp.put("/<id:id>/")
@allow(admin, scope="write")
@bp.named
@bp.arguments(ArticleBodySchema)
@bp.write(200, ArticleSchema(), SHOWN, creates=True)
def replace(fields: Fields, id: UUID) -> Placed:
    """Write the article under this uuid, or replace it; what a GET shows can be sent back."""
    return Placed(*service.replace(writer(), id, fields))


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.by_uuid)
@bp.arguments(ArticleBodySchema(partial=True))
@bp.write(200, ArticleSchema(), SHOWN)
def change(fields: Fields, id: UUID) -> Article:
    """Change what is named of an article."""
    return service.change(writer(), id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.by_uuid)
@bp.write(204, None, SHOWN)
def delete(id: UUID) -> None:
    """Delete an article; its versions stay and can be restored."""
    service.delete(id)


@bp.put("/")
@allow(admin, scope="write")
@bp.arguments(ArticleItemSchema(many=True))
@bp.write(200, ArticleSchema(many=True), SHOWN)
def replace_all(items: list[Fields]) -> list[Article]:
    """Write or replace several articles, all or none."""
    return each(items, lambda fields: service.replace(writer(), fields.pop("uuid"), fields)[0])


@bp.patch("/")
@allow(admin, scope="write")
@bp.arguments(ArticleItemSchema(many=True, partial=("title", "category")))
@bp.write(200, ArticleSchema(many=True), SHOWN)
def change_all(items: list[Fields]) -> list[Article]:
    """Change what is named of several articles, all or none."""
    return each(items, lambda fields: service.change(writer(), fields.pop("uuid"), fields))


@bp.delete("/")
@allow(admin, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, SHOWN)
def delete_all(query: Fields) -> None:
    """Delete several articles, all or none."""
    each(query["uuid"], service.delete)
