"""The columns that the terms of every taxonomy have."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.publication.events import HasEvents
from blogapi.storage.database import Base, Identified, current_time
from blogapi.web.media_addresses import ShowsPictures
from blogapi.web.stored_json import StoresJson


class Term(HasEvents, ShowsPictures, Identified, StoresJson):
    """A term of a taxonomy: a name, its slug and the user who created it."""

    name: Mapped[str]
    slug: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)


class FormerTermSlug(Base):
    """A slug that a term had before; `kind` is the kind of the term, and no other such term uses the slug.

    There is no foreign key, because the terms of each taxonomy have a table of their own.
    """

    __tablename__ = "former_term_slug"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    slug: Mapped[str] = mapped_column(primary_key=True)
    term_id: Mapped[UUID] = mapped_column(index=True)
    created: Mapped[datetime] = mapped_column(default=current_time)
