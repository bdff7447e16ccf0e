"""Request and response bodies of the media library."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.accounts.users.schemas import UserReferenceSchema
from blogapi.content.media.addresses import list_renditions, make_file_path
from blogapi.publication.kinds import KINDS
from blogapi.web.fields import (
    Fields,
    Identifier,
    InputSchema,
    OutputSchema,
    StrictBoolean,
    Text,
    TextBoolean,
    Timestamp,
)
from blogapi.web.media_addresses import PictureAddress
from blogapi.web.pagination import ListQuery
from blogapi.web.uploads import FileBodySchema, FileQuery

MAX_ALT_LENGTH, MAX_CAPTION_LENGTH, MAX_FILE_NAME_LENGTH = 1000, 10_000, 100

USE_KINDS = (*KINDS, "working_copy", "deleted_item")
ORDERINGS = ("created", "-created", "name", "-name", "size", "-size")

_URL_METADATA = {"description": "Absolute if the service has a public address, otherwise a path."}


_ALT_FIELD = Text(
    max_length=MAX_ALT_LENGTH,
    metadata={"description": "Describes the image for readers who cannot see it.", "example": "A black cat"},
)
_CAPTION_FIELD = Text(max_length=MAX_CAPTION_LENGTH, metadata={"example": "Mimi, 2026"})


class RenditionSchema(OutputSchema):
    """A smaller version of an image, as WebP."""

    width = ma.fields.Integer(metadata={"example": 400})
    height = ma.fields.Integer(metadata={"example": 300})
    url = PictureAddress(metadata=_URL_METADATA)


class MediaSchema(OutputSchema):
    """A file of the media library."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "cat.jpg"})
    alt = ma.fields.String(metadata={"example": "A black cat"})
    decorative = ma.fields.Boolean(metadata={"description": "Whether the image needs no alt text."})
    caption = ma.fields.String()
    type = ma.fields.String(metadata={"example": "image/jpeg"})
    size = ma.fields.Integer(metadata={"description": "Size of the file in bytes.", "example": 204800})
    width = ma.fields.Integer(
        allow_none=True,
        metadata={"description": "Width in pixels; null unless the file is an image.", "example": 1200},
    )
    height = ma.fields.Integer(allow_none=True, metadata={"example": 900})
    url = PictureAddress(metadata=_URL_METADATA)
    renditions = ma.fields.List(ma.fields.Nested(RenditionSchema))
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)

    user = ma.fields.Nested(
        UserReferenceSchema,
        allow_none=True,
        metadata={"description": "Who uploaded the file; null if unknown or deleted."},
    )

    @ma.pre_dump
    def add_computed_fields(self, file: Any, **_: Any) -> Fields:
        """Return the columns of the file, with its address, its renditions and its user."""
        path = make_file_path(file.hash, file.name)
        renditions = list_renditions(path, file.width or 0, file.height or 0) if file.is_scalable else []
        user = {"uuid": file.account_id, "username": file.username} if file.account_id else None
        return {**file._mapping, "url": path, "renditions": renditions, "user": user}


class MediaChangesSchema(InputSchema):
    """The fields of a file that a client changes."""

    read_only = frozenset(
        {"uuid", "type", "size", "width", "height", "url", "renditions", "created", "last_updated", "user"}
    )

    name = Text(
        max_length=MAX_FILE_NAME_LENGTH,
        min_length=1,
        metadata={
            "description": "The last part of the address; its extension cannot change.",
            "example": "mimi.jpg",
        },
    )
    alt = _ALT_FIELD
    decorative = StrictBoolean(
        metadata={
            "description": "Whether the image is only decoration. `true` empties `alt`. "
            "A text in `alt` without `decorative` sets `decorative` to `false`.",
            "example": False,
        }
    )
    caption = _CAPTION_FIELD

    @ma.validates_schema
    def check_decorative_alt(self, data: Fields, **_: Any) -> None:
        """Refuse an alt text for a decorative image."""
        if data.get("decorative") and data.get("alt"):
            raise ma.ValidationError("Send no alt text for a decorative image.", "decorative")


class UploadBodySchema(FileBodySchema):
    """A file and its texts."""

    alt = _ALT_FIELD
    caption = _CAPTION_FIELD


class UploadQuery(FileQuery):
    """The query parameters of an upload."""

    alt = _ALT_FIELD
    caption = _CAPTION_FIELD


class MediaUseSchema(OutputSchema):
    """An item that uses a file."""

    kind = ma.fields.String(metadata={"enum": list(USE_KINDS)})
    uuid = Identifier()
    title = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "Title or name of the item; null for a deleted article.",
            "example": "Bread",
        },
    )
    current = ma.fields.Boolean(
        metadata={"description": "False if only former versions of the article use the file."}
    )


class MediaListQuery(ListQuery):
    """The query parameters of a request for the list of files."""

    q = Text(
        max_length=200,
        metadata={
            "description": "Text that the name, the alt text or the caption contains.",
            "example": "cat",
        },
    )
    type = ma.fields.String(
        validate=validate.Regexp(r"^[a-z]{1,20}(/[a-z0-9][a-z0-9.+-]{0,100})?$(?!\n)"),
        metadata={"description": "A type such as `image/png`, or its first part.", "example": "image"},
    )
    alt = ma.fields.String(
        validate=validate.OneOf(("missing",)),
        metadata={"description": "`missing` lists only images that need an alt text and have none."},
    )
    unused = TextBoolean(
        metadata={"description": "`true` lists only files that nothing uses, `false` only used files."},
    )
    ordering = ma.fields.String(validate=validate.OneOf(ORDERINGS), metadata={"example": "-created"})


class DeletionQuery(InputSchema):
    """The query parameters of a deletion."""

    force = TextBoolean(
        load_default=False,
        metadata={"description": "Delete the file even if something uses it."},
    )
