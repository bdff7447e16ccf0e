"""The endpoints to which the page of the editor reports that an article or a page is open."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.accounts.users.schemas import UserReferenceSchema
from blogapi.content.articles.resource import Resource
from blogapi.content.presence import report_presence
from blogapi.web.access import allow, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields


def build_blueprint(resource: Resource) -> Blueprint:
    """Return the blueprint with the operation for articles or pages."""
    bp = Blueprint(
        f"open_{resource.kind}s",
        __name__,
        url_prefix=f"/api/v1/blog{resource.item_path}/open",
        description=f"Who has {resource.kind}s open",
    )

    @bp.post("/")
    @allow(resource.role, scope="write")
    @bp.check_exists(resource.check_exists)
    @bp.response(200, UserReferenceSchema(many=True))
    def report(id: UUID) -> Sequence[Fields]:
        """Report that the caller has the item open, for one minute; return the other users who have it open.

        The field `open_by` of the item shows these users too. No version and no event is stored.
        """
        return report_presence(current_user_id(), id, resource.check_exists)

    return bp
