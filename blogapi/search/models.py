"""Table of what the index knows an article by; the index itself stands beside the models.

`search_index` (number, title, subtitle, text) is a virtual table of SQLite's FTS5, or a table with a tsvector
on PostgreSQL; the migration makes it. A row of it goes with its entry, by a trigger or a foreign key.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Integer
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.core.database import Base


class SearchEntry(Base):
    """The number of an article in the index.

    It tells when the article was published (`rules.number_of`), so that the index alone can say what is
    public and newest; below zero: not published.
    """

    __tablename__ = "search_entry"

    number: Mapped[int] = mapped_column(
        BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False
    )
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), unique=True)
