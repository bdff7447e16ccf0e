"""The table of imported files."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base


class ImportedFile(Base):
    """The source file of an article; the digest of its record shows whether the article must be updated.

    `source_digest` is used to recognise the file under another key; it is None until the first import by a
    version that computes it. `root` is the absolute path of the folder below which the key was the path of
    the file, by which the files of two blogs are told apart; it is None if the key is not such a path. There
    is no foreign key: the row is kept when its article is deleted, so that the next import does not create
    the article again.
    """

    __tablename__ = "imported"

    key: Mapped[str] = mapped_column(Text(), primary_key=True)
    article_id: Mapped[UUID]
    digest: Mapped[str] = mapped_column(String(64))
    source_digest: Mapped[str | None] = mapped_column(String(64))
    imported_at: Mapped[datetime]
    root: Mapped[str | None] = mapped_column(Text())
