"""The search stores the time from which an article is in the lists; the numbers of articles mean nothing.

On SQLite, where large numbers cost half of the time of a search, articles get small ones; no text is read.
"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"

RENUMBER = (
    "CREATE TABLE plain_entry AS SELECT row_number() OVER (ORDER BY number) AS number, number AS former, "
    "article_id FROM search_entry",
    "CREATE TABLE plain_words AS SELECT plain_entry.number, title_words, subtitle_words, text_words "
    "FROM plain_entry JOIN search_index ON search_index.rowid = former",
    "DROP TRIGGER search_entry_gone",
    "DELETE FROM search_entry",
    "INSERT INTO search_entry (number, article_id) SELECT number, article_id FROM plain_entry",
    "DROP TABLE search_index",
    "CREATE VIRTUAL TABLE search_index USING fts5(title_words, subtitle_words, text_words, "
    "tokenize = \"ascii tokenchars '.+#'\", prefix = '2 3')",
    "INSERT INTO search_index (rowid, title_words, subtitle_words, text_words) "
    "SELECT * FROM plain_words ORDER BY number",
    "DROP TABLE plain_entry",
    "DROP TABLE plain_words",
    "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry "
    "BEGIN DELETE FROM search_index WHERE rowid = old.number; END",
)


def upgrade() -> None:
    """Add the column, and copy the times of the articles that are in the lists."""
    if op.get_bind().dialect.name == "sqlite":
        for statement in RENUMBER:
            op.execute(statement)
    op.add_column("search_entry", sa.Column("listed_from", sa.DateTime()))
    op.execute(
        "UPDATE search_entry SET listed_from = (SELECT published_at FROM article WHERE uuid = article_id "
        "AND type = 'article' AND status = 'published')"
    )
