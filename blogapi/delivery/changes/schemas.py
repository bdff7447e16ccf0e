"""Request and response bodies of the feed of changes."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from blogapi.delivery.changes.queries import NOW
from blogapi.publication import cursor
from blogapi.publication.kinds import KINDS
from blogapi.web.fields import Identifier, InputSchema, OmitsNull, OutputSchema, StrictInteger

MAX_CHANGES = 1000


class ChangeSchema(OmitsNull, OutputSchema):
    """An item that changed, and whether to fetch it again or to drop it."""

    omitted_if_null = frozenset({"slug", "url"})

    kind = ma.fields.String(metadata={"enum": sorted(KINDS)})
    uuid = Identifier()
    action = ma.fields.String(metadata={"enum": ["fetch", "drop"]})
    slug = ma.fields.String(
        metadata={
            "description": "The last slug of an item to drop. It is absent if it is unknown.",
            "example": "the-bread-that-waits",
        }
    )
    url = ma.fields.String(
        metadata={
            "description": "The last address of the page of an item to drop. It is absent if it is unknown, "
            "if the site has no `url`, or if the path pattern of articles contains the category.",
            "example": "https://example.org/the-bread-that-waits/",
        }
    )


class ChangeListSchema(OutputSchema):
    """The items that changed after a cursor, oldest change first, each item once."""

    changes = ma.fields.List(ma.fields.Nested(ChangeSchema))
    cursor = ma.fields.String(
        metadata={"description": "The value of `since` for the next request.", "example": "5fa31c07-p42"}
    )
    more = ma.fields.Boolean(
        metadata={
            "description": "Whether more changes follow. If it is true, send the next request at once, with "
            "the new `cursor`.",
            "example": False,
        }
    )


class ChangesQuery(InputSchema):
    """The query parameters of a request for the feed of changes."""

    since = ma.fields.String(
        validate=validate.Regexp(
            # Without the lookahead, Python's `$` accepts a newline at the end; ECMA-262 has no `\Z`.
            rf"^(0|{NOW}|{cursor.PATTERN})$(?!\n)",
            error="Not a cursor; send 0 to start again.",
        ),
        load_default="0",
        metadata={
            "description": "The `cursor` of the last response, 0 for all changes, or `now` for a cursor "
            "without changes, to continue from after a complete build.",
            "example": "0",
        },
    )
    limit = StrictInteger(
        minimum=1,
        maximum=MAX_CHANGES,
        from_query=True,
        load_default=MAX_CHANGES,
        metadata={"description": "Maximum number of changes.", "example": 100},
    )
