"""Queries for imported files."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from blogapi.storage.database import db
from blogapi.transfer.models import ImportedFile


def get_source_digests(keys: Sequence[str] | None = None) -> dict[str, str | None]:
    """Return the source digests of the imported files with these keys (None: of all), by key.

    A file that was imported by an older version has no source digest.
    """
    statement = select(ImportedFile.key, ImportedFile.source_digest)
    rows = db.session.execute(statement if keys is None else statement.where(ImportedFile.key.in_(keys)))
    return {row.key: row.source_digest for row in rows}
