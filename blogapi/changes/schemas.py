"""Wire shapes of the feed of changes."""

from __future__ import annotations

import marshmallow as ma

from blogapi.core.schema import Identifier, Shape, Shown, Whole

LARGEST = 1000
LAST = 2**53


class ChangeSchema(Shown):
    """One item that changed, and what to do about it."""

    kind = ma.fields.String(metadata={"enum": ["article", "category", "tag"]})
    uuid = Identifier()
    action = ma.fields.String(metadata={"enum": ["fetch", "drop"]})


class ChangesSchema(Shown):
    """What changed after a cursor, oldest first, each item once."""

    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    cursor = ma.fields.String(metadata={"description": "Send it as `since` next time.", "example": "42"})
    more = ma.fields.Boolean(metadata={"description": "Whether there is more right now.", "example": False})


class ChangesQuery(Shape):
    """The query string of the feed."""

    since = Whole(
        least=0, most=LAST, written=True, load_default=0, metadata={"description": "The last cursor; 0: all."}
    )
    limit = Whole(least=1, most=LARGEST, written=True, load_default=LARGEST, metadata={"example": 100})
