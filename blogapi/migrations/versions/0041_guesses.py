"""Imported files remember the guesses about them, and the blog which guesses the user has lifted."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column("imported", sa.Column("guesses", sa.Text(), nullable=True))
    op.create_table(
        "lifted_guess",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "name", name=op.f("pk_lifted_guess")),
    )
