"""The response body of the checks."""

from __future__ import annotations

import marshmallow as ma

from blogapi.doctor.findings import Level
from blogapi.web.fields import OutputSchema, Timestamp


class FindingSchema(OutputSchema):
    """The result of one check."""

    check = ma.fields.String(metadata={"example": "backup"})
    level = ma.fields.Enum(
        Level,
        by_value=True,
        metadata={"type": "string", "enum": [Level.OK.value, Level.HINT.value, Level.WRONG.value]},
    )
    title = ma.fields.String(metadata={"example": "Backup made"})
    detail = ma.fields.String(metadata={"example": "31 Jan 2026, 03:00. 7 backups kept."})
    link = ma.fields.String(
        allow_none=True,
        metadata={"description": "The admin page that solves the problem.", "example": "/admin/backups/"},
    )


class ReportSchema(OutputSchema):
    """The results of the checks, the most serious first."""

    checked = Timestamp(
        dump_only=True,
        allow_none=True,
        metadata={"description": "When the checks ran, or null if they have not run since the start."},
    )
    findings = ma.fields.List(ma.fields.Nested(FindingSchema))
