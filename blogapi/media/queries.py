"""Queries for media."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import func, or_, select, union
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


def find_stored(hash: str) -> Media | None:
    """Return the file whose stored bytes have this SHA-256, or None."""
    return db.session.scalars(select(Media).where(Media.hash == hash)).first()


def list_referenced(hashes: Collection[str]) -> set[str]:
    """Return those of the hashes that belong to a file or a rendition."""
    columns = (Media.hash, MediaRendition.hash)
    return set(db.session.scalars(union(*(select(column).where(column.in_(hashes)) for column in columns))))


def sum_sizes() -> int:
    """Return the size of all files and renditions, in bytes."""
    sums = (select(func.coalesce(func.sum(size), 0)) for size in (Media.size, MediaRendition.size))
    first, second = (statement.scalar_subquery() for statement in sums)
    return int(db.session.scalar(select(first + second)) or 0)
