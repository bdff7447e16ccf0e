"""The endpoint of the archive."""

from __future__ import annotations

from blogapi.delivery.archive import queries
from blogapi.delivery.archive.schemas import ArchiveMonthSchema, ArchiveQuery
from blogapi.publication.kinds import TERM_KINDS
from blogapi.publication.shared_caching import shows
from blogapi.web.access import allow, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields

bp = Blueprint("archive", __name__, url_prefix="/api/v1/blog/archive", description="Archive by month")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ArchiveQuery, location="query")
@bp.response(200, ArchiveMonthSchema(many=True), cacheable=True)
@shows("article", *TERM_KINDS)
def listed(query: Fields) -> list[Fields]:
    """List the months with public articles, newest first, in the time zone of the site."""
    return queries.list_months(query)
