"""The endpoints of preview links."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import permissions
from blogapi.articles.schemas import ArticleQuery, ArticleSchema, SingleArticleFieldsSchema
from blogapi.previews import queries, service
from blogapi.previews.schemas import (
    CreatedPreviewSchema,
    NewPreviewSchema,
    PreviewFieldsSchema,
    PreviewListQuery,
    PreviewSchema,
)
from blogapi.site import addresses
from blogapi.site.queries import get_site
from blogapi.web.access import allow, anyone, author, current_user_id
from blogapi.web.blueprint import Blueprint, PartialResult
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Query

bp = Blueprint("previews", __name__, url_prefix="/api/v1/blog", description="Preview links")
_LINKS_PATH = "/articles/<id:id>/preview/"


@bp.post(_LINKS_PATH)
@allow(author, scope="write")
@bp.check_exists(permissions.check_exists)
@bp.arguments(NewPreviewSchema, required=False)
@bp.response(201, CreatedPreviewSchema())
def create(fields: Fields, id: UUID) -> WithAttributes:
    """Create a link with which anyone can read this article, whatever its status, with its working copy."""
    preview, site = service.create(current_user_id(), id, seconds=fields["expires_in"]), get_site()
    return WithAttributes(
        preview,
        # Without a trailing slash, the addresses of relative links in the article do not contain the token.
        url=addresses.make_preview_url(site, preview.token) or f"{site.service_url}/preview/{preview.token}",
        api_url=f"{site.service_url}{bp.url_prefix}/preview/{preview.token}/",
    )


@bp.get(_LINKS_PATH)
@allow(author)
@bp.arguments(PreviewListQuery, location="query")
@bp.response(200, PreviewSchema(many=True), partial_schema=PreviewFieldsSchema)
def listed(query: Query, id: UUID) -> PartialResult:
    """List the preview links of an article that have not expired, newest first."""
    permissions.check_own(id)
    return PartialResult(queries.list_previews(id, query.page), query)


@bp.delete(f"{_LINKS_PATH}<id:preview>/")
@allow(author, scope="write")
@bp.response(204)
def revoke(id: UUID, preview: UUID) -> None:
    """Revoke a preview link."""
    permissions.check_own(id)
    service.revoke(id, preview)


@bp.get("/preview/<token>/")
@allow(anyone)
@bp.arguments(ArticleQuery, location="query")
@bp.response(200, ArticleSchema(), partial_schema=SingleArticleFieldsSchema, storable=False)
def single(query: Query, token: str) -> JsonBody:
    """Return the article of a preview link, with the edits of its working copy if it has one."""
    article, _ = queries.get_article_json(token, query.fields)
    return article
