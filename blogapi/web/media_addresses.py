"""Fields that contain the address of a picture, which can be a file of the media library.

The address of such a file is stored as the path `/media/<hash>/<name>`. In a response, the address of the
service precedes the path, if that address is known. `blogapi.content.dependencies` sets the media library.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Protocol
from uuid import UUID

import marshmallow as ma
from sqlalchemy.orm import Mapped

from blogapi.config import AppState
from blogapi.parsing import is_web_address
from blogapi.web.fields import WebAddress

MEDIA_PREFIX = "/media/"
# The pattern of the path of a file in the media library, up to the name.
FILE_PREFIX = rf"{MEDIA_PREFIX}([0-9a-f]{{64}})/"
# Matches the path of a file; the name is the last part.
FILE_PATH = re.compile(rf"{FILE_PREFIX}([^/?#\s\"'<>]+)")

# Matches an address that may refer to a file of the media library.
_REFERENCE = re.compile(rf"media:|https?://.*{FILE_PREFIX}", re.IGNORECASE)


class MediaLibrary(Protocol):
    """The functions of the media library; `media.library` implements them."""

    def normalize_address(self, address: str) -> str | None:
        """Return the stored form of an address, or None if it refers to an unknown file."""

    def find_picture_size(self, path: str) -> tuple[int, int] | None:
        """Return the width and the height of the picture with this path, or None if they are unknown."""

    def get_service_url(self) -> str:
        """Return the address of the service, which may be empty."""

    def store_item_uses(self, kind: str, item: UUID, paths: Collection[str]) -> None:
        """Store which files an item shows; addresses outside the media library are ignored."""

    def prerender_articles_with_files(self) -> None:
        """Render articles that show files, before the transaction that changes the address of the service."""

    def rerender_articles_with_files(self) -> None:
        """Rerender all articles that show files, after the address of the service has changed."""


MEDIA_LIBRARY = AppState[MediaLibrary]("media-library")


class PictureFieldsMixin:
    """Mixin for models with fields that contain the address of a picture."""

    kind: str
    uuid: Mapped[UUID]
    picture_fields: ClassVar[tuple[str, ...]] = ()

    def list_pictures(self) -> Sequence[str]:
        """Return the addresses of the pictures; an address can be empty."""
        return [getattr(self, name) or "" for name in self.picture_fields]


def store_file_uses(item: PictureFieldsMixin, old_pictures: Sequence[str], pictures: Sequence[str]) -> None:
    """Store which files of the library the item shows, unless the pictures are unchanged."""
    if old_pictures != pictures and any(FILE_PATH.fullmatch(path) for path in (*old_pictures, *pictures)):
        MEDIA_LIBRARY.get().store_item_uses(item.kind, item.uuid, pictures)


def add_service_url(address: str) -> str:
    """Return the address, preceded by the address of the service if it is the path of a file."""
    return f"{MEDIA_LIBRARY.get().get_service_url()}{address}" if FILE_PATH.fullmatch(address) else address


class PictureReference(WebAddress):
    """The address of a picture: any web address, or a reference to a file of the media library.

    A reference is `media:<uuid>`, or `/media/<hash>/<name>` with or without the address of the service.
    """

    def __init__(self, **options: Any) -> None:
        metadata = options.pop("metadata", {})
        described = metadata.get("description", "URL of a picture.")
        super().__init__(
            metadata={**metadata, "description": f"{described} Or `media:` and the uuid of a file."},
            **options,
        )

    def check_address(self, address: str) -> str:
        """Return the stored form of the address."""
        has_uuid = address[:6].lower() == "media:"
        if not _REFERENCE.match(address) or not (has_uuid or is_web_address(address)):
            return super().check_address(address)
        normalized = MEDIA_LIBRARY.get().normalize_address(address)
        if normalized is None:
            raise ma.ValidationError(
                "There is no such file in the media library; GET /api/v1/blog/media/ lists the files."
            )
        return normalized


class PictureAddress(ma.fields.String):
    """The address of a picture in a response."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> Any:
        return add_service_url(value) if isinstance(value, str) else value
