"""Response bodies of redirects."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.delivery.redirects.custom.service import REDIRECT_STATUSES
from blogapi.delivery.redirects.formats import FORMATS
from blogapi.delivery.redirects.queries import REDIRECT_KINDS
from blogapi.web.fields import Fields, Identifier, OmitNullMixin, OutputSchema, Text, Timestamp
from blogapi.web.pagination import ListQuery


class RedirectSchema(OmitNullMixin, OutputSchema):
    """A former slug or path of an item and its current slug, or a custom redirect."""

    omitted_if_null = frozenset({"old_url", "new_url", "status"})

    kind = ma.fields.String(metadata={"enum": list(REDIRECT_KINDS)})
    old = ma.fields.String(
        metadata={
            "description": "The former slug, or a path, which begins with a slash: the former path of a page "
            "or of an imported article, or the path of a custom redirect.",
            "example": "bread-that-waits",
        }
    )
    new = ma.fields.String(
        metadata={
            "description": "The current slug, or the target of a custom redirect, which is empty if the page "
            "is gone.",
            "example": "the-bread-that-waits-for-me",
        }
    )
    item = Identifier(metadata={"description": "The uuid of the item."})
    article = Identifier(
        allow_none=True, metadata={"description": "The uuid of the item if it is an article, otherwise null."}
    )
    created = Timestamp(dump_only=True)
    old_url = ma.fields.String(
        metadata={
            "description": "The address of the page with the former slug, or with the former path. It is "
            "absent if the site has no `url`.",
            "example": "https://example.org/bread-that-waits/",
        }
    )
    new_url = ma.fields.String(
        metadata={
            "description": "The address of the page with the current slug. It is absent if the site has no "
            "`url`, and if the page is gone.",
            "example": "https://example.org/the-bread-that-waits-for-me/",
        }
    )
    status = ma.fields.Integer(
        metadata={
            "description": "The status of a custom redirect. It is absent for former slugs and paths, which "
            "moved permanently.",
            "enum": list(REDIRECT_STATUSES),
            "example": 301,
        }
    )


class RedirectListQuery(ListQuery):
    """The query parameters of a request for the list of redirects."""

    format = ma.fields.String(
        validate=validate.OneOf(list(FORMATS)),
        metadata={
            "description": "Return the redirects as plain text for a web server, with the paths of pages: a "
            "`_redirects` file (`netlify`), or lines for a `map` block (`nginx`; `nginx-temporary` and "
            "`nginx-gone` have the redirects with 302 and 410).",
            "example": "netlify",
        },
    )
    path = Text(
        max_length=2_048,
        metadata={
            "description": "Return only the redirect from this path, which can be percent-encoded; the list "
            "is empty if there is none.",
            "example": "/2012/05/bread/",
        },
    )

    @ma.validates_schema
    def check_combinations(self, data: Fields, **_: Any) -> None:
        """Refuse meaningless combinations of parameters, and a path that does not begin with a slash."""
        if "format" in data and "fields_" in data:
            raise ma.ValidationError("Cannot be combined with `format`; omit `fields`.", "fields")
        if not data.get("path", "/").startswith("/"):
            raise ma.ValidationError("Must begin with a slash.", "path")
        if "path" in data and (others := {"format", "page", "page_size"} & set(data)):
            raise ma.ValidationError("Cannot be combined with `path`; omit one of the two.", min(others))
