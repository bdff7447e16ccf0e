"""The functions of the media library for fields with picture addresses (`web.media_addresses.Library`)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select

from blogapi.content.media import hooks, uses
from blogapi.content.media.file_references import find_used_files
from blogapi.content.media.file_references import normalize_address as normalize_address
from blogapi.content.media.models import Media
from blogapi.site.queries import get_service_url as get_service_url
from blogapi.storage.database import chunk, db
from blogapi.web.stored_json import store_json, stored_models


def store_item_uses(kind: str, item: UUID, paths: Collection[str]) -> None:
    """Store which files an item shows; paths that are not paths of files are ignored."""
    uses.replace_uses(db.session(), kind, {item: find_used_files(paths).values()})


def refresh_json_with_pictures() -> None:
    """Update the stored JSON of all items that show files, after the address of the service has changed."""
    session = db.session()
    for model in stored_models():
        for some in chunk(session.scalars(select(model.uuid)).all()):
            store_json(session, *session.scalars(select(model).where(model.uuid.in_(some))))
    for some in chunk(session.scalars(select(Media.uuid)).all()):
        hooks.notify(session, some)
