"""The taxonomy of tags."""

from __future__ import annotations

from blogapi.tags import schemas
from blogapi.tags.models import Tag
from blogapi.taxonomies.taxonomy import Taxonomy
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
