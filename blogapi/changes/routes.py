"""The feed of changes over HTTP."""

from __future__ import annotations

from typing import Any

from blogapi.changes import queries
from blogapi.changes.schemas import ChangesQuery, ChangesSchema
from blogapi.core import changes
from blogapi.core.access import allow, caller, reader
from blogapi.core.blueprint import Blueprint
from blogapi.core.schema import Fields

bp = Blueprint("changes", __name__, url_prefix="/api/v1/blog/changes", description="What changed since when")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(ChangesQuery, location="query")
@bp.response(200, ChangesSchema())
def listed(query: Fields) -> dict[str, Any]:
    """Tell what to fetch anew and what to drop since a cursor."""
    changes.announce_due()
    return queries.after(query["since"], query["limit"], public=not caller().sees_drafts)
