"""Wire shape of redirects."""

from __future__ import annotations

import marshmallow as ma

from blogapi.core.paging import ListQuery
from blogapi.core.schema import FieldNames, Identifier, Shown, Timestamp, Trimmed


class _RedirectFields(ma.Schema):
    old = ma.fields.String(metadata={"example": "bread-that-waits"})
    new = ma.fields.String(metadata={"example": "the-bread-that-waits-for-me"})
    article = Identifier()
    created = Timestamp(dump_only=True)


class RedirectSchema(_RedirectFields, Shown):
    """A former slug of an article and its present one."""


class RedirectFieldsSchema(_RedirectFields, Trimmed):
    """A redirect in the fields asked for."""


class RedirectListQuery(ListQuery):
    """The query string of the list of redirects."""

    fields_ = FieldNames(RedirectFieldsSchema)
