"""The deleted articles and pages that can be restored."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "deleted_item",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("deleted", sa.DateTime(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_deleted_item")),
    )
    op.create_index("ix_deleted_item_deleted", "deleted_item", ["deleted"])
