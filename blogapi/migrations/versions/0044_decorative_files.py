"""A file of the media library can be decorative: it needs no alternative text."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    """Add the column; no file is decorative yet."""
    op.add_column("media", sa.Column("decorative", sa.Boolean(), nullable=False, server_default=sa.false()))
