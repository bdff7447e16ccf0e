"""Table of categories."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base
from blogapi.taxonomies.models import Term


class Category(Term, Base):
    """A category; an article belongs to exactly one."""

    __tablename__ = "category"
    kind = "category"
    picture_fields = ("cover_image",)

    description: Mapped[str | None]
    cover_image: Mapped[str] = mapped_column(default="")
