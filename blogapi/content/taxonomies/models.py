"""The columns that the terms of every taxonomy have."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, validates

from blogapi.content.search.tokenizer import make_sort_key
from blogapi.content.taxonomies.similar_names import make_name_key
from blogapi.publication.models import HasEvents
from blogapi.storage.database import SORT_KEY_TYPE, Base, Identified, Timestamped, bytewise, current_time
from blogapi.web.media_addresses import PictureFieldsMixin


class Term(HasEvents, PictureFieldsMixin, Identified, Timestamped):
    """A term of a taxonomy: a name, its slug and the user who created it.

    `name_key` and `sort_key` are forms of the name, for comparison and for the order of lists.
    """

    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(default="", server_default="", index=True)
    sort_key: Mapped[str] = mapped_column(SORT_KEY_TYPE, default="", server_default="")
    slug: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)
    seo_title: Mapped[str] = mapped_column(default="", server_default="")
    seo_description: Mapped[str] = mapped_column(default="", server_default="")
    og_image: Mapped[str] = mapped_column(default="", server_default="")
    canonical_url: Mapped[str] = mapped_column(default="", server_default="")
    language: Mapped[str] = mapped_column(default="", server_default="")

    @validates("name")
    def _set_keys(self, _: str, name: str) -> str:
        self.name_key, self.sort_key = make_name_key(name), make_sort_key(name)
        return name


class FormerTermSlug(Base):
    """A slug that a term of this `kind` had before, and that no term of this kind has now.

    The slug and the uuid of a merged term are former slugs of the term into which it was merged.

    There is no foreign key, because the terms of each taxonomy have a table of their own.
    """

    __tablename__ = "former_term_slug"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    slug: Mapped[str] = mapped_column(primary_key=True)
    term_id: Mapped[UUID] = mapped_column(index=True)
    created: Mapped[datetime] = mapped_column(default=current_time)


# In PostgreSQL, the index of the primary key has another order than the list of redirects.
Index("ix_former_term_slug_order", FormerTermSlug.kind, bytewise(FormerTermSlug.slug)).ddl_if(
    dialect="postgresql"
)
