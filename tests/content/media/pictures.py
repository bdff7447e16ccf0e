"""Pictures of the media library as rows without stored files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import delete, select

from blogapi.content.media import affected_items
from blogapi.content.media.addresses import make_copy_path, make_file_path
from blogapi.content.media.models import Media, MediaUse
from blogapi.storage.database import db, transaction

_numbers = count(1)


@dataclass(frozen=True)
class Picture:
    """A stored picture: its uuid, its path and the paths of its renditions."""

    uuid: UUID
    path: str
    renditions: tuple[str, ...]

    @property
    def reference(self) -> str:
        """The reference to the picture by its uuid."""
        return f"media:{self.uuid}"

    @property
    def capitals(self) -> str:
        """The same reference in capitals, as some editors write uuids."""
        return self.reference.upper()

    @property
    def former_hash(self) -> str:
        """The hash of a file that this one would have replaced; the caller stores it."""
        return make_hash(f"former {self.uuid}")

    @property
    def former_path(self) -> str:
        """The path of the file that this one would have replaced."""
        return make_file_path(self.former_hash, "former.jpg")


def add_picture(app: Flask, **fields: Any) -> Picture:
    """Add a picture of 1600 x 1200 pixels with two renditions, unless `is_scalable` is false."""
    number = next(_numbers)
    hashes = {name: make_hash(f"{number} {name}") for name in ("hash", "upload_hash")}
    defaults = {"name": f"cat-{number}.jpg", "type": "image/jpeg", "size": 9, "width": 1600, "height": 1200}
    defaults |= {"is_scalable": True}
    with app.app_context(), transaction():
        media = Media(**defaults | hashes | fields)
        db.session.add(media)
        db.session.flush()
        path = make_file_path(media.hash, media.name)
        return Picture(media.uuid, path, tuple(make_copy_path(path, width) for width in (400, 800)))


def make_hash(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def list_uses(app: Flask, picture: Picture) -> set[tuple[str, UUID, bool]]:
    """Return kind, item and `current` of each use of the picture."""
    with app.app_context():
        columns = MediaUse.kind, MediaUse.item_id, MediaUse.current
        rows = db.session.execute(select(*columns).where(MediaUse.media_id == picture.uuid))
        return {(row.kind, row.item_id, row.current) for row in rows}


def is_unused(app: Flask, picture: Picture) -> bool:
    """Return whether the library regards the picture as unused."""
    with app.app_context():
        return db.session.scalar(select(Media.unused_since).where(Media.uuid == picture.uuid)) is not None


def change_picture(app: Flask, picture: Picture, **fields: Any) -> None:
    """Change fields of the picture, as the library does."""
    with app.app_context():
        affected_items.prerender_articles([picture.uuid])
        with transaction():
            media = db.session.get_one(Media, picture.uuid)
            for name, value in fields.items():
                setattr(media, name, value)
            db.session.flush()
            affected_items.rerender_articles(db.session(), [picture.uuid])


def delete_picture(app: Flask, picture: Picture) -> None:
    """Delete the picture although something uses it, as the library does."""
    with app.app_context():
        affected_items.prerender_articles([picture.uuid])
        with transaction():
            affected_items.remember_items_using_files(db.session(), [picture.uuid])
            db.session.execute(delete(Media).where(Media.uuid == picture.uuid))
            affected_items.rerender_articles(db.session(), [picture.uuid])
