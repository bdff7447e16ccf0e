"""The declarations of the text fields of an article, and of its fields that contain tags or authors.

The values of text fields are texts, except for the boolean `featured`. A text field has a column of the same
name. Versions, working copies, comparisons, exports and the admin pages read TEXT_FIELDS, so a new text field
needs only a declaration and a migration.

Each of TERM_LIST_FIELDS has a table of links (see LINK_MODELS) and a relationship of the model Article.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.content.articles.lifecycle import ContentType
from blogapi.web.fields import Language, StrictBoolean, Text
from blogapi.web.media_addresses import PictureAddress, PictureReference

_CONTENT_TYPES = [kind.value for kind in ContentType]
_ROBOTS_LABELS = {
    "": "Show the page",
    "noindex": "Do not show the page",
    "noindex, nofollow": "Do not show the page, nor follow its links",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField:
    """A field of an article that its author writes; its value is a text or, for `featured`, a boolean."""

    name: str
    label: str  #: the name of the field on the admin pages
    input: ma.fields.Field[Any]  #: the schema field of requests
    output: ma.fields.Field[Any] = field(default_factory=ma.fields.String)
    default: Any = ""
    #: the default of the column in the database; None if the model declares the column
    server_default: str | None = ""
    #: where the editor shows the field: "line" (above the text), "details", or "" (a control of its own)
    control: str = "details"
    #: the allowed values, each with its label in the editor; None if an author writes the text
    choices: Mapping[str, str] | None = None
    #: whether searches cover the field; the title and the content are always covered
    is_searched: bool = False
    #: whether previews of the article show it below the title
    is_previewed: bool = False


TEXT_FIELDS = (
    TextField(
        name="title",
        label="Title",
        input=Text(
            max_length="MAX_TITLE", required=True, metadata={"example": "The bread that waits for me"}
        ),
        output=ma.fields.String(metadata={"example": "The bread that waits for me"}),
        control="line",
    ),
    TextField(
        name="subtitle",
        label="Subtitle",
        input=Text(max_length="MAX_SUBTITLE"),
        server_default=None,
        control="line",
        is_searched=True,
        is_previewed=True,
    ),
    TextField(
        name="excerpt",
        label="Excerpt",
        input=Text(
            max_length="MAX_EXCERPT",
            metadata={
                "description": "Plain text. An empty excerpt, or one that equals the generated excerpt, is "
                "generated from the content."
            },
        ),
        is_searched=True,
        output=ma.fields.String(
            metadata={
                "description": "The written excerpt. If there is none, an article shows the beginning of its "
                "text; versions and working copies show an empty text."
            }
        ),
        control="",
    ),
    TextField(
        name="content",
        label="Text",
        input=Text(max_length="MAX_CONTENT", metadata={"example": "Flour, *water*, time."}),
        output=ma.fields.String(metadata={"description": "The text exactly as it was sent."}),
        control="",
    ),
    TextField(
        name="content_type",
        label="Format",
        input=ma.fields.String(validate=validate.OneOf(_CONTENT_TYPES), metadata={"example": "markdown"}),
        output=ma.fields.String(metadata={"enum": _CONTENT_TYPES}),
        default=ContentType.HTML.value,
        control="",
    ),
    TextField(
        name="cover_image", label="Cover", input=PictureReference(), output=PictureAddress(), control=""
    ),
    TextField(
        name="featured",
        label="Featured",
        input=StrictBoolean(),
        output=ma.fields.Boolean(),
        default=False,
        server_default=None,
    ),
    TextField(
        name="robots",
        label="Search engines",
        input=ma.fields.String(validate=validate.OneOf([*_ROBOTS_LABELS])),
        output=ma.fields.String(metadata={"enum": [*_ROBOTS_LABELS]}),
        choices=_ROBOTS_LABELS,
    ),
    TextField(
        name="language",
        label="Language",
        input=Language(may_be_empty=True, metadata={"example": "de"}),
        output=ma.fields.String(
            metadata={"description": "A language tag (BCP 47), or empty for the language of the site."}
        ),
    ),
    TextField(
        name="translation_key",
        label="Translation key",
        input=Text(max_length=255, metadata={"example": "rye-bread"}),
        output=ma.fields.String(
            metadata={"description": "Articles with the same non-empty key are translations of each other."}
        ),
        control="",
    ),
)

TEXT_NAMES = tuple(text.name for text in TEXT_FIELDS)
TEXT_DEFAULTS = {text.name: text.default for text in TEXT_FIELDS}
# The text fields that a search covers in addition to the title and the content.
SEARCHED_FIELDS = tuple(text.name for text in TEXT_FIELDS if text.is_searched)
# The schema fields of requests and of responses, by name.
INPUT_FIELDS = {text.name: text.input for text in TEXT_FIELDS}
OUTPUT_FIELDS = {text.name: text.output for text in TEXT_FIELDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class TermListField:
    """A field of an article that contains terms of one kind, in the order that its author chose."""

    name: str
    kind: str
    #: the attribute of Article that contains the links; each link has a `term_id`
    relation: str


TERM_LIST_FIELDS = (
    TermListField(name="tags", kind="tag", relation="tag_links"),
    TermListField(name="authors", kind="author", relation="author_links"),
)
TERM_LIST_NAMES = tuple(field.name for field in TERM_LIST_FIELDS)
