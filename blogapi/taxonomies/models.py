"""The columns that the terms of every taxonomy have."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.change_log import TracksChanges
from blogapi.storage.database import Identified
from blogapi.web.json_fragments import StoresJson


class Term(TracksChanges, Identified, StoresJson):
    """A term of a taxonomy: a name, its slug and the user who created it."""

    name: Mapped[str]
    slug: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)
