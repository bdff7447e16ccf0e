"""Table of categories."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.change_log import TracksChanges
from blogapi.storage.database import Base, Identified
from blogapi.web.json_fragments import StoresJson


class Category(TracksChanges, Identified, StoresJson, Base):
    """A category; an article stands in exactly one."""

    __tablename__ = "category"
    kind = "category"

    name: Mapped[str]
    description: Mapped[str | None]
    cover_image: Mapped[str] = mapped_column(default="")
    slug: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)
