"""Table of tags."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.change_log import TracksChanges
from blogapi.storage.database import Base, Identified
from blogapi.web.json_fragments import StoresJson


class Tag(TracksChanges, Identified, StoresJson, Base):
    """A tag; an article carries any number of them."""

    __tablename__ = "tag"
    kind = "tag"

    name: Mapped[str]
    slug: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)
