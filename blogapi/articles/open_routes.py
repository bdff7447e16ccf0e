"""The endpoint by which the editor reports that an article is open."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.articles import open_service, permissions
from blogapi.users.schemas import UserReferenceSchema
from blogapi.web.access import allow, author, current_user_id
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields

bp = Blueprint(
    "open_articles",
    __name__,
    url_prefix="/api/v1/blog/articles/<id:id>/open",
    description="Who has an article open",
)


@bp.post("/")
@allow(author, scope="write")
@bp.check_exists(permissions.check_exists)
@bp.response(200, UserReferenceSchema(many=True))
def report(id: UUID) -> Sequence[Fields]:
    """Report that the caller has the article open, for a minute; return the others who have it open.

    The field `open_by` of articles shows them too. No version and no event is stored.
    """
    return open_service.report(current_user_id(), id)
