"""The site knows whether assistants may call the blog."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    """Add the column; no blog is open to assistants."""
    op.add_column("site", sa.Column("mcp", sa.Boolean(), nullable=False, server_default=sa.false()))
