"""Implements `web.media_addresses.MediaLibrary`, the media library for fields with picture addresses."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select

from blogapi.content.media import affected_items, uses
from blogapi.content.media.addresses import parse_copy_format, scale_height
from blogapi.content.media.file_references import find_files_at
from blogapi.content.media.file_references import normalize_address as normalize_address
from blogapi.content.media.models import Media
from blogapi.site.queries import get_service_url as get_service_url
from blogapi.storage.database import db


def find_picture_size(path: str) -> tuple[int, int] | None:
    """Return the width and the height of the picture with this path, or None if they are unknown."""
    file = next(iter(find_files_at([path]).values()), None)
    if not (file and file.width and file.height):
        return None
    copy_format = parse_copy_format((file.find_new_path(path) or path).rpartition("/")[2])
    # Other addresses of copies lead to the picture itself.
    if copy_format and file.is_scalable and copy_format.width < file.width:
        return copy_format.width, scale_height(file.width, file.height, copy_format.width)
    return file.width, file.height


def store_item_uses(kind: str, item: UUID, paths: Collection[str]) -> None:
    """Store which files an item shows; paths at which the library has no file are ignored."""
    uses.replace_uses(db.session(), kind, {item: find_files_at(paths).values()})


def prerender_articles_with_files() -> None:
    """Render articles that show files, before the transaction that changes the address of the service."""
    affected_items.prerender_articles(db.session.scalars(select(Media.uuid)).all())


def rerender_articles_with_files() -> None:
    """Rerender all articles that show files, after the address of the service has changed."""
    affected_items.rerender_articles(db.session(), db.session.scalars(select(Media.uuid)).all())
