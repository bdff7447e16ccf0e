"""The response body of the restoration of deleted items."""

from __future__ import annotations

import marshmallow as ma

from blogapi.content.articles.lifecycle import API_STATUSES
from blogapi.web.fields import Identifier, OutputSchema


class RestoredSchema(OutputSchema):
    """A restored article or page, with notes about what differs from before its deletion."""

    uuid = Identifier()
    title = ma.fields.String()
    slug = ma.fields.String()
    status = ma.fields.String(metadata={"enum": list(API_STATUSES)})
    notes = ma.fields.List(
        ma.fields.String(),
        metadata={
            "description": "Sentences about what could not be restored as it was.",
            "example": ["Its slug is “rye-2” instead of “rye”."],
        },
    )
