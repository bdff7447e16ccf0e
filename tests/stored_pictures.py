"""Pictures in the media library of a test's blog, stored without the process that checks uploads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from uuid import UUID

from flask import Flask

from blogapi.content.articles import queries
from blogapi.content.articles.writing.derived_columns import rerender_articles
from blogapi.content.media import uses
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import Media, MediaPath
from blogapi.content.media.stored_files import StoredFile, read_stored_files
from blogapi.storage.database import db, transaction
from tests.pictures import make_picture


def store_picture(app: Flask, colour: str) -> Media:
    """Store a PNG picture with the name of its colour."""
    content = make_picture(colour)
    hash = get_hash(content)
    media = Media(
        name=f"{colour}.png",
        type="image/png",
        size=len(content),
        hash=hash,
        upload_hash=hash,
        width=40,
        height=30,
    )
    with app.app_context(), get_folder().create_temporary_file() as path:
        path.write_bytes(content)
        with transaction():
            db.session.add(media)
            db.session.flush()
            get_folder().place_file(path, hash, "png")
    return media


def add_paths(article_id: UUID, paths: Mapping[str, UUID]) -> None:
    """Let paths in an article stand for files, as an import does."""
    with transaction():
        db.session.add_all(MediaPath(article_id=article_id, path=one, media_id=paths[one]) for one in paths)
        db.session.flush()
        uses.mark_files_used(db.session(), [*paths.values()])
        rerender_articles(db.session(), [*queries.find_articles([article_id], with_html=True).values()])


def get_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def list_stored_files(app: Flask) -> Sequence[StoredFile]:
    """Return the files that the library refers to, ordered by their labels."""
    with app.app_context():
        found = read_stored_files(db.session.connection())
        db.session.remove()
        return sorted(found, key=lambda file: file.label)
