"""Response bodies of backups."""

from __future__ import annotations

import marshmallow as ma

from blogapi.backups.naming import Kind
from blogapi.web.fields import OutputSchema, Timestamp

_EXAMPLE = "blogapi-20260131T093000000000Z.zip"


class BackupSchema(OutputSchema):
    """A backup in the instance folder."""

    name = ma.fields.String(metadata={"example": _EXAMPLE})
    size = ma.fields.Integer(metadata={"description": "Size of the file, in bytes.", "example": 4_194_304})
    created = Timestamp(dump_only=True)
    kind = ma.fields.String(metadata={"enum": [kind.name.lower() for kind in Kind], "example": "manual"})
    has_media = ma.fields.Boolean(
        metadata={
            "description": "Whether the file contains the media files. Those of other backups are in the "
            "folder `media` beside it."
        }
    )
    missing = ma.fields.Integer(
        metadata={"description": "Number of media files that could not be saved.", "example": 0}
    )


class VerificationSchema(OutputSchema):
    """The result of a check of a backup."""

    ok = ma.fields.Boolean(metadata={"description": "Whether the backup can be restored."})
    detail = ma.fields.String(metadata={"example": "The backup can be restored."})
    articles = ma.fields.Integer(metadata={"description": "Number of articles in the backup.", "example": 12})
    media = ma.fields.Integer(metadata={"description": "Number of media files in the backup.", "example": 40})
    missing = BackupSchema._declared_fields["missing"]
