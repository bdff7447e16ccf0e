"""Queries for media."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.orm import selectinload

from blogapi.media.models import Media, MediaRendition
from blogapi.storage.database import db


def find_media(uuids: Collection[UUID], hashes: Collection[str]) -> Sequence[Media]:
    """Return the files with these uuids or hashes, with their renditions; a rendition's hash counts too."""
    if not uuids and not hashes:
        return []
    of_renditions = select(MediaRendition.media_id).where(MediaRendition.hash.in_(hashes))
    statement = select(Media).where(
        or_(Media.uuid.in_(uuids), Media.hash.in_(hashes), Media.uuid.in_(of_renditions))
    )
    return db.session.scalars(statement.options(selectinload(Media.renditions))).all()


def find_upload(upload_hash: str) -> Media | None:
    """Return the file that was stored for an upload with this SHA-256, or None."""
    return db.session.scalars(select(Media).where(Media.upload_hash == upload_hash).limit(1)).first()
