"""Table of API keys."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi.api_keys import rules
from blogapi.core import clock
from blogapi.core.database import Base, Identified
from blogapi.users.models import Account


class ApiKey(Identified, Base):
    """A key: the digest of its value, and who it belongs to (nobody: ownerless, it reads)."""

    __tablename__ = "api_key"
    __table_args__ = (CheckConstraint("scope IN ('read', 'write')", name="scope"),)

    digest: Mapped[str] = mapped_column(String(64), unique=True)
    prefix: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(default="")
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)
    scope: Mapped[str] = mapped_column(String(8), default="read")
    created: Mapped[datetime] = mapped_column(default=lambda: clock.now())
    expires: Mapped[datetime | None]
    last_used: Mapped[datetime | None]

    owner: Mapped[Account | None] = relationship()

    @property
    def scopes(self) -> frozenset[str]:
        """Return the scopes as a set; to write includes to read."""
        return rules.scopes(self.scope)

    @property
    def scopes_in_order(self) -> list[str]:
        """Return the scopes as they are shown; a set has another order in each process."""
        return sorted(self.scopes)
