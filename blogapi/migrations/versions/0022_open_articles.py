"""The articles that users have open in the editor."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "open_article",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("seen", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_open_article_article_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.uuid"], name=op.f("fk_open_article_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", "user_id", name=op.f("pk_open_article")),
    )
    op.create_index(op.f("ix_open_article_user_id"), "open_article", ["user_id"], unique=False)
    op.create_index(op.f("ix_open_article_seen"), "open_article", ["seen"], unique=False)
