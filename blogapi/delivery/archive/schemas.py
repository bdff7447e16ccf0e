"""Query parameters and response bodies of the archive."""

from __future__ import annotations

import marshmallow as ma

from blogapi.web.fields import InputSchema, OutputSchema, Text


class ArchiveQuery(InputSchema):
    """Selects the articles that are counted; an article must meet all parameters."""

    category = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a category."})
    tag = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a tag."})
    author = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of an author."})


class ArchiveMonthSchema(OutputSchema):
    """A month in the time zone of the site, and the number of its public articles."""

    year = ma.fields.Integer(metadata={"example": 2026})
    month = ma.fields.Integer(metadata={"minimum": 1, "maximum": 12, "example": 5})
    count = ma.fields.Integer(metadata={"minimum": 1, "example": 3})
