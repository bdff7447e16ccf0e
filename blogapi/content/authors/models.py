"""Table of authors."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogapi.accounts.users.models import Account
from blogapi.content.taxonomies.models import Term
from blogapi.storage.database import Base


class Author(Term, Base):
    """The public profile of a person who writes articles.

    `owner_id` is the user whose profile this is, or None for a guest. Each user has one profile.
    """

    __tablename__ = "author"
    kind = "author"
    picture_fields = ("avatar", "cover_image", "og_image")

    owner_id: Mapped[UUID | None] = mapped_column(  # type: ignore[assignment]
        ForeignKey("account.uuid", ondelete="SET NULL"), unique=True
    )
    bio: Mapped[str] = mapped_column(default="")
    url: Mapped[str] = mapped_column(default="")
    avatar: Mapped[str] = mapped_column(default="")
    cover_image: Mapped[str] = mapped_column(default="", server_default="")

    # Without this relationship, a flush could insert the profile before the user.
    owner: Mapped[Account | None] = relationship()
    # The class is referenced by name, because an import would be circular.
    article_links: Mapped[list[Any]] = relationship("ArticleAuthor", viewonly=True)
