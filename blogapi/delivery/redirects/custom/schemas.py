"""Request and response bodies of custom redirects."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.delivery.redirects.custom.service import REDIRECT_STATUSES
from blogapi.delivery.redirects.custom.targets import parse_target
from blogapi.site.paths import extract_former_path
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, Text, Timestamp
from blogapi.web.pagination import ListQuery

_STATUS_METADATA = {"description": "301 (permanent), 302 (temporary) or 410 (gone).", "example": 301}
_PATH_METADATA = {"description": "The path that is redirected.", "example": "/old/"}
_TARGET_METADATA = {
    "description": "A path of the site or an absolute address; empty if the page is gone.",
    "example": "/new/",
}


class _RedirectPath(Text):
    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options).strip()
        path = extract_former_path(text)
        if path is None or not text.startswith("/"):
            suggestion = path or extract_former_path(f"/{text}") or "/old/page.html"
            raise ma.ValidationError(
                f"Not a path such as {suggestion}: it begins with one slash and has no query or fragment."
            )
        return path


class _RedirectTarget(Text):
    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        target = parse_target(text)
        if target is None and text.strip():
            raise ma.ValidationError(
                "Neither a path such as /new/ nor an address that begins with https:// or http://."
            )
        return target or ""


class CustomRedirectSchema(OutputSchema):
    """A redirect that an admin has created."""

    uuid = Identifier()
    path = ma.fields.String(metadata=_PATH_METADATA)
    target = ma.fields.String(metadata=_TARGET_METADATA)
    status = ma.fields.Integer(metadata={**_STATUS_METADATA, "enum": list(REDIRECT_STATUSES)})
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)


class CustomRedirectBodySchema(InputSchema):
    """The fields of a redirect that a client writes."""

    read_only = frozenset({"uuid", "created", "last_updated"})

    path = _RedirectPath(max_length=2_000, required=True, metadata=_PATH_METADATA)
    target = _RedirectTarget(max_length=2_000, load_default="", metadata=_TARGET_METADATA)
    status = ma.fields.Integer(
        strict=True, validate=validate.OneOf(REDIRECT_STATUSES), load_default=301, metadata=_STATUS_METADATA
    )


class CustomRedirectListQuery(ListQuery):
    """The query parameters of a request for the list of custom redirects."""

    q = Text(
        max_length=200, metadata={"description": "A part of the path or of the target.", "example": "old"}
    )
