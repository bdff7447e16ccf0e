"""The tables of users, their login sessions and recovery codes, and of one-time links."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi.storage.database import Base, Identified, Timestamped
from blogapi.web.access import Role


class Account(Identified, Timestamped, Base):
    """A user. A user without a password digest cannot log in.

    `can_publish` is whether an author may publish their own articles; other roles ignore it. `last_seen` is
    the last use of a login or a key, to the hour. `second_factor_since` is the time at which the second
    factor was turned on, or None if it is off. `second_factor_nonce` is the random text from which the secret
    is derived; the setup stores it. `second_factor_step` is the time step of the last code that was accepted.
    """

    __tablename__ = "account"
    __table_args__ = (CheckConstraint(f"role IN ({', '.join(map(repr, map(str, Role)))})", name="role"),)

    username: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    password_digest: Mapped[str | None] = mapped_column(String(255))
    disabled: Mapped[bool] = mapped_column(default=False, server_default=false())

    can_publish: Mapped[bool] = mapped_column(default=False, server_default=false())
    email: Mapped[str] = mapped_column(String(254), default="", server_default="")
    password_changed: Mapped[datetime | None]
    last_seen: Mapped[datetime | None]
    second_factor_nonce: Mapped[str | None] = mapped_column(String(32))
    second_factor_since: Mapped[datetime | None]
    second_factor_step: Mapped[int | None]

    @property
    def has_password(self) -> bool:
        return self.password_digest is not None


class WebSession(Base):
    """A login session, found by the SHA-256 of the token in its cookie."""

    __tablename__ = "web_session"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
    user_agent: Mapped[str] = mapped_column(default="", server_default="")
    last_used: Mapped[datetime | None]

    account: Mapped[Account] = relationship()

    @property
    def uuid(self) -> UUID:
        """The id with which the user can end the session; the id does not reveal the token."""
        return UUID(self.digest[:32])


class RecoveryCode(Base):
    """The digest of a recovery code, which can be used once instead of a code from the app.

    The row is deleted when the code is used.
    """

    __tablename__ = "recovery_code"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid", ondelete="CASCADE"), index=True)


class LinkKind(StrEnum):
    """The kind of a one-time link: what happens when a person uses the link."""

    SETUP = "setup"
    RESET = "reset"
    INVITATION = "invitation"


class OneTimeLink(Base):
    """A link that works once, found by the SHA-256 of its token.

    A reset link sets the password of `account_id`. A setup link creates the first admin. An invitation
    creates a user with the given role; `name` is the name of their profile, and `account_id` is None.
    """

    __tablename__ = "one_time_link"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("account.uuid", ondelete="CASCADE"), index=True
    )
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(16), default=LinkKind.RESET, server_default=LinkKind.RESET)
    role: Mapped[str | None] = mapped_column(String(16))
    can_publish: Mapped[bool] = mapped_column(default=False, server_default=false())
    name: Mapped[str] = mapped_column(default="", server_default="")
    email: Mapped[str] = mapped_column(String(254), default="", server_default="")
    inviter_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("account.uuid", ondelete="CASCADE"), index=True
    )

    inviter: Mapped[Account | None] = relationship(foreign_keys=[inviter_id])

    @property
    def uuid(self) -> UUID:
        """The id with which admins can revoke the link; the id does not reveal the token."""
        return UUID(self.digest[:32])
