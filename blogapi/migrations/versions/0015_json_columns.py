"""One column for the JSON of each field of an article, and new names of the tables and columns with JSON."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

NAMES = (
    *("uuid", "author", "title", "subtitle", "excerpt", "cover_image", "content_type", "slug", "seo"),
    *("created", "last_updated", "published_at", "reading_minutes", "cover", "word_count", "toc", "html"),
)


def upgrade() -> None:
    """Create the tables and columns; the next start stores the JSON, which depends on the renderer."""
    op.drop_table("article_pieces")
    op.create_table(
        "article_json",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("category_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("published_at", sa.DateTime(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        *(sa.Column(f"{name}_json", sa.LargeBinary(), server_default="", nullable=False) for name in NAMES),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_article_json_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_article_json")),
    )
    op.create_table(
        "article_stats",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("published", sa.Integer(), nullable=False),
        sa.Column("renderer", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_article_stats")),
    )
    op.execute("INSERT INTO article_stats (number, published, renderer) VALUES (1, 0, '')")
    op.drop_table("article_tally")
    for table in ("category", "tag", "author", "media"):
        op.drop_column(table, "pieces")
        op.add_column(table, sa.Column("json", sa.LargeBinary(), server_default="", nullable=False))
    op.drop_column("imported", "source_digest")
