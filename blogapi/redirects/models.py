"""Table of former slugs."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.core import clock
from blogapi.core.database import Base


class FormerSlug(Base):
    """A slug that a public article once had; no other article has it now."""

    __tablename__ = "former_slug"

    slug: Mapped[str] = mapped_column(primary_key=True)
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime] = mapped_column(default=lambda: clock.now())
