"""The search index, and the table that maps articles to rows of the index.

On PostgreSQL, `search_index` is a table with tsvectors. On SQLite, it is an FTS5 index of the words in the
table `search_words`, which triggers update: they remove exactly the words that were indexed, even if the
article now has others. The rows of both tables are deleted with their search entries, by a foreign key or a
trigger. Migrations create them. The DDL below is used to compare the migrated schema with the models.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import DDL, BigInteger, ForeignKey, Integer, event
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base


class SearchEntry(Base):
    """The number of an article in the search index.

    The number encodes the publication time (`numbering.first_number`), so that public articles can be found
    and ordered with the index alone. Articles that are not published have negative numbers.
    """

    __tablename__ = "search_entry"

    number: Mapped[int] = mapped_column(
        BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False
    )
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), unique=True)


_ADD = (
    "INSERT INTO search_index (rowid, title_words, subtitle_words, text_words) VALUES (new.number, "
    "new.title_words, new.subtitle_words, CAST(sqlar_uncompress(new.text_words, new.text_size) AS TEXT))"
)
_REMOVE = (
    "INSERT INTO search_index (search_index, rowid, title_words, subtitle_words, text_words) "
    "VALUES ('delete', old.number, old.title_words, old.subtitle_words, "
    "CAST(sqlar_uncompress(old.text_words, old.text_size) AS TEXT))"
)
_INDEX = {
    "sqlite": (
        # A BIGINT is not the rowid: rows are appended. In the order of numbers, pages can be half empty.
        "CREATE TABLE search_words ("
        "number BIGINT PRIMARY KEY, title_words TEXT NOT NULL, subtitle_words TEXT NOT NULL, "
        "text_words BLOB NOT NULL, text_size INTEGER NOT NULL)",
        "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry "
        "BEGIN DELETE FROM search_words WHERE number = old.number; END",
        # The shell of SQLite has this function too, so it can delete articles and rebuild the index.
        "CREATE VIEW search_content AS SELECT number, title_words, subtitle_words, "
        "CAST(sqlar_uncompress(text_words, text_size) AS TEXT) AS text_words FROM search_words",
        "CREATE VIRTUAL TABLE search_index USING fts5(title_words, subtitle_words, text_words, "
        "content = 'search_content', content_rowid = 'number', "
        "tokenize = \"ascii tokenchars '.+#'\", prefix = '2 3')",
        f"CREATE TRIGGER search_words_added AFTER INSERT ON search_words BEGIN {_ADD}; END",
        f"CREATE TRIGGER search_words_changed AFTER UPDATE ON search_words BEGIN {_REMOVE}; {_ADD}; END",
        f"CREATE TRIGGER search_words_gone AFTER DELETE ON search_words BEGIN {_REMOVE}; END",
    ),
    "postgresql": (
        "CREATE TABLE search_index ("
        "number bigint PRIMARY KEY REFERENCES search_entry (number) ON DELETE CASCADE, "
        "vector tsvector NOT NULL, titles tsvector NOT NULL)",
        "CREATE INDEX ix_search_index_vector ON search_index USING gin (vector)",
        "CREATE INDEX ix_search_index_titles ON search_index USING gin (titles)",
        # A row contains only the number of the article and the words of its title, so that a search for a
        # common word reads few database pages.
        "ALTER TABLE search_index SET (toast_tuple_target = 128)",
        "ALTER TABLE search_index ALTER COLUMN titles SET STORAGE MAIN",
    ),
}
for _engine, _statements in _INDEX.items():
    for _statement in _statements:
        _ddl = DDL(_statement)  # type: ignore[no-untyped-call]
        event.listen(Base.metadata, "after_create", _ddl.execute_if(dialect=_engine))
