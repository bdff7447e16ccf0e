"""Pictures in the media library of a test's blog, stored without the process that checks uploads."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from flask import Flask

from blogapi.media.folder import get_folder
from blogapi.media.models import Media, MediaRendition
from blogapi.media.stored_files import StoredFile, read_stored_files
from blogapi.storage.database import Base, db, transaction
from tests.pictures import make_picture


def store_picture(app: Flask, colour: str) -> Media:
    """Store a small PNG picture in the library; the colour is its name."""
    content = make_picture(colour, "PNG", (40, 30))
    digest = hashlib.sha256(content).hexdigest()
    media = Media(
        name=f"{colour}.png",
        type="image/png",
        size=len(content),
        hash=digest,
        upload_hash=digest,
        width=40,
        height=30,
    )
    _store(app, media, content, digest, "png")
    return media


def store_rendition(app: Flask, media: Media, colour: str) -> None:
    """Store a small WebP picture as a rendition of the file."""
    content = make_picture(colour, "WEBP", (4, 3))
    digest = hashlib.sha256(content).hexdigest()
    rendition = MediaRendition(media_id=media.uuid, width=4, height=3, size=len(content), hash=digest)
    _store(app, rendition, content, digest, "webp")


def list_stored_files(app: Flask) -> Sequence[StoredFile]:
    """Return the files that the library refers to, ordered by their labels."""
    with app.app_context():
        found = read_stored_files(db.session.connection())
        db.session.remove()
        return sorted(found, key=lambda file: file.label)


def _store(app: Flask, row: Base, content: bytes, digest: str, extension: str) -> None:
    with app.app_context():
        folder = get_folder()
        with folder.temporary_file() as path:
            path.write_bytes(content)
            with transaction():
                db.session.add(row)
                db.session.flush()
                folder.place(path, digest, extension)
