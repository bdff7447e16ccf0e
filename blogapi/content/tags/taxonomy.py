"""The taxonomy of tags."""

from __future__ import annotations

from blogapi.content.tags import schemas
from blogapi.content.tags.models import Tag
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.web.access import author

TAGS = Taxonomy(
    singular="tag",
    plural="tags",
    model=Tag,
    stored_schema=schemas.TagSchema,
    schema=schemas.TagSchema,
    fields_schema=schemas.TagFieldsSchema,
    single_schema=schemas.SingleTagSchema,
    body_schema=schemas.TagBodySchema,
    deletion="Delete a tag and remove it from its articles.",
    list_section="4.5",
    detail_section="4.6",
    creator=author,
)
