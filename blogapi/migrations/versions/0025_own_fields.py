"""Own fields: their definitions, the values of articles, and an index of these values."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Create the tables and the column."""
    op.add_column("article", sa.Column("custom", sa.Text(), server_default="{}", nullable=False))
    op.create_table(
        "custom_field",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("help", sa.String(), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("is_list", sa.Boolean(), nullable=False),
        sa.Column("choices", sa.Text(), nullable=False),
        sa.Column("minimum", sa.Double(), nullable=True),
        sa.Column("maximum", sa.Double(), nullable=True),
        sa.Column("is_required", sa.Boolean(), nullable=False),
        sa.Column("is_admin_only", sa.Boolean(), nullable=False),
        sa.Column("is_searched", sa.Boolean(), nullable=False),
        sa.Column("for_articles", sa.Boolean(), nullable=False),
        sa.Column("for_pages", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_custom_field")),
        sa.UniqueConstraint("name", name=op.f("uq_custom_field_name")),
    )
    op.create_table(
        "custom_value",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("listed_from", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_custom_value_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", "name", "key", name=op.f("pk_custom_value")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_custom_value_listed", "custom_value", ["name", "key", "listed_from", sa.text("article_id DESC")]
    )
    op.create_index("ix_custom_value_article", "custom_value", ["name", "article_id", "key"])
