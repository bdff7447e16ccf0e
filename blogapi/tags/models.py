"""Table of tags."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.core.database import Base, Identified, Timestamped, name_string, slug_string


class Tag(Identified, Timestamped, Base):
    """A tag; an article carries any number of them."""

    __tablename__ = "tag"

    name: Mapped[name_string]
    slug: Mapped[slug_string] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)
