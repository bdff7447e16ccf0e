"""Table of categories."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from blogapi.content.taxonomies.models import Term
from blogapi.storage.database import Base


class Category(Term, Base):
    """A category; an article belongs to exactly one."""

    __tablename__ = "category"
    kind = "category"
    picture_fields = ("cover_image", "og_image")

    description: Mapped[str | None]
    cover_image: Mapped[str] = mapped_column(default="")
    # There is no foreign key, because copies of a database and imports insert the rows in any order.
    parent_id: Mapped[UUID | None] = mapped_column(index=True)
