"""Response bodies of the check of the site."""

from __future__ import annotations

import marshmallow as ma

from blogapi.web.fields import OutputSchema


class SiteCheckSchema(OutputSchema):
    """The result of the check of the site."""

    url = ma.fields.String(metadata={"example": "https://blog.example/"})
    status = ma.fields.Integer(
        allow_none=True, metadata={"description": "The status of the page; null without an answer."}
    )
    feed = ma.fields.String(
        allow_none=True, metadata={"description": "The address of the feed that the page names, or null."}
    )
    names_blog = ma.fields.Boolean(
        metadata={"description": "Whether the feed contains the title of the site."}
    )
    problem = ma.fields.String(metadata={"description": "What is wrong; empty if nothing is."})
