"""Table of tags."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from blogapi.content.taxonomies.models import Term
from blogapi.storage.database import Base


class Tag(Term, Base):
    """A tag; an article has any number of them."""

    __tablename__ = "tag"
    kind = "tag"
    picture_fields = ("cover_image", "og_image")

    description: Mapped[str] = mapped_column(default="", server_default="")
    cover_image: Mapped[str] = mapped_column(default="", server_default="")
