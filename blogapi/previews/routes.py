"""Preview links over HTTP."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import queries as articles
from blogapi.articles.schemas import ArticleFieldsSchema, ArticleQuery, ArticleSchema
from blogapi.core.access import admin, allow, anyone, writer
from blogapi.core.blueprint import Blueprint, Trim
from blogapi.core.paging import Query
from blogapi.core.pieces import Rendered
from blogapi.core.schema import Fields, Seen
from blogapi.previews import queries, service
from blogapi.previews.schemas import (
    CreatedPreviewSchema,
    NewPreviewSchema,
    PreviewFieldsSchema,
    PreviewListQuery,
    PreviewSchema,
)

bp = Blueprint("previews", __name__, url_prefix="/api/v1/blog", description="Articles before they are public")
_OF_ARTICLE = "/articles/<id:id>/preview/"


@bp.post(_OF_ARTICLE)
@allow(admin, scope="write")
@bp.item(articles.by_uuid)
@bp.arguments(NewPreviewSchema, required=False)
@bp.response(201, CreatedPreviewSchema())
def create(fields: Fields, id: UUID) -> Seen:
    """Make a link that shows this one article, whatever its state, to whoever has it."""
    made = service.create(writer(), id, seconds=fields["expires_in"])
    return Seen(made, url=f"{bp.url_prefix}/preview/{made.token}/")


@bp.get(_OF_ARTICLE)
@allow(admin)
@bp.arguments(PreviewListQuery, location="query")
@bp.response(200, PreviewSchema(many=True), trimmed=PreviewFieldsSchema)
def listed(query: Query, id: UUID) -> Trim:
    """List the links that still lead to the article."""
    return Trim(queries.listed(id, query.window), query)


@bp.delete(f"{_OF_ARTICLE}<id:preview>/")
@allow(admin, scope="write")
@bp.response(204)
def revoke(id: UUID, preview: UUID) -> None:
    """End a link."""
    service.revoke(id, preview)


@bp.get("/preview/<token>/")
@allow(anyone)
@bp.arguments(ArticleQuery, location="query")
@bp.response(200, ArticleSchema(), trimmed=ArticleFieldsSchema, stored=False)
def single(query: Query, token: str) -> Rendered:
    """Show the article that the link leads to."""
    return queries.article(token, query.fields)
