"""Table of categories."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.core.database import (
    Base,
    Identified,
    Timestamped,
    long_text,
    name_string,
    slug_string,
    url_string,
)


class Category(Identified, Timestamped, Base):
    """A category; an article stands in exactly one."""

    __tablename__ = "category"

    name: Mapped[name_string]
    description: Mapped[long_text | None]
    cover_image: Mapped[url_string] = mapped_column(default="")
    slug: Mapped[slug_string] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)
