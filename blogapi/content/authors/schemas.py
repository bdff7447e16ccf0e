"""Request and response bodies of authors."""

from __future__ import annotations

import marshmallow as ma

from blogapi.content.taxonomies.schemas import PAGE_ADDRESS, TermBodySchema, TermDetails, TermDetailsBody
from blogapi.web.fields import Identifier, OutputSchema, Slug, Text, Timestamp, WebAddress
from blogapi.web.media_addresses import PictureAddress, PictureReference

_USER = {"description": "The user whose profile this is; null for a guest."}


class AuthorSchema(OutputSchema):
    """An author in the list."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "Ada Lovelace"})
    slug = ma.fields.String(metadata={"example": "ada-lovelace"})
    bio = ma.fields.String(metadata={"description": "May be empty."})
    url = ma.fields.String(metadata={"description": "The author's own website; may be empty."})
    avatar = PictureAddress(metadata={"description": "URL of a picture; may be empty."})
    user = Identifier(attribute="owner_id", allow_none=True, metadata=_USER)


class EmbeddedAuthorSchema(AuthorSchema):
    """An author in an article."""

    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)


class SingleAuthorSchema(AuthorSchema):
    """An author with their public articles, newest first."""

    # The schema is referenced by name, because an import would be circular.
    articles = ma.fields.Nested("ArticleSchema", many=True)


class AuthorFieldsSchema(EmbeddedAuthorSchema, TermDetails):
    """An author in the list, with the requested fields."""

    page_url = PAGE_ADDRESS


class AuthorBodySchema(TermDetailsBody, TermBodySchema):
    """The fields of an author that a client writes."""

    read_only = TermBodySchema.read_only - {"user"} | {"page_url"}

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "Ada Lovelace"})
    slug = Slug(metadata={"example": "ada-lovelace"})
    bio = Text(max_length=10_000)
    url = WebAddress(metadata={"description": "The author's own website."})
    avatar = PictureReference()
    user = Identifier(attribute="owner_id", allow_none=True, metadata=_USER | {"example": None})
