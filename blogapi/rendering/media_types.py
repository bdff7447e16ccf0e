"""The types of files that every media library accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type, the extension of its files, and whether browsers show it as a picture.

    Files that are not images are served as downloads.
    """

    name: str
    extension: str
    is_image: bool = False


_TYPES = (
    MediaType("image/jpeg", "jpg", is_image=True),
    MediaType("image/png", "png", is_image=True),
    MediaType("image/gif", "gif", is_image=True),
    MediaType("image/webp", "webp", is_image=True),
    MediaType("image/avif", "avif", is_image=True),
    MediaType("image/svg+xml", "svg", is_image=True),
    MediaType("application/pdf", "pdf"),
    MediaType("audio/mpeg", "mp3"),
    MediaType("audio/mp4", "m4a"),
    MediaType("audio/ogg", "ogg"),
    MediaType("audio/wav", "wav"),
    MediaType("audio/flac", "flac"),
)


TYPES_BY_NAME: Mapping[str, MediaType] = {type.name: type for type in _TYPES}


TYPES_BY_EXTENSION: Mapping[str, MediaType] = {type.extension: type for type in _TYPES}
