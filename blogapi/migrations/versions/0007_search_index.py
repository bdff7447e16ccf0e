"""The search index holds the words of our own tokenizer; PostgreSQL has those of titles in a second index."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make an empty index; the program fills it at its next start, when it renders all articles again."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE search_index")
        op.execute(
            "CREATE VIRTUAL TABLE search_index USING fts5("
            "title UNINDEXED, subtitle UNINDEXED, text UNINDEXED, title_words, subtitle_words, text_words, "
            "tokenize = \"ascii tokenchars '.+#'\", prefix = '2 3')"
        )
        op.execute("DELETE FROM search_entry")
    else:
        op.execute("TRUNCATE search_entry, search_index")
        op.add_column("search_index", sa.Column("titles", TSVECTOR(), nullable=False))
        op.execute("CREATE INDEX ix_search_index_titles ON search_index USING gin (titles)")
        op.execute("ALTER TABLE search_index SET (toast_tuple_target = 128)")
        op.execute("ALTER TABLE search_index ALTER COLUMN titles SET STORAGE MAIN")
    op.execute("UPDATE article_tally SET renderer = ''")
