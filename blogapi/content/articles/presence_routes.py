"""The endpoints to which the editor reports that a user has an article or a page open."""

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
    """Return the blueprint that receives the reports for articles or for pages."""
    bp = Blueprint(
        f"open_{resource.kind}s",
        __name__,
        url_prefix=f"/api/v1/blog{resource.item_path}/open",
        description=f"Who has {resource.kind}s open",
    )

    @bp.post("/")
    @allow(resource.access_rule, scope="write")
    @bp.check_exists(resource.check_access)
    @bp.response(200, UserReferenceSchema(many=True))
    def report(id: UUID) -> Sequence[Fields]:
        """Report that the caller has the item open, for one minute; return the other users who have it open.

        The field `open_by` of the item shows these users too. No version and no event is stored.
        """
        return report_presence(current_user_id(), id, resource.check_access)

    return bp
