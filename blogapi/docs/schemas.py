"""The shape of every error, for the document of the API."""

from __future__ import annotations

import marshmallow as ma


class ProblemSchema(ma.Schema):
    """What went wrong, and what to do next (RFC 9457)."""

    type = ma.fields.String(required=True, metadata={"example": "about:blank"})
    title = ma.fields.String(required=True, metadata={"example": "Not Found"})
    status = ma.fields.Integer(required=True, metadata={"example": 404})
    detail = ma.fields.String(required=True, metadata={"description": "What to do next."})
    code = ma.fields.String(
        required=True, metadata={"description": "A stable word for programs.", "example": "not_found"}
    )
    errors = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.List(ma.fields.String()),
        metadata={
            "description": "Field path → what is wrong with it.",
            "example": {"name": ["Must not be empty."]},
        },
    )
