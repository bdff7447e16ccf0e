"""Reads of items by slug; a request with a former slug is redirected to the current slug."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

from flask import Response, request
from werkzeug.routing import BaseConverter

from blogapi.parsing import parse_uuid
from blogapi.rendering.slugs import is_slug
from blogapi.web.errors import NotFound
from blogapi.web.operation import View, set_declarations


class MalformedId(str):
    """A path segment that is not a valid id; `check_ids` refuses it before a view is called."""

    __slots__ = ()


class IdConverter(BaseConverter):
    """Converts the id in a path.

    The converter accepts any single segment, so that a request with a malformed id but without credentials
    gets 401, as with a valid id, and not 404.
    """

    def to_python(self, value: str) -> UUID | MalformedId:
        """Return the UUID, or a MalformedId if the text is not a UUID."""
        return parse_uuid(value) or MalformedId(value)


def check_ids(values: Mapping[str, Any]) -> None:
    """Raise NotFound if one of the values of a path is a malformed id."""
    if any(isinstance(value, MalformedId) for value in values.values()):
        raise NotFound("The id in the path is not a UUID; send the uuid of the item, not its slug.")


class ReferenceConverter(BaseConverter):
    """Converts the uuid or slug in the path of a read; any single segment is accepted."""

    def to_python(self, value: str) -> UUID | str:
        """Return the UUID, or the slug, or a MalformedId if the text is neither."""
        return parse_uuid(value) or (value if is_slug(value) else MalformedId(value))


@dataclass(frozen=True, slots=True)
class SlugOwner:
    """The item that has or had a slug: its uuid and its current slug."""

    uuid: UUID
    slug: str


def choose_slug_owner(rows: Iterable[Any], slug: str) -> SlugOwner | None:
    """Return the item of the rows (uuid, current slug) that has or had the slug; None if there are no rows.

    An item with this current slug takes precedence over an item that had the slug before.
    """
    owners = [SlugOwner(uuid, current) for uuid, current in rows]
    return min(owners, key=lambda owner: owner.slug != slug, default=None)


def accept_slugs(find_owner: Callable[[str], SlugOwner | None]) -> Callable[[View], View]:
    """Let a view that reads the item with the uuid `id` also accept the current or a former slug.

    A uuid takes precedence over a slug that looks like a uuid. The view gets the uuid that `find_owner`
    returns for the slug. For a former slug, the response is a redirect, but only if the caller may read the
    item.
    """
    return set_declarations(find_owner=find_owner)


def read_item_by_reference(
    read: Callable[..., Any], reference: UUID | str, find_owner: Callable[[str], SlugOwner | None]
) -> tuple[Any, UUID]:
    """Return the result of `read`, or a redirect, and the uuid of the item; see `accept_slugs`."""
    if isinstance(reference, UUID):
        try:
            return read(id=reference), reference
        except NotFound:
            owner = find_owner(str(reference))
            if owner is None:
                raise
    else:
        owner = find_owner(reference)
    # For an unknown slug, the view looks for a random uuid, which no item has. Therefore, the response
    # takes as long as for the slug of an item that the caller may not see.
    uuid = owner.uuid if owner else uuid4()
    result = read(id=uuid)
    return result if owner is None or owner.slug == str(reference) else _redirect_to_slug(owner.slug), uuid


def _redirect_to_slug(slug: str) -> Response:
    """Return a redirect that replaces the last segment of the path, a former slug, with `slug`."""
    folder = request.path.rstrip("/").rpartition("/")[0]
    # The query string is already percent-encoded, except for characters that a client sent without encoding.
    query = quote(request.query_string, safe=string.punctuation)
    location = f"{folder}/{quote(slug)}/{'?' if query else ''}{query}"
    return Response(status=308, headers={"Location": location})
