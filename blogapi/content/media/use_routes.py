"""The endpoint that lists the uses of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from blogapi.content.media import permissions, queries
from blogapi.content.media.schemas import MediaUseSchema
from blogapi.web.access import allow, author, current_caller
from blogapi.web.blueprint import Blueprint
from blogapi.web.pagination import ListQuery, Page, Query

bp = Blueprint(
    "media_uses", __name__, url_prefix="/api/v1/blog/media/<id:id>/uses", description="Uses of files"
)


@bp.get("/")
@allow(author)
@bp.arguments(ListQuery, location="query")
@bp.response(200, MediaUseSchema(many=True))
def listed(query: Query, id: UUID) -> Page[Sequence[Any]]:
    """List the items that use a file: articles and pages, also in former versions, terms and the site.

    Authors see the uses by their own articles and by items in public lists.
    """
    permissions.check_visible(id)
    return queries.list_uses(id, query.page, visible_to=current_caller().restricted_to_author)
