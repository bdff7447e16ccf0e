"""The tables of users and their login sessions."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi.storage.database import Base, Identified, Timestamped
from blogapi.web.access import Role as Role


class Account(Identified, Timestamped, Base):
    """A user; without a password digest they cannot log in.

    `can_publish` is whether an author may publish their own articles; other roles ignore it.
    """

    __tablename__ = "account"
    __table_args__ = (CheckConstraint(f"role IN ({', '.join(map(repr, map(str, Role)))})", name="role"),)

    username: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    password_digest: Mapped[str | None] = mapped_column(String(255))
    disabled: Mapped[bool] = mapped_column(default=False, server_default=false())

    can_publish: Mapped[bool] = mapped_column(default=False, server_default=false())

    @property
    def has_password(self) -> bool:
        """Return whether the user has a password."""
        return self.password_digest is not None


class WebSession(Base):
    """A login session, found by the SHA-256 of the token in its cookie."""

    __tablename__ = "web_session"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
    user_agent: Mapped[str] = mapped_column(default="", server_default="")

    account: Mapped[Account] = relationship()

    @property
    def uuid(self) -> UUID:
        """Return the id by which the user can end the session. It does not reveal the token."""
        return UUID(self.digest[:32])


class OneTimeLink(Base):
    """A link that works once, found by the SHA-256 of its token.

    It sets the password of `account_id`, or creates the first admin if there is no account.
    """

    __tablename__ = "one_time_link"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("account.uuid", ondelete="CASCADE"), index=True
    )
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
