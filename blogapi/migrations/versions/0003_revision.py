"""The row that tells of every commit where the database itself does not."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table with its one row."""
    op.create_table(
        "revision",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("commits", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_revision")),
    )
    op.execute("INSERT INTO revision (number, commits) VALUES (1, 0)")
