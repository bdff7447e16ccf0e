"""The endpoints of preview links."""

from __future__ import annotations

from uuid import UUID

from blogapi.content.articles.resource import Resource
from blogapi.delivery.previews import service
from blogapi.delivery.previews.schemas import (
    CreatedPreviewSchema,
    PreviewBodySchema,
    PreviewedFieldsSchema,
    PreviewedQuery,
    PreviewedSchema,
    PreviewSchema,
)
from blogapi.site import addresses
from blogapi.site.queries import get_service_url, get_site
from blogapi.web.access import allow, anyone, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.json import JsonBody
from blogapi.web.pagination import ListQuery, Query
from blogapi.web.representation import PartialResult

_API_PREFIX = "/api/v1/blog"


def build_blueprint(resource: Resource) -> Blueprint:
    """Return the blueprint with the operations on the preview links of articles or pages."""
    bp = Blueprint(
        resource.make_blueprint_name("previews"),
        __name__,
        url_prefix=f"{_API_PREFIX}{resource.item_path}/preview",
        description=f"Preview links of {resource.kind}s",
    )

    @bp.post("/")
    @allow(resource.access_rule, scope="write")
    @bp.check_exists(resource.check_access)
    @bp.arguments(PreviewBodySchema, required=False)
    @bp.response(201, CreatedPreviewSchema())
    def create(fields: Fields, id: UUID) -> WithAttributes:
        """Create a link with which anyone can read this article or page, whatever its status.

        The link shows the edits of the working copy, if there is one.
        """
        preview = service.create_preview(current_user_id(), id, seconds=fields["expires_in"])
        service_url = get_service_url()
        return WithAttributes(
            preview,
            # The path has no trailing slash, so that relative links on the page do not contain the token.
            url=addresses.make_preview_url(get_site(), preview.token)
            or f"{service_url}/preview/{preview.token}",
            api_url=f"{service_url}{_API_PREFIX}/preview/{preview.token}/",
        )

    @bp.get("/")
    @allow(resource.access_rule)
    @bp.response(200, PreviewSchema(many=True), partial_schema=PreviewSchema, query=ListQuery)
    def listed(query: Query, id: UUID) -> PartialResult:
        """List the preview links of an article or page that have not expired, newest first."""
        resource.check_access(id)
        return PartialResult(service.list_previews(id, query.page), query)

    @bp.delete("/<id:preview>/")
    @allow(resource.access_rule, scope="write")
    @bp.response(204)
    def revoke(id: UUID, preview: UUID) -> None:
        """Revoke a preview link."""
        resource.check_access(id)
        service.revoke_preview(id, preview)

    return bp


preview_contents = Blueprint(
    "preview_contents",
    __name__,
    url_prefix=_API_PREFIX,
    description="What preview links show",
    resource="previews",
)


@preview_contents.get("/preview/<token>/")
@allow(anyone)
@preview_contents.arguments(PreviewedQuery, location="query")
@preview_contents.response(200, PreviewedSchema(), partial_schema=PreviewedFieldsSchema, storable=False)
def single(query: Query, token: str) -> JsonBody:
    """Return the article or page of a preview link, with the edits of the working copy if there is one."""
    item, _ = service.get_item_json(token, query.fields)
    return item
