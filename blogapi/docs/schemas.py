"""The error body, as a schema for the OpenAPI document."""

from __future__ import annotations

from typing import get_args

import marshmallow as ma

from blogapi.web.errors import Code


class ProblemSchema(ma.Schema):
    """An error (RFC 9457): what is wrong and what to do about it."""

    type = ma.fields.String(required=True, metadata={"example": "about:blank"})
    title = ma.fields.String(required=True, metadata={"example": "Not Found"})
    status = ma.fields.Integer(required=True, metadata={"example": 404})
    detail = ma.fields.String(required=True, metadata={"description": "What is wrong, and what to do next."})
    code = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf(get_args(Code)),
        metadata={"description": "A stable error code for programs.", "example": "not_found"},
    )
    errors = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.List(ma.fields.String()),
        metadata={
            "description": "Invalid fields or parameters, each with a list of messages.",
            "example": {"name": ["Must not be empty."]},
        },
    )
