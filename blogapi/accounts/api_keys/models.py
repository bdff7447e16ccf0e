"""The table of API keys."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi import clock
from blogapi.accounts.users.models import Account
from blogapi.storage.database import Base, Identified
from blogapi.web.access import INCLUDED_SCOPES, Scope


class ApiKey(Identified, Base):
    """An API key: the SHA-256 of its value, its widest scope, and its owner (None: an anonymous key)."""

    __tablename__ = "api_key"
    __table_args__ = (
        CheckConstraint("scope IN ('published', 'read', 'drafts', 'write')", name="scope"),
        CheckConstraint("owner_id IS NOT NULL OR scope = 'published'", name="anonymous"),
    )

    digest: Mapped[str] = mapped_column(String(64), unique=True)
    prefix: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(default="")
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)
    scope: Mapped[Scope] = mapped_column(String(16))
    created: Mapped[datetime] = mapped_column(default=lambda: clock.now())
    expires: Mapped[datetime | None]
    last_used: Mapped[datetime | None]

    owner: Mapped[Account | None] = relationship()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scope of the key and the scopes that it includes, narrowest first."""
        return INCLUDED_SCOPES[self.scope]
