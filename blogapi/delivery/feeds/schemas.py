"""The query parameters of feeds."""

from __future__ import annotations

from blogapi.web.fields import Schema, Text
from blogapi.web.language import Language


class FeedQuery(Schema):
    """Selects the articles of a feed."""

    category = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a category."})
    tag = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a tag."})
    author = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of an author."})
    language = Language(metadata={"description": "The language of the articles (BCP 47), or `all`."})
