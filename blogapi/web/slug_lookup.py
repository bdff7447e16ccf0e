"""Reads of items by slug; a former slug is redirected to the path with the current slug."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import quote
from uuid import UUID

from flask import Response, request
from werkzeug.routing import BaseConverter

from blogapi.parsing import parse_uuid
from blogapi.rendering.slugs import is_slug
from blogapi.web.errors import NotFound

# A malformed id becomes the nil UUID. No item has this UUID, so the lookup raises NotFound.
NIL_UUID = UUID(int=0)

View = Callable[..., Any]


class IdConverter(BaseConverter):
    """Converts the id in a path.

    It accepts any single segment, so that a malformed id without credentials gets 401 rather than 404.
    """

    def to_python(self, value: str) -> UUID:
        """Return the UUID, or the nil UUID for a malformed id."""
        return parse_uuid(value) or NIL_UUID


class ReferenceConverter(BaseConverter):
    """Converts the uuid or slug in the path of a read; it accepts any single segment."""

    def to_python(self, value: str) -> UUID | str:
        """Return the UUID, or the text if it is not a UUID."""
        return parse_uuid(value) or value


@dataclass(frozen=True, slots=True)
class SlugOwner:
    """The item that has or had a slug: its uuid and its current slug."""

    uuid: UUID
    slug: str


def choose_owner(rows: Iterable[Any], slug: str) -> SlugOwner | None:
    """Return the item of the rows (uuid, current slug) that has or had the slug; None if there are no rows.

    An item with this current slug takes precedence over an item that had the slug before.
    """
    owners = [SlugOwner(uuid, current) for uuid, current in rows]
    return min(owners, key=lambda owner: owner.slug != slug, default=None)


def accept_slugs(find_owner: Callable[[str], SlugOwner | None]) -> Callable[[View], View]:
    """Let a view that reads the item with the uuid `id` also accept the current or a former slug.

    A uuid takes precedence over a slug that looks like a uuid. The view gets the uuid that `find_owner`
    returns for the slug. If the slug is a former one, the response is a redirect, but only if the caller may
    read the item.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def with_slug(*args: Any, id: UUID | str, **kwargs: Any) -> Any:
            if isinstance(id, UUID):
                try:
                    return view(*args, id=id, **kwargs)
                except NotFound:
                    owner = find_owner(str(id))
                    if owner is None:
                        raise
            else:
                owner = find_owner(id) if is_slug(id) else None
            # An unknown slug executes the same statements as the slug of an item that the caller may not see.
            result = view(*args, id=owner.uuid if owner else NIL_UUID, **kwargs)
            return result if owner is None or owner.slug == str(id) else _redirect(owner.slug)

        with_slug.__dict__["accepts_slugs"] = True
        return with_slug

    return decorate


def _redirect(slug: str) -> Response:
    """Return the redirect from a former slug, which is the last segment of the path, to the current one."""
    folder = request.path.rstrip("/").rpartition("/")[0]
    # The query string is already percent-encoded, except for characters that a client sent without encoding.
    query = quote(request.query_string, safe=string.punctuation)
    location = f"{folder}/{quote(slug)}/{'?' if query else ''}{query}"
    return Response(status=308, headers={"Location": location})
