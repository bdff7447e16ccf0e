"""Rows of the media library without stored files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count
from typing import Any
from uuid import UUID

from flask import Flask

from blogapi.content.media.models import Media, MediaUse
from blogapi.storage.database import db, transaction

MEDIA = "/api/v1/blog/media/"

# The fields of a picture with renditions.
SCALABLE = {"width": 900, "height": 600, "is_scalable": True}

_numbers = count(1)


def add_media(app: Flask, *, uses: Sequence[tuple[str, UUID]] = (), **fields: Any) -> UUID:
    """Add the rows of an image; `uses` are the kinds and uuids of the items that use it. Return its uuid."""
    number = next(_numbers)
    defaults = {"name": f"picture-{number}.png", "type": "image/png", "size": 100, "width": 40, "height": 30}
    hashes = {name: make_hash(f"{number} {name}") for name in ("hash", "upload_hash")}
    with app.app_context(), transaction():
        media = Media(**(defaults | hashes | fields))
        db.session.add(media)
        db.session.flush()
        for kind, item_id in uses:
            db.session.add(MediaUse(media_id=media.uuid, kind=kind, item_id=item_id, current=True))
        return media.uuid


def make_hash(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
