"""The table of the articles that users have open."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base


class OpenArticle(Base):
    """When a user last had an article open in the editor; rows are deleted soon after that."""

    __tablename__ = "open_article"

    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("account.uuid", ondelete="CASCADE"), primary_key=True, index=True
    )
    seen: Mapped[datetime] = mapped_column(index=True)
