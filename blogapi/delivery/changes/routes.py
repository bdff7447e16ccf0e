"""The endpoint of the feed of changes."""

from __future__ import annotations

from blogapi.delivery.changes import queries
from blogapi.delivery.changes.queries import ChangeList
from blogapi.delivery.changes.schemas import ChangeListSchema, ChangesQuery
from blogapi.publication.kinds import PAGE_KINDS
from blogapi.publication.shared_caching import shows
from blogapi.web.access import allow, current_caller, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields

bp = Blueprint("changes", __name__, url_prefix="/api/v1/blog/changes", description="The feed of changes")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ChangesQuery, location="query")
@bp.response(200, ChangeListSchema())
@shows(*PAGE_KINDS)
def listed(query: Fields) -> ChangeList:
    """List the items that changed after a cursor, and whether to fetch or to drop each of them."""
    return queries.list_changes(query["since"], query["limit"], public=not current_caller().sees_drafts)
