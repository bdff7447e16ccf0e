"""Wire shapes of preview links."""

from __future__ import annotations

import marshmallow as ma

from blogapi.core.schema import Identifier, Shape, Shown, Timestamp, Whole

DEFAULT_SECONDS = 7 * 24 * 3600
MOST_SECONDS = 90 * 24 * 3600


class PreviewSchema(Shown):
    """A preview link, without the link."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    expires = Timestamp(dump_only=True)
    user = Identifier(attribute="user_id", metadata={"description": "Who made it."})


class CreatedPreviewSchema(PreviewSchema):
    """A new preview link; it is shown this once."""

    url = ma.fields.String(
        metadata={
            "description": "Opens this one article, without a key.",
            "example": "/api/v1/blog/preview/…/",
        }
    )


class NewPreviewSchema(Shape):
    """What is said of a new preview link."""

    expires_in = Whole(
        least=1,
        most=MOST_SECONDS,
        load_default=DEFAULT_SECONDS,
        metadata={"description": "How long it leads there, in seconds.", "example": 86_400},
    )
