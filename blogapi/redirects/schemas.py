"""Response bodies of redirects."""

from __future__ import annotations

import marshmallow as ma

from blogapi.web.fields import FieldNames, Identifier, OutputSchema, PartialOutputSchema, Timestamp
from blogapi.web.pagination import ListQuery


class _RedirectFields(ma.Schema):
    old = ma.fields.String(metadata={"example": "bread-that-waits"})
    new = ma.fields.String(metadata={"example": "the-bread-that-waits-for-me"})
    article = Identifier()
    created = Timestamp(dump_only=True)


class RedirectSchema(_RedirectFields, OutputSchema):
    """A former slug of an article and its current slug."""


class RedirectFieldsSchema(_RedirectFields, PartialOutputSchema):
    """A redirect with the requested fields."""


class RedirectListQuery(ListQuery):
    """The query parameters of a request for the list of redirects."""

    fields_ = FieldNames(RedirectFieldsSchema)
