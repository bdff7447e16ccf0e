"""Table of preview links."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from blogapi import clock
from blogapi.storage.database import Base, Identified


class Preview(Identified, Base):
    """A preview link to one article: the digest of its token, its expiry and the user who created it."""

    __tablename__ = "preview"

    digest: Mapped[str] = mapped_column(String(64), unique=True)
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), index=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime] = mapped_column(default=lambda: clock.now())
    expires: Mapped[datetime] = mapped_column(index=True)
