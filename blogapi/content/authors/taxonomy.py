"""Authors as a taxonomy, whose terms are the profiles."""

from __future__ import annotations

from blogapi.content.authors import profiles, schemas
from blogapi.content.authors.models import Author
from blogapi.content.taxonomies.taxonomy import Taxonomy

AUTHORS = Taxonomy(
    singular="author",
    plural="authors",
    model=Author,
    stored_schema=schemas.EmbeddedAuthorSchema,
    schema=schemas.AuthorSchema,
    fields_schema=schemas.AuthorFieldsSchema,
    single_schema=schemas.SingleAuthorSchema,
    body_schema=schemas.AuthorBodySchema,
    deletion="Delete an author who has no articles.",
    defaults={"bio": "", "url": "", "avatar": ""},
    # An author's `url` is their own website.
    address_field="page_url",
    creator_owns=False,
    names_are_unique=False,
    owner_changes=True,
    check=profiles.check_user,
)
