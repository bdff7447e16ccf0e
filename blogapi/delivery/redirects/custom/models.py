"""The table of custom redirects."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base, Identified, Timestamped, bytewise

GONE = 410
STATUSES = (301, 302, GONE)


class CustomRedirect(Identified, Timestamped, Base):
    """A redirect from a path, which is decoded and begins with a slash, to a target.

    `target` is a path or an absolute address, percent-encoded; it is empty if the page is gone.
    """

    __tablename__ = "redirect"
    __table_args__ = (
        CheckConstraint("status IN (301, 302, 410)", name="status"),
        CheckConstraint("(status = 410) = (target = '')", name="target"),
    )

    path: Mapped[str] = mapped_column(Text(), unique=True)
    target: Mapped[str] = mapped_column(Text(), default="")
    status: Mapped[int]


# In PostgreSQL, the index of the constraint has another order than the list of redirects.
Index("ix_redirect_order", bytewise(CustomRedirect.path)).ddl_if(dialect="postgresql")
