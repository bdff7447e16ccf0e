"""The search index, and the table that maps articles to rows of the index.

On PostgreSQL, `search_index` is a table with tsvectors, and on SQLite an FTS5 table with the words. Its rows
are deleted with their search entries, by a foreign key or a trigger. Migrations create both. Tests use
the DDL below to compare the migrated schema with the models.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import DDL, BigInteger, ForeignKey, Integer, event
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base


class SearchEntry(Base):
    """The number of an article in the search index, and the time from which the article is in the lists.

    `listed_from` is None for articles that are in no list; see `publication.visibility.get_listed_from`.
    """

    __tablename__ = "search_entry"

    number: Mapped[int] = mapped_column(
        BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False
    )
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), unique=True)
    listed_from: Mapped[datetime | None]


_INDEX_DDL = {
    "sqlite": (
        "CREATE VIRTUAL TABLE search_index USING fts5(title_words, subtitle_words, text_words, "
        "tokenize = \"ascii tokenchars '.+#'\", prefix = '2 3')",
        "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry "
        "BEGIN DELETE FROM search_index WHERE rowid = old.number; END",
    ),
    "postgresql": (
        "CREATE TABLE search_index ("
        "number bigint PRIMARY KEY REFERENCES search_entry (number) ON DELETE CASCADE, "
        "vector tsvector NOT NULL, titles tsvector NOT NULL)",
        "CREATE INDEX ix_search_index_vector ON search_index USING gin (vector)",
        "CREATE INDEX ix_search_index_titles ON search_index USING gin (titles)",
        # The large vectors are stored outside of the rows, so a search for a common word reads few pages.
        "ALTER TABLE search_index SET (toast_tuple_target = 128)",
        "ALTER TABLE search_index ALTER COLUMN titles SET STORAGE MAIN",
    ),
}
for _engine, _statements in _INDEX_DDL.items():
    for _statement in _statements:
        _ddl = DDL(_statement)  # type: ignore[no-untyped-call]
        event.listen(Base.metadata, "after_create", _ddl.execute_if(dialect=_engine))
