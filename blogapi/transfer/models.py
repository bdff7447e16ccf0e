"""The table of imported files."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi.articles.models import Article
from blogapi.storage.database import Base


class ImportedFile(Base):
    """The source file of an imported article. The digest of its record shows whether the file has changed."""

    __tablename__ = "imported"

    key: Mapped[str] = mapped_column(Text(), primary_key=True)
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64))
    imported_at: Mapped[datetime]

    article: Mapped[Article] = relationship()
