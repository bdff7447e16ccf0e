"""The blog records which releases of blogapi have used it, and the rights of callers in each."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Create the table of releases."""
    op.create_table(
        "release",
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("rights", sa.String(), nullable=False),
        sa.Column("started", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_release")),
    )
