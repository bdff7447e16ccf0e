"""Request and response bodies of the endpoint that renders a text."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from blogapi.content.articles.fields import BODIES
from blogapi.content.articles.schemas import HeadingSchema
from blogapi.publication.visibility import ItemType
from blogapi.rendering.slugs import MAX_SLUG_LENGTH
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, Text, Timestamp
from blogapi.web.references import Reference


class RenderBodySchema(InputSchema):
    """A text to render as the content of an article, and fields that decide the address of the article."""

    content = BODIES["content"]
    content_type = BODIES["content_type"]
    article = Identifier(
        allow_none=True,
        metadata={
            "description": "uuid of the article, which may be new. Relative addresses in the text refer to "
            "the files of an imported article."
        },
    )
    title = Text(max_length="MAX_TITLE")
    slug = Text(max_length=MAX_SLUG_LENGTH, metadata={"description": "Can be empty, as in a working copy."})
    category = Reference(allow_none=True, metadata={"description": "Default: the category of the article."})
    type = ma.fields.String(
        validate=validate.OneOf([one.value for one in ItemType]),
        metadata={
            "description": "The type of a new item, for editors and admins; a stored item keeps its own. "
            "Default: `article`.",
            "example": "article",
        },
    )
    parent = Reference(
        allow_none=True, metadata={"description": "The parent of a page. Default: its current parent."}
    )
    published_at = Timestamp(
        allow_none=True,
        metadata={"description": "Default: the time of a published article, otherwise now.", "example": None},
    )


class RenderingSchema(OutputSchema):
    """A text as readers of an article with this content see it."""

    html = ma.fields.String(metadata={"description": "The text as sanitised HTML."})
    toc = ma.fields.List(ma.fields.Nested(HeadingSchema))
    excerpt = ma.fields.String(metadata={"description": "The generated excerpt."})
    slug = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "The slug that the article has, or gets when it is stored; null without `title`."
        },
    )
    url = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "The address that the page has, or gets when the article is published; null "
            "without `title`, and if the site has no `url`."
        },
    )
    free_slug = ma.fields.String(
        allow_none=True, metadata={"description": "A slug that is free; null for authors."}
    )
    removed = ma.fields.List(
        ma.fields.String(),
        metadata={"description": "Elements that readers do not get.", "example": ["script"]},
    )
    shown_as_text = ma.fields.Boolean(
        metadata={"description": "Readers get the text as it is typed, because it takes too long to render."}
    )
    word_count = ma.fields.Integer()
    reading_minutes = ma.fields.Integer()
