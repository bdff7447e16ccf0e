"""Wire shapes of the feed of changes."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from blogapi.core.schema import Identifier, Shape, Shown, Whole

LARGEST = 1000


class ChangeSchema(Shown):
    """One item that changed, and what to do about it."""

    kind = ma.fields.String(metadata={"enum": ["article", "category", "tag"]})
    uuid = Identifier()
    action = ma.fields.String(metadata={"enum": ["fetch", "drop"]})


class ChangesSchema(Shown):
    """What changed after a cursor, oldest first, each item once."""

    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    cursor = ma.fields.String(metadata={"description": "Send it as `since` next time.", "example": "p42"})
    more = ma.fields.Boolean(metadata={"description": "Whether there is more right now.", "example": False})


class ChangesQuery(Shape):
    """The query string of the feed."""

    since = ma.fields.String(
        validate=validate.Regexp(r"(0|[ap][1-9][0-9]{0,15})\Z", error="Not a cursor; 0 begins anew."),
        load_default="0",
        metadata={"description": "The last cursor; 0: all.", "example": "0"},
    )
    limit = Whole(least=1, most=LARGEST, written=True, load_default=LARGEST, metadata={"example": 100})
