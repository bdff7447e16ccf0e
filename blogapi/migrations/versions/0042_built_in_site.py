"""The site knows whether blogapi shows the blog itself."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    """Add the column; the blogs that exist have a site of their own, or none."""
    op.add_column("site", sa.Column("built_in", sa.Boolean(), nullable=False, server_default=sa.false()))
