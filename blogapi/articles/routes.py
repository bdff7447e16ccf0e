"""Articles over HTTP."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import queries
from blogapi.articles.schemas import (
    ArticleFieldsSchema,
    ArticleListQuery,
    ArticleQuery,
    ArticleSchema,
    OwnArticleListQuery,
)
from blogapi.core.access import admin, allow, caller, reader
from blogapi.core.blueprint import Blueprint, Trim
from blogapi.core.paging import Query

bp = Blueprint("articles", __name__, url_prefix="/api/v1/blog/articles", description="Articles")


@bp.get("/")
@allow(reader)
@bp.arguments(ArticleListQuery, location="query")
@bp.response(200, ArticleSchema(many=True), trimmed=ArticleFieldsSchema, section="4.7")
def published(query: Query) -> Trim:
    """List the published articles, newest first."""
    return Trim(queries.published(query.window, **query.filters), query)


@bp.get("/<id:id>/")
@allow(reader)
@bp.arguments(ArticleQuery, location="query")
@bp.response(200, ArticleSchema(), trimmed=ArticleFieldsSchema, section="4.8")
def single(query: Query, id: UUID) -> Trim:
    """Show an article; one that is not public exists for admins only."""
    return Trim(queries.visible(id, caller()), query)


@bp.get("/author/me/")
@allow(admin)
@bp.arguments(OwnArticleListQuery, location="query")
@bp.response(200, ArticleSchema(many=True), trimmed=ArticleFieldsSchema, section="4.9")
def own(query: Query) -> Trim:
    """List the caller's own articles in any status."""
    user = caller().user
    assert user is not None
    return Trim(queries.written_by(user, query.window, **query.filters), query)
