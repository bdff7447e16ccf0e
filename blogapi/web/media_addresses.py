"""Fields that contain the address of a picture, which can be a file of the media library.

Such an address is stored as `/media/<hash>/<name>`. A response shows it below the address of the service, if
that is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar
from uuid import UUID

import marshmallow as ma
from sqlalchemy.orm import Mapped

from blogapi.web.fields import WebAddress, is_web_address
from blogapi.web.json_fragments import (
    SERVICE_ADDRESS,
    SERVICE_ADDRESS_MARK,
    mark_service_address,
    place_service_address,
)

PREFIX = "/media/"
# The pattern of the path of a file without its name.
HASH_PREFIX = rf"{PREFIX}([0-9a-f]{{64}})/"
# Matches the path of a file; the name is the last part.
PATH = re.compile(rf"{HASH_PREFIX}([^/?#\s\"'<>]+)")

# Matches an address that can refer to a file.
_REFERENCE = re.compile(rf"media:|https?://.*{HASH_PREFIX}", re.IGNORECASE)

# Returns the stored form of an address, or None if it refers to an unknown file.
Normalize = Callable[[str], str | None]

# Stores the pictures of an item of a kind, of which some can be files.
StoreUses = Callable[[str, UUID, Collection[str]], None]

_normalizers: list[Normalize] = []
_service_addresses: list[Callable[[], str]] = []
_use_writers: list[StoreUses] = []


class ShowsPictures:
    """Mixin for models with fields that contain the address of a picture."""

    kind: str
    uuid: Mapped[UUID]
    picture_fields: ClassVar[tuple[str, ...]] = ()

    def list_pictures(self) -> Sequence[str]:
        """Return the addresses of the pictures, of which some can be empty."""
        return [getattr(self, name) or "" for name in self.picture_fields]


def register_library(
    normalize: Normalize, get_service_address: Callable[[], str], store_uses: StoreUses
) -> None:
    """Set the functions that look up files and store their uses, and the address of the service or ""."""
    _normalizers[:] = [normalize]
    _service_addresses[:] = [get_service_address]
    _use_writers[:] = [store_uses]


def store_uses(item: ShowsPictures, former: Sequence[str], pictures: Sequence[str]) -> None:
    """Store which files of the library the item shows, if a write has changed them."""
    if former != pictures and any(PATH.fullmatch(picture) for picture in (*former, *pictures)):
        _use_writers[0](item.kind, item.uuid, pictures)


def mark_address(address: str) -> str:
    """Return the address with SERVICE_ADDRESS_MARK in front of it if it is the path of a file."""
    return f"{SERVICE_ADDRESS_MARK}{address}" if PATH.fullmatch(address) else address


def complete_json(text: str) -> bytes:
    """Return JSON with the address of the service in the places of SERVICE_ADDRESS_MARK."""
    return complete_body(mark_service_address(text).encode())


def complete_body(body: bytes) -> bytes:
    """Return JSON with the address of the service in the places of SERVICE_ADDRESS.

    The address is looked up only if there are such places.
    """
    if SERVICE_ADDRESS.encode() not in body:
        return body
    return place_service_address(body, _service_addresses[0]() if _service_addresses else "")


class PictureReference(WebAddress):
    """The address of a picture: any web address, or a reference to a file of the media library.

    A reference is `media:<uuid>` or `/media/<hash>/<name>`, alone or below the address of the service.
    """

    def __init__(self, **options: Any) -> None:
        metadata = options.pop("metadata", {})
        described = f"{metadata.get('description', 'URL of a picture.')} `media:` and the uuid of a file "
        super().__init__(
            metadata={**metadata, "description": f"{described}of the media library is a URL too."}, **options
        )

    def check_address(self, address: str) -> str:
        """Return the stored form of the address."""
        if not _REFERENCE.match(address) or not _normalizers:
            return super().check_address(address)
        if address[:6].lower() != "media:" and not is_web_address(address):
            return super().check_address(address)
        normalized = _normalizers[0](address)
        if normalized is None:
            raise ma.ValidationError(
                "There is no such file in the media library; GET /api/v1/blog/media/ lists the files."
            )
        return normalized


class PictureAddress(ma.fields.String):
    """The address of a picture in a response."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> Any:
        return mark_address(value) if isinstance(value, str) else value
