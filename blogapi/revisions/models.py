"""Table of former versions."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from blogapi.core.database import Base


class ArticleRevision(Base):
    """A former version of an article: who wrote it, when, and all that was written, as JSON.

    It outlives its article, so that a deletion can be undone; hence no foreign key.
    """

    __tablename__ = "article_revision"

    article_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    author_id: Mapped[UUID]
    user_id: Mapped[UUID]
    created: Mapped[datetime]
    content: Mapped[str]
