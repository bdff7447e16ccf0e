"""What reads show is made when it is written; and the search index."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables; the program fills them at its next start, as nobody has made any piece yet."""
    for table in ("category", "tag"):
        op.add_column(table, sa.Column("pieces", sa.String(), server_default="", nullable=False))
    op.create_table(
        "article_pieces",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("category_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("published_at", sa.DateTime(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("fields", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("html", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_article_pieces_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_article_pieces")),
    )
    op.create_table(
        "article_tally",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("published", sa.Integer(), nullable=False),
        sa.Column("renderer", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_article_tally")),
    )
    op.execute("INSERT INTO article_tally (number, published, renderer) VALUES (1, 0, '')")
    _order_indexes()
    op.create_table(
        "search_entry",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_search_entry_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_search_entry")),
        sa.UniqueConstraint("article_id", name=op.f("uq_search_entry_article_id")),
    )
    if op.get_bind().dialect.name == "sqlite":
        _make_fts5()
    else:
        _make_tsvector()


def _order_indexes() -> None:
    for name in ("ix_article_visible", "ix_article_author_id", "ix_article_category_id"):
        op.drop_index(op.f(name), "article")
    newest: list[Any] = ["status", sa.text("published_at DESC"), "uuid"]
    op.create_index("ix_article_visible", "article", newest, unique=False)
    op.create_index("ix_article_author", "article", ["author_id", *newest], unique=False)
    op.create_index("ix_article_category", "article", ["category_id", *newest], unique=False)
    op.create_index("ix_article_tag_order", "article_tag", ["article_id", "position", "tag_id"], unique=False)


def _make_fts5() -> None:
    op.execute(
        "CREATE VIRTUAL TABLE search_index USING fts5"
        "(title, subtitle, text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
    )
    op.execute(
        "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry "
        "BEGIN DELETE FROM search_index WHERE rowid = old.number; END"
    )


def _make_tsvector() -> None:
    op.execute(
        "CREATE TABLE search_index ("
        "number bigint PRIMARY KEY REFERENCES search_entry (number) ON DELETE CASCADE, "
        "title text NOT NULL, subtitle text NOT NULL, text text NOT NULL, vector tsvector NOT NULL)"
    )
    op.execute("CREATE INDEX ix_search_index_vector ON search_index USING gin (vector)")
