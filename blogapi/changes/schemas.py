"""Wire shapes of the feed of changes."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from blogapi.web.fields import Identifier, InputSchema, OutputSchema, StrictInteger

MAX_CHANGES = 1000


class ChangeSchema(OutputSchema):
    """One item that changed, and what to do about it."""

    kind = ma.fields.String(metadata={"enum": ["article", "category", "tag"]})
    uuid = Identifier()
    action = ma.fields.String(metadata={"enum": ["fetch", "drop"]})


class ChangesSchema(OutputSchema):
    """What changed after a cursor, oldest first, each item once."""

    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    cursor = ma.fields.String(metadata={"description": "Send it as `since` next time.", "example": "p42"})
    more = ma.fields.Boolean(metadata={"description": "Whether there is more right now.", "example": False})


class ChangesQuery(InputSchema):
    """The query string of the feed."""

    since = ma.fields.String(
        validate=validate.Regexp(r"(0|[ap][1-9][0-9]{0,15})\Z", error="Not a cursor; 0 begins anew."),
        load_default="0",
        metadata={"description": "The last cursor; 0: all.", "example": "0"},
    )
    limit = StrictInteger(
        minimum=1, maximum=MAX_CHANGES, from_query=True, load_default=MAX_CHANGES, metadata={"example": 100}
    )
